package dev.offsets.benchmarks.pools;

import dev.offsets.benchmarks.pools.Scenario.Order;
import dev.offsets.kafka.broker.LocalBroker;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares pools of workers: this library's, Parallel Consumer's, and a plain loop's. */
@Command(
        name = "pools",
        description = "Lets this library, Confluent's Parallel Consumer and a plain loop work on the same records of a"
                + " real broker with as many threads each, in turns, each in a process of its own, and prints how fast"
                + " they are, what they use, and what they do again after a SIGKILL.")
final class PoolsBenchmark implements Callable<Integer> {
    private static final String CRASH_TOPIC = "crash";
    private static final Scenario CRASH = new Scenario(Order.BY_KEY, 10_000, 1);
    private static final Duration CRASH_COMMIT_INTERVAL = Duration.ofSeconds(1);
    /** The default of both libraries. */
    private static final Duration COMMIT_INTERVAL = Duration.ofSeconds(5);

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "How often each measures each. Default: ${DEFAULT-VALUE}.")
    private int runs = 5;

    @Option(
            names = "--records",
            paramLabel = "N",
            description = "How many there are to work on: a run ends when they run out. Default: ${DEFAULT-VALUE}.")
    private int records = 3_000_000;

    @Option(
            names = "--crash-records",
            paramLabel = "N",
            description = "How many there are for the runs with a SIGKILL. Default: ${DEFAULT-VALUE}.")
    private int crashRecords = 100_000;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "How many threads handle records. Default: ${DEFAULT-VALUE}.")
    private int concurrency = 32;

    @Option(
            names = "--warm-up",
            paramLabel = "MS",
            description =
                    "How long to work before measuring, in milliseconds; at most until a quarter of the records is"
                            + " done. Default: ${DEFAULT-VALUE}.")
    private int warmUpMillis = 4_000;

    @Option(
            names = "--measure",
            paramLabel = "MS",
            description = "How long to measure, in milliseconds. Default: ${DEFAULT-VALUE}.")
    private int measuredMillis = 4_000;

    @Option(
            names = "--handlers",
            paramLabel = "MS",
            split = ",",
            description = "How long handlers wait, in milliseconds. Default: 0,1,10.")
    private List<Integer> handlers = List.of(0, 1, 10);

    @Option(
            names = "--keys",
            paramLabel = "N",
            split = ",",
            description = "How many keys the records have that are ordered by key. Default: 10000,10.")
    private List<Integer> keys = List.of(10_000, 10);

    @Option(names = "--seed", paramLabel = "N", description = "When to kill. Default: a new one each time, printed.")
    private long seed = System.nanoTime();

    @Option(names = "--help", usageHelp = true, description = "Print this text.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    public static void main(String[] arguments) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new PoolsBenchmark()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        check("--runs", runs, 1);
        check("--records", records, 100);
        check("--crash-records", crashRecords, 100);
        check("--concurrency", concurrency, 1);
        check("--warm-up", warmUpMillis, 0);
        check("--measure", measuredMillis, 1);
        for (int handlerMillis : handlers) {
            check("--handlers", handlerMillis, 0);
        }
        for (int number : keys) {
            check("--keys", number, 1);
        }
        Results results = new Results(concurrency);
        try (LocalBroker broker =
                LocalBroker.builder().jvmArguments(brokerArguments()).start()) {
            String bootstrapServers = broker.bootstrapServers();
            say("producing records");
            for (int number : new LinkedHashSet<>(keys)) {
                Records.produce(bootstrapServers, topic(number), records, number);
            }
            Records.produce(bootstrapServers, CRASH_TOPIC, crashRecords, CRASH.keys());
            Random random = new Random(seed);
            say("seed " + seed);
            for (int run = 1; run <= runs; run++) {
                for (Scenario scenario : scenarios()) {
                    measure(run, scenario, bootstrapServers, results);
                }
                crash(run, random, bootstrapServers, results);
            }
        }
        print(results);
        return CommandLine.ExitCode.OK;
    }

    private void check(String option, int value, int least) {
        if (value < least) {
            throw new ParameterException(spec.commandLine(), option + " " + value + ": must be " + least + " or more");
        }
    }

    private static List<String> brokerArguments() {
        List<String> arguments = new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        arguments.addAll(Child.loggingArguments());
        return arguments;
    }

    private List<Scenario> scenarios() {
        List<Scenario> scenarios = new ArrayList<>();
        for (int handlerMillis : handlers) {
            scenarios.add(new Scenario(Order.UNORDERED, keys.get(0), handlerMillis));
            for (int number : keys) {
                scenarios.add(new Scenario(Order.BY_KEY, number, handlerMillis));
            }
        }
        return scenarios;
    }

    private static String topic(int keys) {
        return "keys-" + keys;
    }

    /** The first of a round is another each time. */
    private static List<Contender> inTurn(int run, List<Contender> contenders) {
        List<Contender> turned = new ArrayList<>(contenders);
        Collections.rotate(turned, run);
        return turned;
    }

    private void measure(int run, Scenario scenario, String bootstrapServers, Results results) throws IOException {
        List<Contender> contenders = new ArrayList<>(List.of(Contender.values()));
        if (scenario.handlerMillis() == 0) {
            contenders.remove(Contender.THREADS_ALONE);
        }
        for (Contender contender : inTurn(run, contenders)) {
            Job job = new Job(
                    contender,
                    scenario,
                    concurrency,
                    bootstrapServers,
                    topic(scenario.keys()),
                    UUID.randomUUID().toString(),
                    COMMIT_INTERVAL);
            List<String> arguments = new ArrayList<>(job.toArguments());
            arguments.add(Long.toString(contender == Contender.THREADS_ALONE ? Long.MAX_VALUE : records));
            arguments.add(Integer.toString(warmUpMillis));
            arguments.add(Integer.toString(measuredMillis));
            try (Child child = new Child(MeasuringMain.class, arguments)) {
                Measurement measurement = child.measurement();
                results.add(scenario, contender, measurement);
                say(String.format(
                        "run %d, %s, %s: %,.0f records/s, %.1f µs CPU, %.1f MB",
                        run,
                        scenario,
                        contender,
                        measurement.perSecond(),
                        measurement.cpuMicrosPerRecord(),
                        measurement.heapMegabytes()));
            }
        }
    }

    private void crash(int run, Random random, String bootstrapServers, Results results)
            throws IOException, InterruptedException {
        List<Contender> contenders = new ArrayList<>(List.of(Contender.values()));
        contenders.remove(Contender.THREADS_ALONE);
        int killedAt = crashRecords * 3 / 10 + random.nextInt(crashRecords * 4 / 10);
        for (Contender contender : inTurn(run, contenders)) {
            Job job = new Job(
                    contender,
                    CRASH,
                    concurrency,
                    bootstrapServers,
                    CRASH_TOPIC,
                    UUID.randomUUID().toString(),
                    CRASH_COMMIT_INTERVAL);
            long duplicates = new CrashRun(job, crashRecords, killedAt).duplicates();
            results.addDuplicates(contender, duplicates);
            say(String.format("run %d, killed after %,d records, %s: %,d again", run, killedAt, contender, duplicates));
        }
    }

    private void say(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private void print(Results results) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(results.toMarkdown());
        out.printf(
                "%s %s, %s, %d processors, %s; %d threads, %d runs.%n",
                System.getProperty("java.vm.name"),
                System.getProperty("java.version"),
                System.getProperty("os.name"),
                Runtime.getRuntime().availableProcessors(),
                LocalDate.now(),
                concurrency,
                runs);
        out.flush();
    }
}
