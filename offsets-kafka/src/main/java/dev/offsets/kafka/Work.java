package dev.offsets.kafka;

import java.util.List;

/** What one call of a handler is for: a record, or a batch of records of one partition. */
final class Work {
    final List<QueuedRecord> records;

    /** Whether there is more to do than workers do it. */
    final boolean moreWorkersWanted;

    /** When it was begun. */
    final long startedNanos;

    Work(List<QueuedRecord> records, boolean moreWorkersWanted, long startedNanos) {
        this.records = records;
        this.moreWorkersWanted = moreWorkersWanted;
        this.startedNanos = startedNanos;
    }
}
