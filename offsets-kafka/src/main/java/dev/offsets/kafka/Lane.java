package dev.offsets.kafka;

import dev.offsets.OffsetTracker;

/**
 * Records of one partition that are worked on one after another, in ascending order of offsets. A lane belongs to the
 * partition, not to an incarnation: what is delivered anew waits for what is still being worked on. Guarded by the lock of
 * the {@link WorkQueue}.
 */
final class Lane {
    enum State {
        /** Holds no record. */
        IDLE,
        /** Its first record may be started; it is among its partition's runnable lanes. */
        RUNNABLE,
        /** Its first records are being worked on. */
        BUSY,
        /** Its first record waits for another attempt. */
        WAITING
    }

    final PartitionLanes partition;

    /** Null for the lane of one record that has no order. */
    final Object key;

    State state = State.IDLE;
    QueuedRecord first;
    private QueuedRecord last;

    /** How many of the first records are being worked on. */
    int running;

    /** The incarnation in which a record of this lane has stopped the consumer. */
    OffsetTracker stoppedIn;

    Lane(PartitionLanes partition, Object key) {
        this.partition = partition;
        this.key = key;
    }

    void append(QueuedRecord record) {
        if (first == null) {
            first = record;
        } else {
            last.next = record;
        }
        last = record;
    }

    /** Drops records that must not be started any more, but for those that are being worked on. Answers how many. */
    /*
     * They come first: a new incarnation begins when the one before has ended, and a stop concerns the whole of one. So this
     * costs nothing where there are none, however long the lane is.
     */
    int dropVoid() {
        QueuedRecord before = null;
        QueuedRecord record = first;
        for (int worked = 0; worked < running; worked++) {
            before = record;
            record = record.next;
        }
        int dropped = 0;
        for (; record != null && record.isVoid(); record = record.next) {
            unlink(before, record);
            dropped++;
        }
        return dropped;
    }

    /** Nobody works on its first records any more: drops those that are not to be tried again. Answers how many are. */
    /*
     * Their starts are taken back here, under the lock: a record that the user skips is either found to be finished now, or
     * found by the user's call to wait.
     */
    int settle() {
        int again = 0;
        QueuedRecord before = null;
        QueuedRecord record = first;
        for (int settled = 0; settled < running; settled++, record = record.next) {
            if (record.fate == QueuedRecord.Fate.AGAIN && record.isReleased()) {
                before = record;
                again++;
            } else {
                unlink(before, record);
            }
        }
        running = 0;
        return again;
    }

    private void unlink(QueuedRecord before, QueuedRecord record) {
        if (before == null) {
            first = record.next;
        } else {
            before.next = record.next;
        }
        if (record == last) {
            last = before;
        }
    }

    /** Whether nothing would be forgotten with it. */
    boolean isDispensable() {
        return state == State.IDLE && (stoppedIn == null || stoppedIn.hasEnded());
    }
}
