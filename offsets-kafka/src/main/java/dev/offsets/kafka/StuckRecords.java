package dev.offsets.kafka;

import java.time.Duration;
import org.apache.kafka.common.TopicPartition;

/** Finds a record that has held its partition back for too long, where the user has set a limit. For the loop thread. */
final class StuckRecords {
    private final Ownership ownership;
    private final Backpressure backpressure;
    private final Duration limit;

    /** @param limit null for none */
    StuckRecords(Ownership ownership, Backpressure backpressure, Duration limit) {
        this.ownership = ownership;
        this.backpressure = backpressure;
        this.limit = limit;
    }

    /** The first record found to be stuck; null when none is. */
    RecordStuckException current() {
        if (limit == null) {
            return null;
        }
        for (OwnedPartition partition : ownership.all()) {
            // A partition that was stopped on purpose is to let the others go on.
            if (partition.recordsHeld() > 0 && !backpressure.isStopped(partition.topicPartition)) {
                Duration heldBack = partition.heldBackFor();
                if (heldBack.compareTo(limit) >= 0) {
                    TopicPartition topicPartition = partition.topicPartition;
                    return new RecordStuckException(
                            topicPartition, partition.tracker().committableOffset(), heldBack, limit);
                }
            }
        }
        return null;
    }
}
