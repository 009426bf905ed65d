package dev.offsets.examples.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/** Shows how far a consumer is: on a terminal as a bar and a table that are drawn again and again, elsewhere as lines. */
final class Progress {
    private static final int BAR_WIDTH = 40;
    private static final long REDRAW_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LINE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Console console;
    private final int total;
    private final IntFunction<Optional<PartitionStatus>> status;
    private int linesDrawn;
    private long shownNanos = System.nanoTime() - LINE_NANOS;

    /**
     * @param total how many records there are to process
     * @param status what the consumer says of a partition
     */
    Progress(Console console, int total, IntFunction<Optional<PartitionStatus>> status) {
        this.console = console;
        this.total = total;
        this.status = status;
    }

    /** Shows where the consumer stands, unless that was done a moment ago. */
    void show(int processed, Map<Integer, GroupOffset> offsets) {
        if (System.nanoTime() - shownNanos >= (console.canRedraw() ? REDRAW_NANOS : LINE_NANOS)) {
            showNow(processed, offsets);
        }
    }

    void showNow(int processed, Map<Integer, GroupOffset> offsets) {
        shownNanos = System.nanoTime();
        if (console.canRedraw()) {
            List<String> lines = frame(processed, offsets);
            console.redraw(linesDrawn, lines);
            linesDrawn = lines.size();
        } else {
            console.step("%s", line(processed, offsets));
        }
    }

    private List<String> frame(int processed, Map<Integer, GroupOffset> offsets) {
        int filled = (int) ((long) BAR_WIDTH * processed / total);
        List<String> lines = new ArrayList<>();
        lines.add("[%s%s] %,d of %,d processed"
                .formatted("#".repeat(filled), "-".repeat(BAR_WIDTH - filled), processed, total));
        lines.add(row("partition", "committed", "end", "position", "incomplete", "done beyond", "held back by"));
        offsets.forEach((partition, offset) -> {
            Optional<PartitionStatus> known = status.apply(partition);
            lines.add(row(
                    partition,
                    orDash(offset.committed()),
                    offset.end(),
                    known.map(each -> Long.toString(each.position())).orElse("-"),
                    known.map(each -> Long.toString(each.incomplete())).orElse("-"),
                    known.map(each -> Long.toString(each.completedAhead())).orElse("-"),
                    known.map(Progress::heldBack).orElse("-")));
        });
        return lines;
    }

    private static String row(Object... cells) {
        return "%9s %9s %9s %9s %10s %11s  %s".formatted(cells);
    }

    private String line(int processed, Map<Integer, GroupOffset> offsets) {
        StringBuilder text = new StringBuilder("%,d of %,d processed; committed".formatted(processed, total));
        offsets.values().forEach(offset -> text.append(' ').append(orDash(offset.committed())));
        offsets.keySet().stream()
                .flatMap(partition -> status.apply(partition).stream())
                .filter(each -> each.completedAhead() > 0)
                .max(Comparator.comparingLong(PartitionStatus::completedAhead))
                .ifPresent(worst -> text.append("; partition %d held back by %s, %d incomplete, %d done beyond"
                        .formatted(worst.partition(), heldBack(worst), worst.incomplete(), worst.completedAhead())));
        return text.toString();
    }

    private static String heldBack(PartitionStatus status) {
        return status.heldBackAt().isEmpty()
                ? "-"
                : "%d for %.1f s".formatted(status.heldBackAt().getAsLong(), status.heldBackMillis() / 1000.0);
    }

    private static String orDash(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : "-";
    }
}
