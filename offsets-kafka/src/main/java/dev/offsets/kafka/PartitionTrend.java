package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.IsolationLevel;

/**
 * Since when one partition of a running consumer is as it is, and how the work that remains has grown. Immutable: each look
 * at the partition makes the next trend of the last one.
 *
 * @param finished changes when anything finishes
 * @param finishedSinceNanos when that last changed, or nothing was in flight
 * @param movedSinceNanos when the position last moved, or there was nothing to read, or something was in flight
 * @param openTransactionSinceNanos since when an open transaction has held back everything that is left to read
 * @param remaining the work that remained, from the oldest to the newest look within the window, and one before
 */
record PartitionTrend(
        Finished finished,
        long finishedSinceNanos,
        long position,
        long movedSinceNanos,
        OptionalLong openTransactionSinceNanos,
        List<Sample> remaining) {
    private static final int SAMPLES_IN_WINDOW = 60;

    /** Whatever finishes moves the committable offset, or else adds to what is completed ahead. */
    record Finished(long committable, long completedAhead) {}

    record Sample(long atNanos, long offsets) {}

    static PartitionTrend beginning(PartitionFacts facts, long now) {
        TrackerStatus status = facts.tracker().orElseThrow();
        PartitionTrend nothing =
                new PartitionTrend(finishedIn(status), now, status.position(), now, OptionalLong.empty(), List.of());
        return nothing.next(facts, now, Duration.ZERO);
    }

    PartitionTrend next(PartitionFacts facts, long now, Duration window) {
        TrackerStatus status = facts.tracker().orElseThrow();
        boolean working = status.incomplete() > 0;
        boolean anyFinished = !working || !finishedIn(status).equals(finished);
        boolean moved = working || status.position() != position || isAtEnd(facts);
        return new PartitionTrend(
                finishedIn(status),
                anyFinished ? now : finishedSinceNanos,
                status.position(),
                moved ? now : movedSinceNanos,
                !isHeldByOpenTransaction(facts)
                        ? OptionalLong.empty()
                        : OptionalLong.of(openTransactionSinceNanos.orElse(now)),
                withSample(facts.workRemaining(), now, Time.saturatedNanos(window)));
    }

    private static Finished finishedIn(TrackerStatus status) {
        return new Finished(status.committableOffset(), status.completedAhead());
    }

    private static boolean isAtEnd(PartitionFacts facts) {
        OptionalLong lag = facts.fetchLag();
        return lag.isPresent() && lag.getAsLong() == 0;
    }

    private static boolean isHeldByOpenTransaction(PartitionFacts facts) {
        OptionalLong stable = facts.bounds().lastStableOffset();
        return facts.isolationLevel() == IsolationLevel.READ_COMMITTED
                && stable.isPresent()
                && stable.equals(facts.position())
                && stable.getAsLong() < facts.bounds().highWatermark().orElse(0);
    }

    private List<Sample> withSample(OptionalLong offsets, long now, long windowNanos) {
        if (offsets.isEmpty()) {
            return remaining;
        }
        boolean tooSoon = !remaining.isEmpty()
                && now - remaining.get(remaining.size() - 1).atNanos < windowNanos / SAMPLES_IN_WINDOW;
        if (tooSoon) {
            return remaining;
        }
        List<Sample> samples = new ArrayList<>(remaining);
        samples.add(new Sample(now, offsets.getAsLong()));
        while (samples.size() > 1 && now - samples.get(1).atNanos >= windowNanos) {
            samples.remove(0);
        }
        return List.copyOf(samples);
    }

    /**
     * How the work that remains has grown over the whole window: when the least of its newer half is above the most of its
     * older half, so that neither a moment nor a number that goes up and down counts as growth.
     */
    Optional<PartitionStatus.FallingBehind> growth(long now, Duration window) {
        long windowNanos = Time.saturatedNanos(window);
        if (remaining.isEmpty() || now - remaining.get(0).atNanos < windowNanos) {
            return Optional.empty();
        }
        long most = Long.MIN_VALUE;
        long least = Long.MAX_VALUE;
        int newer = 0;
        for (Sample sample : remaining) {
            if (now - sample.atNanos >= windowNanos / 2) {
                most = Math.max(most, sample.offsets);
            } else {
                least = Math.min(least, sample.offsets);
                newer++;
            }
        }
        return newer < 2 || least <= most
                ? Optional.empty()
                : Optional.of(new PartitionStatus.FallingBehind(
                        remaining.get(0).offsets, remaining.get(remaining.size() - 1).offsets, window));
    }
}
