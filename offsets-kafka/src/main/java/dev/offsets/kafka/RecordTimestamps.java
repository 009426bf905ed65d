package dev.offsets.kafka;

import java.util.OptionalLong;

/**
 * The timestamps of the records of one incarnation that have not been passed yet, to within a tenth of a second. The loop
 * thread writes, any thread reads.
 */
/*
 * A chain of marks from the oldest to the newest: a mark's timestamp holds from its offset on until the next mark. The loop
 * thread appends at one end (the volatile write of newer publishes a mark) and lets go of the other.
 */
final class RecordTimestamps {
    private static final long RESOLUTION_MILLIS = 100;

    private static final class Mark {
        final long fromOffset;
        final long timestamp;
        volatile Mark newer;

        Mark(long fromOffset, long timestamp) {
            this.fromOffset = fromOffset;
            this.timestamp = timestamp;
        }
    }

    private volatile Mark oldest;
    // The loop thread's own.
    private Mark newest;

    /** Loop thread: the timestamp of the next record, in ascending order of offsets; negative when it has none. */
    void note(long offset, long timestamp) {
        Mark last = newest;
        if (last != null && Math.abs(timestamp - last.timestamp) < RESOLUTION_MILLIS) {
            return;
        }
        newest = new Mark(offset, timestamp);
        if (last == null) {
            oldest = newest;
        } else {
            last.newer = newest;
        }
    }

    /** Loop thread: what lies below an offset is not asked for any more. */
    void passed(long offset) {
        Mark before = oldest;
        Mark reached = at(before, offset);
        if (reached != before) {
            oldest = reached;
        }
    }

    /** Any thread: the timestamp of a record that was noted and not passed; empty when it has none. */
    OptionalLong at(long offset) {
        Mark mark = at(oldest, offset);
        return mark == null ? OptionalLong.empty() : Lag.known(mark.timestamp);
    }

    private static Mark at(Mark from, long offset) {
        Mark mark = from;
        Mark next = from == null ? null : from.newer;
        while (next != null && next.fromOffset <= offset) {
            mark = next;
            next = mark.newer;
        }
        return mark;
    }
}
