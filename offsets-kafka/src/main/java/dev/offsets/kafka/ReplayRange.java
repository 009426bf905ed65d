package dev.offsets.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * A part of each of some logs, from one offset up to another: for {@link RangeReplay} to read. Planned first, and looked at.
 *
 * <p>Immutable, and safe for use by any thread.
 *
 * @param parts one for each partition, in the order of their topics and numbers
 */
public record ReplayRange(List<Part> parts) {
    /**
     * A part of one log.
     *
     * @param from the first offset of it
     * @param to the offset after the last one of it
     */
    public record Part(TopicPartition topicPartition, ResolvedPoint from, ResolvedPoint to) {
        public Part {
            Objects.requireNonNull(topicPartition, "topicPartition");
            Objects.requireNonNull(from, "from");
            Objects.requireNonNull(to, "to");
        }

        /** At most how many records: a distance of offsets. Empty when an end could not be told. */
        public OptionalLong records() {
            return from.offset().isPresent() && to.offset().isPresent()
                    ? OptionalLong.of(
                            Math.max(0, to.offset().getAsLong() - from.offset().getAsLong()))
                    : OptionalLong.empty();
        }
    }

    public ReplayRange {
        parts = parts.stream()
                .sorted(Comparator.comparing(Part::topicPartition, ReplayPlan.IN_ORDER))
                .toList();
    }

    /**
     * The range between offsets that are known already: what a replay that was interrupted has left, for one.
     *
     * @param from the first offset in each partition; zero or more
     * @param to the offset after the last one, for the same partitions
     */
    public static ReplayRange between(Map<TopicPartition, Long> from, Map<TopicPartition, Long> to) {
        if (!from.keySet().equals(to.keySet())) {
            throw new IllegalArgumentException("from is of " + from.keySet() + " and to of " + to.keySet()
                    + ": give both for the same partitions");
        }
        List<Part> parts = new ArrayList<>();
        from.forEach(
                (partition, offset) -> parts.add(new Part(partition, exactly(offset), exactly(to.get(partition)))));
        return new ReplayRange(parts);
    }

    private static ResolvedPoint exactly(long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset " + offset + ": it must be zero or more");
        }
        return ResolvedPoint.at(ReplayPoint.offset(offset), offset);
    }

    /**
     * Finds out which offsets two points are in some partitions. No group is concerned, so that what is committed by one can't
     * be asked for. Nothing blocks; the stage is completed on the Admin's thread, which must not be blocked. A partition of
     * which something can't be told has a point without an offset, with the reason.
     *
     * @param admin the caller's, who closes it
     * @param isolationLevel that of the consumer that is going to read the range
     */
    public static CompletionStage<ReplayRange> request(
            Admin admin,
            Collection<TopicPartition> partitions,
            ReplayPoint from,
            ReplayPoint to,
            IsolationLevel isolationLevel) {
        Objects.requireNonNull(admin, "admin");
        PointLookUp lookUp = new PointLookUp(admin, isolationLevel, Time.SYSTEM);
        return lookUp.resolve(at(partitions, from), Map.of())
                .thenCombine(lookUp.resolve(at(partitions, to), Map.of()), ReplayRange::of);
    }

    private static Map<TopicPartition, ReplayPoint> at(Collection<TopicPartition> partitions, ReplayPoint point) {
        Objects.requireNonNull(point, "point");
        Map<TopicPartition, ReplayPoint> points = new HashMap<>();
        partitions.forEach(partition -> points.put(partition, point));
        return points;
    }

    private static ReplayRange of(
            Map<TopicPartition, PointLookUp.Found> from, Map<TopicPartition, PointLookUp.Found> to) {
        List<Part> parts = new ArrayList<>();
        from.forEach((partition, found) ->
                parts.add(new Part(partition, found.point(), to.get(partition).point())));
        return new ReplayRange(parts);
    }

    /** At most how many records of all partitions, of those parts that could be told. */
    public long records() {
        return parts.stream().mapToLong(part -> part.records().orElse(0)).sum();
    }

    /** A table for people: for each partition what was asked for, and what that is. */
    public String toTable() {
        return ReplayTable.of(this);
    }
}
