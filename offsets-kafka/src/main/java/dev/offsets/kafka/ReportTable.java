package dev.offsets.kafka;

import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A report as a table for people, with what is wrong below it. */
final class ReportTable {
    private static final String NOT_KNOWN = "-";
    private static final String GAP = "  ";
    private static final int STACK_LINES = 12;

    private record Column(String name, boolean alignedLeft, boolean always, Function<PartitionReport, String> value) {}

    private static final List<Column> COLUMNS = List.of(
            text(
                    "TOPIC",
                    partition -> partition.topicPartition().topic() + (partition.internal() ? " (internal)" : "")),
            new Column(
                    "PARTITION",
                    false,
                    true,
                    partition -> String.valueOf(partition.topicPartition().partition())),
            number("LOG-START", PartitionReport::logStart),
            new Column("COMMITTED", false, true, partition -> orDash(partition.committedOffset())),
            number("COMMITTABLE", PartitionReport::committableOffset),
            number("POSITION", PartitionReport::position),
            number("LAST-STABLE", PartitionReport::lastStableOffset),
            number("HIGH-WATERMARK", PartitionReport::highWatermark),
            new Column("COMMIT-LAG", false, true, partition -> orDash(partition.commitLag())),
            number("FETCH-LAG", PartitionReport::fetchLag),
            number("INCOMPLETE", PartitionReport::incomplete),
            number("DONE-AHEAD", PartitionReport::completedAhead),
            number("REPLAY", PartitionReport::replayExposure),
            number("REMAINING", PartitionReport::workRemaining),
            new Column(
                    "TIME-LAG",
                    false,
                    false,
                    partition -> partition.timeLag().map(Words::of).orElse(NOT_KNOWN)),
            text("STATUS", partition -> partition.status().kind().name()),
            new Column("OWNER", true, false, partition -> partition.owner().orElse(NOT_KNOWN)));

    private final GroupReport report;

    ReportTable(GroupReport report) {
        this.report = report;
    }

    private static Column text(String name, Function<PartitionReport, String> value) {
        return new Column(name, true, true, value);
    }

    private static Column number(String name, Function<PartitionReport, OptionalLong> value) {
        return new Column(name, false, false, partition -> orDash(value.apply(partition)));
    }

    private static String orDash(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : NOT_KNOWN;
    }

    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        lines.add("Group " + report.group()
                + report.state().map(state -> ", " + state).orElse("") + ", "
                + report.status().kind() + ", "
                + report.isolationLevel().toString().toLowerCase(Locale.ROOT) + ", "
                + report.takenAtText());
        if (report.partitions().isEmpty()) {
            lines.add(report.status().evidence());
        } else {
            lines.addAll(rows());
            lines.add("Lags are distances of offsets: at most so many records. " + NOT_KNOWN + " is not known.");
        }
        report.partitions().forEach(partition -> lines.addAll(remarks(partition)));
        return String.join("\n", lines) + "\n";
    }

    private List<String> rows() {
        List<List<String>> cells = new ArrayList<>();
        List<Column> columns = COLUMNS.stream()
                .filter(column -> column.always
                        || report.partitions().stream()
                                .anyMatch(partition ->
                                        !column.value.apply(partition).equals(NOT_KNOWN)))
                .toList();
        cells.add(columns.stream().map(Column::name).toList());
        report.partitions()
                .forEach(partition -> cells.add(columns.stream()
                        .map(column -> column.value.apply(partition))
                        .toList()));
        int[] widths = new int[columns.size()];
        for (List<String> row : cells) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return cells.stream().map(row -> line(row, columns, widths)).toList();
    }

    private static String line(List<String> row, List<Column> columns, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String padding = " ".repeat(widths[i] - row.get(i).length());
            line.append(i == 0 ? "" : GAP);
            line.append(columns.get(i).alignedLeft ? row.get(i) + padding : padding + row.get(i));
        }
        return line.toString().stripTrailing();
    }

    /** What somebody should know of a partition, and what can be done. */
    private List<String> remarks(PartitionReport partition) {
        PartitionStatus status = partition.status();
        if (status.kind().compareTo(PartitionStatus.Kind.UNKNOWN) > 0) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(partition.topicPartition() + " " + status.kind() + ": " + status.evidence() + ".");
        worker(status).ifPresent(worker -> {
            String stack = worker.stack().stream()
                    .limit(STACK_LINES)
                    .map(frame -> "\n      at " + frame)
                    .collect(Collectors.joining());
            lines.add("  Its work was started by thread " + worker.thread()
                    + (stack.isEmpty() ? ", which has ended." : ", which is now here:" + stack));
        });
        lines.addAll(Advice.on(report.group(), partition).stream()
                .map(line -> "  " + line)
                .toList());
        return lines;
    }

    private static Optional<Worker> worker(PartitionStatus status) {
        if (status instanceof Blocked blocked) {
            return blocked.worker();
        }
        return status instanceof Stalled stalled ? stalled.worker() : Optional.empty();
    }
}
