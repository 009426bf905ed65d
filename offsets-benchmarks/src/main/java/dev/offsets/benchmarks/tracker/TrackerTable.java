package dev.offsets.benchmarks.tracker;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.util.Statistics;

/** Runs all benchmarks of trackers in one run, and prints the tables of the README. Takes JMH's own switches. */
@SuppressWarnings("rawtypes") // JMH's results are
public final class TrackerTable {
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private final Collection<RunResult> results;

    private TrackerTable(Collection<RunResult> results) {
        this.results = results;
    }

    public static void main(String[] args) throws RunnerException, CommandLineOptionException, IOException {
        CommandLineOptions options = new CommandLineOptions(args);
        if (options.shouldHelp()) {
            options.showHelp();
            return;
        }
        TrackerTable table = new TrackerTable(new Runner(new OptionsBuilder()
                        .parent(options)
                        .include(TrackerTable.class.getPackageName().replace(".", "\\.") + "\\..*")
                        .addProfiler(GCProfiler.class)
                        .build())
                .run());
        System.out.println();
        table.printCycles("0", "dense");
        table.printCycles("10", "10% holes");
        table.printStuckHead();
        table.printOthers();
        Sizes.print();
    }

    private void printCycles(String holesPercent, String title) {
        List<String> windows = List.of("64", "1024", "65536");
        System.out.println("| track, complete, advance: " + title
                + ", ns a record | window 64 | 1,024 | 65,536 | bytes allocated |\n|---|---|---|---|---|");
        for (Subjects subject : Subjects.values()) {
            List<RunResult> rows = windows.stream()
                    .flatMap(window -> of("trackCompleteAdvance", subject)
                            .filter(parameter("window", window))
                            .filter(parameter("holesPercent", holesPercent)))
                    .toList();
            if (!rows.isEmpty()) {
                System.out.println("| " + subject.title + " | "
                        + rows.stream().map(TrackerTable::timeOfCycle).collect(Collectors.joining(" | ")) + " | "
                        + rows.stream().map(TrackerTable::allocated).collect(Collectors.joining(" / ")) + " |");
            }
        }
        System.out.println();
    }

    private void printStuckHead() {
        System.out.println(
                "| a million completed | completing more, head stuck, ns | not stuck, ns | advancing while stuck, µs |"
                        + " the head finishes, µs |\n|---|---|---|---|---|");
        for (Subjects subject : Subjects.values()) {
            List<RunResult> cells = Stream.of(
                            "completeMore", "completeMoreUnstuck", "advanceWhileStuck", "headFinishes")
                    .flatMap(method -> of(method, subject))
                    .toList();
            if (!cells.isEmpty()) {
                System.out.println("| " + subject.title + " | "
                        + cells.stream().map(TrackerTable::time).collect(Collectors.joining(" | ")) + " |");
            }
        }
        System.out.println();
    }

    /** What stands for itself: benchmarks in their own words. */
    private void printOthers() {
        Map<String, String> rows = new TreeMap<>();
        for (RunResult result : results) {
            String benchmark = result.getParams().getBenchmark().replaceAll(".*\\.(\\w+\\.\\w+)$", "$1");
            if (benchmark.startsWith("InFlight")) {
                rows.put(
                        "ten million in flight, ns a record: "
                                + result.getPrimaryResult().getLabel(),
                        time(result));
            } else if (benchmark.startsWith("Contention")) {
                String title = Subjects.valueOf(result.getParams().getParam("subject")).title;
                result.getSecondaryResults().forEach((label, part) -> {
                    if (label.matches("complete\\w+")) {
                        rows.put(
                                "two workers and the owner, ns a record: " + title + ", " + label,
                                time(part, ContentionBenchmark.EACH));
                    }
                });
            }
        }
        System.out.println("| | |\n|---|---|");
        rows.forEach((what, time) -> System.out.println("| " + what + " | " + time + " |"));
        System.out.println();
    }

    private Stream<RunResult> of(String method, Subjects subject) {
        return results.stream()
                .filter(result -> result.getParams().getBenchmark().endsWith("." + method))
                .filter(parameter("subject", subject.name()));
    }

    private static Predicate<RunResult> parameter(String name, String value) {
        return result -> value.equals(result.getParams().getParam(name));
    }

    private static String time(RunResult result) {
        return time(result.getPrimaryResult(), 1);
    }

    private static String timeOfCycle(RunResult result) {
        return time(result.getPrimaryResult(), CycleBenchmark.RECORDS);
    }

    /** The fastest tenth of the samples, and the median: others who use the machine make many samples much too long. */
    private static String time(Result<?> result, int operations) {
        Statistics times = result.getStatistics();
        double fastest = times.getPercentile(10) / operations;
        double median = times.getPercentile(50) / operations;
        return (median < 100 ? "%.1f (%.1f)" : "%,.0f (%,.0f)").formatted(fastest, median);
    }

    private static String allocated(RunResult result) {
        return result.getSecondaryResults().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(ALLOCATED))
                .map(entry -> "%.1f".formatted(entry.getValue().getScore() / CycleBenchmark.RECORDS))
                .findFirst()
                .orElse("?");
    }
}
