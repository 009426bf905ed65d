package dev.offsets.benchmarks;

import dev.offsets.OffsetTracker;
import io.confluent.parallelconsumer.offsets.OffsetSimultaneousEncoder;
import java.util.Base64;
import java.util.BitSet;
import java.util.SortedSet;
import java.util.TreeSet;

/** The same finished records as this library and as Confluent's Parallel Consumer hold them. */
final class ResumeSubjects {
    static final long BASE = 1_000_000;
    static final long LOG_ID = 42;
    private static final int LEADER_EPOCH = 3;

    private ResumeSubjects() {}

    static OffsetTracker tracker(BitSet finished) {
        OffsetTracker tracker = OffsetTracker.startingAt(BASE);
        for (int i = 0; i < finished.length(); i++) {
            tracker.track(BASE + i, LEADER_EPOCH);
        }
        finished.stream().forEach(i -> tracker.complete(BASE + i));
        return tracker;
    }

    static SortedSet<Long> incomplete(BitSet finished) {
        SortedSet<Long> incomplete = new TreeSet<>();
        for (int i = finished.nextClearBit(0); i < finished.length(); i = finished.nextClearBit(i + 1)) {
            incomplete.add(BASE + i);
        }
        return incomplete;
    }

    static byte[] encodedByParallelConsumer(SortedSet<Long> incomplete, long highestFinished) {
        try {
            return new OffsetSimultaneousEncoder(BASE, highestFinished, incomplete)
                    .invoke()
                    .packSmallest();
        } catch (Exception e) {
            throw new IllegalStateException("Parallel Consumer could not encode the records", e);
        }
    }

    static String textByParallelConsumer(SortedSet<Long> incomplete, long highestFinished) {
        return Base64.getEncoder().encodeToString(encodedByParallelConsumer(incomplete, highestFinished));
    }
}
