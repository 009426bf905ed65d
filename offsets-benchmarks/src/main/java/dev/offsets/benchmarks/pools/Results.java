package dev.offsets.benchmarks.pools;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** What was measured, as tables in Markdown. */
final class Results {
    private static final String NONE = "–";

    private final int concurrency;
    private final Map<Scenario, Map<Contender, List<Measurement>>> measurements = new LinkedHashMap<>();
    private final Map<Contender, List<CrashRun.Outcome>> crashes = new EnumMap<>(Contender.class);

    Results(int concurrency) {
        this.concurrency = concurrency;
    }

    /** The measurements of one contender are added in the order of the rounds. */
    void add(Scenario scenario, Contender contender, Measurement measurement) {
        measurements
                .computeIfAbsent(scenario, key -> new EnumMap<>(Contender.class))
                .computeIfAbsent(contender, key -> new ArrayList<>())
                .add(measurement);
    }

    void add(Contender contender, CrashRun.Outcome outcome) {
        crashes.computeIfAbsent(contender, key -> new ArrayList<>()).add(outcome);
    }

    /** What one contender measured in one scenario, in the order of the rounds. */
    List<Measurement> measurements(Scenario scenario, Contender contender) {
        return List.copyOf(measurements.get(scenario).get(contender));
    }

    /** Whether one of ours has lost a record. */
    boolean haveWeLost() {
        return crashes.getOrDefault(Contender.OURS, List.of()).stream().anyMatch(outcome -> outcome.lost() > 0);
    }

    String toMarkdown() {
        return throughput()
                + "\n" + perConsumer("CPU, µs a record", "%,.1f", Measurement::cpuMicrosPerRecord)
                + "\n" + perConsumer("heap after a collection, MB", "%,.1f", Measurement::heapMegabytes)
                + "\n" + crashes();
    }

    private String throughput() {
        StringBuilder table = header(
                "records a second",
                "ideal",
                "threads alone",
                "ours",
                "Parallel Consumer",
                "plain loop",
                "ours ÷ Parallel Consumer",
                "ours ÷ plain loop",
                "ours ÷ threads alone");
        measurements.forEach((scenario, byContender) -> row(
                table,
                scenario.toString(),
                scenario.handlerMillis() == 0 ? NONE : String.format("%,.0f", scenario.idealPerSecond(concurrency)),
                cell(byContender, Contender.THREADS_ALONE, "%,.0f", Measurement::perSecond),
                cell(byContender, Contender.OURS, "%,.0f", Measurement::perSecond),
                cell(byContender, Contender.PARALLEL_CONSUMER, "%,.0f", Measurement::perSecond),
                cell(byContender, Contender.PLAIN_LOOP, "%,.0f", Measurement::perSecond),
                ratio(byContender, Contender.PARALLEL_CONSUMER),
                ratio(byContender, Contender.PLAIN_LOOP),
                ratio(byContender, Contender.THREADS_ALONE)));
        return table.toString();
    }

    /** Of the runs of the same round, which followed each other closely. */
    private static String ratio(Map<Contender, List<Measurement>> byContender, Contender other) {
        List<Measurement> ours = byContender.get(Contender.OURS);
        List<Measurement> theirs = byContender.get(other);
        if (theirs == null) {
            return NONE;
        }
        double[] ratios = new double[ours.size()];
        for (int round = 0; round < ratios.length; round++) {
            ratios[round] = ours.get(round).perSecond() / theirs.get(round).perSecond();
        }
        return Spread.of(ratios).toString("%,.2f");
    }

    private String perConsumer(String title, String format, ToDoubleFunction<Measurement> number) {
        StringBuilder table = header(title, "ours", "Parallel Consumer", "plain loop");
        measurements.forEach((scenario, byContender) -> row(
                table,
                scenario.toString(),
                Contender.CONSUMERS.stream()
                        .map(contender -> cell(byContender, contender, format, number))
                        .toArray(String[]::new)));
        return table.toString();
    }

    private String crashes() {
        StringBuilder table = header("after a SIGKILL", "ours", "Parallel Consumer", "plain loop");
        row(table, "records handled again", crashCells(CrashRun.Outcome::again));
        row(table, "records never handled", crashCells(CrashRun.Outcome::lost));
        return table.toString();
    }

    private String[] crashCells(ToDoubleFunction<CrashRun.Outcome> number) {
        return Contender.CONSUMERS.stream()
                .map(contender -> crashes.getOrDefault(contender, List.of()))
                .map(all -> all.isEmpty() ? NONE : Spread.of(all, number).toString("%,.0f"))
                .toArray(String[]::new);
    }

    private static String cell(
            Map<Contender, List<Measurement>> byContender,
            Contender contender,
            String format,
            ToDoubleFunction<Measurement> number) {
        List<Measurement> all = byContender.get(contender);
        return all == null ? NONE : Spread.of(all, number).toString(format);
    }

    private static StringBuilder header(String first, String... others) {
        StringBuilder table = new StringBuilder();
        row(table, first, others);
        return table.append("|---".repeat(others.length + 1)).append("|\n");
    }

    private static void row(StringBuilder table, String first, String... others) {
        table.append("| ").append(first).append(" | ");
        table.append(List.of(others).stream().collect(Collectors.joining(" | ", "", " |\n")));
    }
}
