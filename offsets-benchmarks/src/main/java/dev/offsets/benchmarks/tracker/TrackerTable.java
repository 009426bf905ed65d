package dev.offsets.benchmarks.tracker;

import java.io.IOException;
import java.time.LocalDate;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
    /** Those of the cycles, as parameters. */
    private final List<String> windows;

    private TrackerTable(Collection<RunResult> results) {
        this.results = results;
        windows = results.stream()
                .map(result -> result.getParams().getParam("window"))
                .filter(Objects::nonNull)
                .distinct()
                .sorted(Comparator.comparingInt(Integer::parseInt))
                .toList();
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
        System.out.printf(
                "%n%s %s, %s, %d processors, %s%n",
                System.getProperty("java.vm.name"),
                System.getProperty("java.version"),
                System.getProperty("os.name"),
                Runtime.getRuntime().availableProcessors(),
                LocalDate.now());
    }

    private void printCycles(String holesPercent, String title) {
        System.out.println("| track, complete, advance: " + title + ", ns a record | window "
                + windows.stream()
                        .map(window -> "%,d".formatted(Integer.parseInt(window)))
                        .collect(Collectors.joining(" | "))
                + " | bytes allocated |\n" + "|---".repeat(windows.size() + 2) + "|");
        for (Subjects subject : Subjects.values()) {
            List<RunResult> rows = windows.stream()
                    .flatMap(window -> cycle(subject, window, holesPercent))
                    .toList();
            if (!rows.isEmpty()) {
                System.out.println("| " + subject.title + " | "
                        + rows.stream().map(TrackerTable::timeOfCycle).collect(Collectors.joining(" | ")) + " | "
                        + rows.stream().map(TrackerTable::allocated).collect(Collectors.joining(" / ")) + " |");
            }
        }
        Set<Subjects> ours = Set.of(Subjects.OURS);
        printRatios("this library ÷ one atomic OR", ours, Set.of(Subjects.ATOMIC_OR), holesPercent);
        printRatios("the fastest other library ÷ this library", Subjects.OTHER_LIBRARIES, ours, holesPercent);
        printRatios("Parallel Consumer ÷ this library", Set.of(Subjects.PARALLEL_CONSUMER), ours, holesPercent);
        System.out.println();
    }

    /** Nothing where not all of them were measured. */
    private void printRatios(String title, Set<Subjects> dividend, Set<Subjects> divisor, String holesPercent) {
        List<Double> ratios = windows.stream()
                .map(window -> best(dividend, window, holesPercent) / best(divisor, window, holesPercent))
                .toList();
        if (ratios.stream().noneMatch(ratio -> ratio.isNaN())) {
            System.out.println("| *" + title + "* | "
                    + ratios.stream().map("%.1f"::formatted).collect(Collectors.joining(" | ")) + " | |");
        }
    }

    /** NaN where none was measured. */
    private double best(Set<Subjects> subjects, String window, String holesPercent) {
        return subjects.stream()
                .flatMap(subject -> cycle(subject, window, holesPercent))
                .mapToDouble(result -> fastest(result.getPrimaryResult()))
                .min()
                .orElse(Double.NaN);
    }

    private Stream<RunResult> cycle(Subjects subject, String window, String holesPercent) {
        return of("trackCompleteAdvance", subject)
                .filter(parameter("window", window))
                .filter(parameter("holesPercent", holesPercent));
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
                                + (benchmark.endsWith("ours") ? Subjects.OURS : Subjects.ATOMIC_OR).title,
                        time(result));
            } else if (benchmark.startsWith("Contention")) {
                String title = Subjects.valueOf(result.getParams().getParam("subject")).title;
                result.getSecondaryResults().entrySet().stream()
                        .filter(part -> part.getKey().matches("complete\\w+"))
                        .map(Map.Entry::getValue)
                        .max(Comparator.comparingDouble(TrackerTable::fastest))
                        .ifPresent(slower -> rows.put(
                                "two workers complete neighbours, the owner advances, ns a record, the slower worker: "
                                        + title,
                                time(slower, ContentionBenchmark.EACH)));
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
        double fastest = fastest(result) / operations;
        double median = times.getPercentile(50) / operations;
        return (median < 100 ? "%.1f (%.1f)" : "%,.0f (%,.0f)").formatted(fastest, median);
    }

    private static double fastest(Result<?> result) {
        return result.getStatistics().getPercentile(10);
    }

    private static String allocated(RunResult result) {
        return result.getSecondaryResults().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(ALLOCATED))
                .map(entry -> "%.1f".formatted(entry.getValue().getScore() / CycleBenchmark.RECORDS))
                .findFirst()
                .orElse("?");
    }
}
