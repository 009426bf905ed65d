package dev.offsets.kafka;

import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Worker;
import dev.offsets.kafka.TextTable.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A report as a table for people, with what is wrong below it. */
final class ReportTable {
    private static final int STACK_LINES = 12;

    private static final List<Column<PartitionReport>> COLUMNS = List.of(
            text(
                    "TOPIC",
                    partition -> partition.topicPartition().topic() + (partition.internal() ? " (internal)" : "")),
            new Column<>(
                    "PARTITION",
                    false,
                    true,
                    partition -> String.valueOf(partition.topicPartition().partition())),
            text("STATUS", partition -> partition.status().kind().name()),
            number("LOG-START", PartitionReport::logStart),
            new Column<>("COMMITTED", false, true, partition -> TextTable.orDash(partition.committedOffset())),
            number("COMMITTABLE", PartitionReport::committableOffset),
            number("POSITION", PartitionReport::position),
            number("LAST-STABLE", PartitionReport::lastStableOffset),
            number("HIGH-WATERMARK", PartitionReport::highWatermark),
            new Column<>("COMMIT-LAG", false, true, partition -> TextTable.orDash(partition.commitLag())),
            number("FETCH-LAG", PartitionReport::fetchLag),
            number("INCOMPLETE", PartitionReport::incomplete),
            number("DONE-AHEAD", PartitionReport::completedAhead),
            number("REPLAY", PartitionReport::replayExposure),
            number("REMAINING", PartitionReport::workRemaining),
            new Column<>(
                    "TIME-LAG",
                    false,
                    false,
                    partition -> partition.timeLag().map(Words::of).orElse(TextTable.NOT_KNOWN)),
            new Column<>("OWNER", true, false, partition -> partition.owner().orElse(TextTable.NOT_KNOWN)));

    private static final List<String> FROM_OUTSIDE = List.of(
            "From outside, COMMITTED is the next record to be done; DONE-AHEAD, where a consumer tells of them, had finished"
                    + " beyond it by then.",
            "While COMMITTED does not move and there is a lag, that record holds its partition back. Why, report() in its"
                    + " consumer tells.",
            "To give it up: skip(...) there; or, with all consumers of the group stopped, group-replay --skip"
                    + " TOPIC-PARTITION@COMMITTED.");

    private final GroupReport report;

    ReportTable(GroupReport report) {
        this.report = report;
    }

    private static Column<PartitionReport> text(String name, Function<PartitionReport, String> value) {
        return new Column<>(name, true, true, value);
    }

    private static Column<PartitionReport> number(String name, Function<PartitionReport, OptionalLong> value) {
        return new Column<>(name, false, false, partition -> TextTable.orDash(value.apply(partition)));
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
            lines.addAll(TextTable.lines(COLUMNS, report.partitions()));
            lines.add("Lags are distances of offsets: at most so many records. " + TextTable.NOT_KNOWN
                    + " is not known.");
            if (report.partitions().stream().anyMatch(ReportTable::isBehindFromOutside)) {
                lines.addAll(FROM_OUTSIDE);
            }
        }
        report.partitions().forEach(partition -> lines.addAll(remarks(partition)));
        return String.join("\n", lines) + "\n";
    }

    private static boolean isBehindFromOutside(PartitionReport partition) {
        return partition.position().isEmpty() && partition.commitLag().orElse(0) > 0;
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
