package dev.offsets.kafka;

import dev.offsets.kafka.ReplayPlan.Move;
import dev.offsets.kafka.ReplayRange.Part;
import dev.offsets.kafka.TextTable.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Plans and ranges as tables for people. */
final class ReplayTable {
    private static final String AT_MOST =
            "Numbers of records are distances of offsets: at most so many. " + TextTable.NOT_KNOWN + " is not known.";

    private static final List<Column<Move>> OF_PLAN = List.of(
            text("TOPIC", move -> move.topicPartition().topic()),
            number("PARTITION", move -> OptionalLong.of(move.topicPartition().partition())),
            number("COMMITTED", Move::committed),
            number("LOG-START", Move::logStart),
            number("END", Move::end),
            text("REQUESTED", move -> move.target().requested().toString()),
            number("TARGET", move -> move.target().offset()),
            number("REPLAYED", Move::replayed),
            number("SKIPPED", Move::skipped),
            remark(move -> Stream.of(move.target())));

    private static final List<Column<Part>> OF_RANGE = List.of(
            text("TOPIC", part -> part.topicPartition().topic()),
            number("PARTITION", part -> OptionalLong.of(part.topicPartition().partition())),
            text("REQUESTED-FROM", part -> part.from().requested().toString()),
            number("FROM", part -> part.from().offset()),
            text("REQUESTED-TO", part -> part.to().requested().toString()),
            number("TO", part -> part.to().offset()),
            number("RECORDS", Part::records),
            remark(part -> Stream.of(part.from(), part.to())));

    private ReplayTable() {}

    private static <R> Column<R> text(String name, Function<R, String> value) {
        return new Column<>(name, true, true, value);
    }

    private static <R> Column<R> number(String name, Function<R, OptionalLong> value) {
        return new Column<>(name, false, true, row -> TextTable.orDash(value.apply(row)));
    }

    private static <R> Column<R> remark(Function<R, Stream<ResolvedPoint>> points) {
        return new Column<>("REMARK", true, false, row -> {
            String remarks = points.apply(row)
                    .map(ReplayTable::remark)
                    .filter(remark -> !remark.isEmpty())
                    .collect(Collectors.joining("; "));
            return remarks.isEmpty() ? TextTable.NOT_KNOWN : remarks;
        });
    }

    private static String remark(ResolvedPoint point) {
        return point.clamped() ? "clamped: " + point.reason() : point.reason();
    }

    static String of(ReplayPlan plan) {
        List<String> lines = new ArrayList<>();
        lines.add("Group " + plan.group() + ", " + plan.state() + ", "
                + plan.isolationLevel().toString().toLowerCase(Locale.ROOT));
        if (plan.moves().isEmpty()) {
            lines.add("It has committed nothing, and owns nothing: there is nothing to move.");
        } else {
            lines.addAll(TextTable.lines(OF_PLAN, plan.moves()));
            lines.add(AT_MOST);
        }
        return String.join("\n", lines) + "\n";
    }

    static String of(ReplayRange range) {
        List<String> lines = new ArrayList<>(TextTable.lines(OF_RANGE, range.parts()));
        lines.add(AT_MOST);
        return String.join("\n", lines) + "\n";
    }
}
