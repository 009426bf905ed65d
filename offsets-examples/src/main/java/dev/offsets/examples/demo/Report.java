package dev.offsets.examples.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The words for a {@link Verdict}. */
final class Report {
    private static final int EXAMPLES = 3;

    private Report() {}

    /** A table in the manner of {@code kafka-consumer-groups --describe}. */
    static List<String> describe(String group, String topic, Map<Integer, GroupOffset> offsets) {
        String format =
                "%-" + Math.max(5, group.length()) + "s  %-" + Math.max(5, topic.length()) + "s  %9s  %14s  %14s  %7s";
        List<String> lines = new ArrayList<>();
        lines.add(format.formatted("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"));
        offsets.forEach((partition, offset) -> lines.add(format.formatted(
                group, topic, partition, orDash(offset.committed()), offset.end(), orDash(offset.lag()))));
        return lines;
    }

    static List<String> of(Verdict verdict) {
        List<String> lines = new ArrayList<>();
        count(lines, "committed records", verdict.expected());
        count(
                lines,
                "processed at least once",
                verdict.expected() - verdict.lost().size());
        count(lines, "lost", verdict.lost().size());
        for (Produced record : verdict.lost().stream().limit(EXAMPLES).toList()) {
            lines.add("  for example " + record);
        }
        if (verdict.lostBehindCommit() > 0) {
            count(lines, "  unfinished, yet committed at the kill", verdict.lostBehindCommit());
        }
        count(lines, "processed twice", verdict.processedTwice());
        count(lines, "  finished beyond the slow record", verdict.beyondSlow());
        count(lines, "  finished, not yet committed at the kill", verdict.notYetCommitted());
        count(lines, "  for another reason", verdict.againForOtherReason());
        count(lines, "processed, though aborted", verdict.aborted());
        if (verdict.unknown() > 0) {
            count(lines, "processed, though never produced", verdict.unknown());
        }
        long atEnd =
                verdict.offsets().values().stream().filter(GroupOffset::isAtEnd).count();
        line(
                lines,
                "committed = end",
                "%d of %d partitions".formatted(atEnd, verdict.offsets().size()));
        line(lines, "lag", verdict.lag());
        if (!verdict.asPlanned()) {
            lines.add("the consumer stopped by itself, or got no further");
        }
        lines.add("");
        lines.add(conclusion(verdict));
        return lines;
    }

    /** What resume maps save, of the same crash. */
    static List<String> compare(Verdict without, Verdict withMaps) {
        String format = "%-42s  %8s  %8s";
        return List.of(
                "",
                format.formatted("resume maps", "without", "with"),
                format.formatted(
                        "processed twice", grouped(without.processedTwice()), grouped(withMaps.processedTwice())),
                format.formatted(
                        "  finished beyond the slow record",
                        grouped(without.beyondSlow()),
                        grouped(withMaps.beyondSlow())),
                format.formatted(
                        "lost",
                        grouped(without.lost().size()),
                        grouped(withMaps.lost().size())));
    }

    private static String grouped(int count) {
        return "%,d".formatted(count);
    }

    private static String conclusion(Verdict verdict) {
        if (verdict.passed()) {
            return "PASSED: every committed record was processed, and every processed record is committed.";
        }
        return verdict.lost().isEmpty()
                ? "FAILED: nothing was lost, but see above."
                : "FAILED: %,d records were lost.".formatted(verdict.lost().size());
    }

    private static void count(List<String> lines, String name, int count) {
        line(lines, name, "%,d".formatted(count));
    }

    private static void line(List<String> lines, String name, String value) {
        lines.add("%-42s  %8s".formatted(name, value));
    }

    private static String orDash(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : "-";
    }
}
