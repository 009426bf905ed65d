package dev.offsets.benchmarks.pools;

import dev.offsets.benchmarks.pools.Scenario.Order;
import dev.offsets.kafka.broker.LocalBroker;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
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
            description = "How long to work before measuring, in milliseconds; at most until half of the records is"
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
            names = "--orders",
            paramLabel = "ORDER",
            split = ",",
            description = "In which order records are worked on: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<Order> orders = List.of(Order.values());

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
            run(new Rounds(broker.bootstrapServers(), concurrency, results, this::say));
        }
        print(results);
        if (results.haveWeLost()) {
            say("FAILED: records were lost");
            return CommandLine.ExitCode.SOFTWARE;
        }
        return CommandLine.ExitCode.OK;
    }

    private void run(Rounds rounds) throws IOException, InterruptedException, ExecutionException {
        say("producing records");
        for (int number : new LinkedHashSet<>(keys)) {
            rounds.produce(records, number);
        }
        rounds.produceForCrashes(crashRecords);
        say("seed " + seed);
        Random random = new Random(seed);
        for (int round = 1; round <= runs; round++) {
            for (Scenario scenario : scenarios()) {
                rounds.measure(
                        round, scenario, records, Duration.ofMillis(warmUpMillis), Duration.ofMillis(measuredMillis));
            }
            int killedAt = crashRecords * 3 / 10 + random.nextInt(crashRecords * 4 / 10);
            rounds.crash(round, crashRecords, killedAt);
        }
    }

    private void check(String option, int value, int least) {
        if (value < least) {
            throw new ParameterException(spec.commandLine(), option + " " + value + ": must be " + least + " or more");
        }
    }

    static List<String> brokerArguments() {
        List<String> arguments = new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        arguments.addAll(Child.loggingArguments());
        return arguments;
    }

    private List<Scenario> scenarios() {
        List<Scenario> scenarios = new ArrayList<>();
        for (int handlerMillis : handlers) {
            if (orders.contains(Order.UNORDERED)) {
                scenarios.add(new Scenario(Order.UNORDERED, keys.get(0), handlerMillis));
            }
            if (orders.contains(Order.BY_KEY)) {
                keys.forEach(number -> scenarios.add(new Scenario(Order.BY_KEY, number, handlerMillis)));
            }
        }
        return scenarios;
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
                "%s %s, %s, %d processors, %s; %d threads, runs: %d.%n",
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
