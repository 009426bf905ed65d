package dev.offsets.benchmarks.pools;

import dev.offsets.benchmarks.pools.Scenario.Order;
import dev.offsets.kafka.broker.LocalBroker;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares a loop around a tracked consumer with one around a Kafka consumer that commits by itself. */
@Command(
        name = "loops",
        description =
                "Lets a loop around this library's consumer, and one around a Kafka consumer with auto-commit, read"
                        + " the same records of a real broker in turns, each in a process of its own, and prints how fast they"
                        + " are and what processor time they use.")
final class LoopsBenchmark implements Callable<Integer> {
    private static final int FEWEST_PAIRS = 6;
    private static final int KEYS = 1_000;
    private static final Scenario NO_WORK = new Scenario(Order.UNORDERED, KEYS, 0);

    @Option(names = "--pairs", paramLabel = "N", description = "How many pairs of runs. Default: ${DEFAULT-VALUE}.")
    private int pairs = 20;

    @Option(
            names = "--records",
            paramLabel = "N",
            description = "How many there are to read: a run ends when they run out. Default: ${DEFAULT-VALUE}.")
    private int records = 30_000_000;

    @Option(
            names = "--warm-up",
            paramLabel = "MS",
            description = "How long to read before measuring, in milliseconds; at most until half of the records is"
                    + " read. Default: ${DEFAULT-VALUE}.")
    private int warmUpMillis = 4_000;

    @Option(
            names = "--measure",
            paramLabel = "MS",
            description = "How long to measure, in milliseconds. Default: ${DEFAULT-VALUE}.")
    private int measuredMillis = 4_000;

    @Option(names = "--help", usageHelp = true, description = "Print this text.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    public static void main(String[] arguments) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new LoopsBenchmark()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        check("--pairs", pairs, FEWEST_PAIRS);
        check("--records", records, 100);
        check("--warm-up", warmUpMillis, 0);
        check("--measure", measuredMillis, 1);
        Results results = new Results(1);
        try (LocalBroker broker = LocalBroker.builder()
                .jvmArguments(PoolsBenchmark.brokerArguments())
                .start()) {
            Rounds rounds = new Rounds(broker.bootstrapServers(), 1, results, this::say);
            say("producing records");
            rounds.produce(records, KEYS);
            for (int pair = 1; pair <= pairs; pair++) {
                rounds.measure(
                        pair,
                        Contender.LOOPS,
                        NO_WORK,
                        records,
                        Duration.ofMillis(warmUpMillis),
                        Duration.ofMillis(measuredMillis));
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

    private void say(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private void print(Results results) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("| | tracked loop | auto-commit loop | tracked ÷ auto-commit, of pairs |");
        out.println("|---|---|---|---|");
        row(out, results, "records a second", "%,.0f", Measurement::perSecond);
        row(out, results, "CPU, µs a record", "%,.2f", Measurement::cpuMicrosPerRecord);
        out.printf(
                "%n%s %s, %s, %d processors, %s; pairs: %d. Medians, each with an interval of 95%% confidence.%n",
                System.getProperty("java.vm.name"),
                System.getProperty("java.version"),
                System.getProperty("os.name"),
                Runtime.getRuntime().availableProcessors(),
                LocalDate.now(),
                pairs);
        out.flush();
    }

    private static void row(
            PrintWriter out, Results results, String title, String format, ToDoubleFunction<Measurement> number) {
        double[] tracked = numbers(results.measurements(NO_WORK, Contender.TRACKED_LOOP), number);
        double[] other = numbers(results.measurements(NO_WORK, Contender.AUTO_COMMIT_LOOP), number);
        double[] ratios = new double[tracked.length];
        for (int pair = 0; pair < ratios.length; pair++) {
            ratios[pair] = tracked[pair] / other[pair];
        }
        out.printf(
                "| %s | %s | %s | %s |%n",
                title,
                MedianInterval.of(tracked).toString(format),
                MedianInterval.of(other).toString(format),
                MedianInterval.of(ratios).toString("%.3f"));
    }

    private static double[] numbers(List<Measurement> measurements, ToDoubleFunction<Measurement> number) {
        return measurements.stream().mapToDouble(number).toArray();
    }
}
