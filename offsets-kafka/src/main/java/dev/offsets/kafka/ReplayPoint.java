package dev.offsets.kafka;

import java.time.Duration;
import java.time.Instant;

/**
 * A place in a log as somebody asks for it: where to go on reading, or where a range begins or ends. Which offset that is in
 * each partition is found out when a {@link ReplayPlan} or a {@link ReplayRange} is made. Values; immutable.
 */
public sealed interface ReplayPoint {
    /** The record at an offset. What lies outside of the log is clamped to it. */
    static ReplayPoint offset(long offset) {
        return new Offset(offset);
    }

    /** The first record that is retained. */
    static ReplayPoint earliest() {
        return new Earliest();
    }

    /** The end of the log, by the isolation level: what is written from now on. */
    static ReplayPoint latest() {
        return new Latest();
    }

    /**
     * The first record whose timestamp is at or after a moment; the end of the log where there is none. Timestamps need not
     * ascend: records behind it may be older.
     */
    static ReplayPoint timestamp(Instant moment) {
        return new Timestamp(moment);
    }

    /**
     * As {@link #timestamp}, so long before the plan is made, by this machine's clock.
     *
     * @param duration zero or more; what reaches back beyond 1970 is cut to that
     */
    static ReplayPoint ago(Duration duration) {
        return new Ago(duration);
    }

    /** Where the group would go on: what it has committed. */
    static ReplayPoint committed() {
        return new Committed();
    }

    /** So many offsets on from what the group has committed; negative for back. */
    static ReplayPoint shiftedBy(long offsets) {
        return new Shifted(offsets);
    }

    /**
     * Right behind one record, the next that the group would read: to skip that one, and nothing else. Refused where the
     * group would read others first, or has passed it.
     *
     * @param offset of the record to skip; zero or more
     */
    static ReplayPoint past(long offset) {
        return new Past(offset);
    }

    /** See {@link #offset}. */
    record Offset(long offset) implements ReplayPoint {
        @Override
        public String toString() {
            return "offset " + offset;
        }
    }

    /** See {@link #earliest}. */
    record Earliest() implements ReplayPoint {
        @Override
        public String toString() {
            return "earliest";
        }
    }

    /** See {@link #latest}. */
    record Latest() implements ReplayPoint {
        @Override
        public String toString() {
            return "latest";
        }
    }

    /** See {@link #timestamp}. */
    record Timestamp(Instant moment) implements ReplayPoint {
        public Timestamp {
            if (moment == null) {
                throw new IllegalArgumentException("timestamp is null: give a moment, or use earliest()");
            }
        }

        /** Since the epoch; what does not fit is the nearest that does. */
        long millis() {
            try {
                return moment.toEpochMilli();
            } catch (ArithmeticException e) {
                return moment.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
            }
        }

        @Override
        public String toString() {
            return moment.toString();
        }
    }

    /** See {@link #ago}. */
    record Ago(Duration duration) implements ReplayPoint {
        public Ago {
            if (duration == null || duration.isNegative()) {
                throw new IllegalArgumentException("ago is " + duration + ": it must be zero or more");
            }
        }

        /** Since the epoch; what does not fit is the nearest that does. */
        long millis(long nowMillis) {
            try {
                return LogSpan.saturatedSum(nowMillis, -duration.toMillis());
            } catch (ArithmeticException e) {
                return Long.MIN_VALUE;
            }
        }

        @Override
        public String toString() {
            return Words.of(duration) + " ago";
        }
    }

    /** See {@link #committed}. */
    record Committed() implements ReplayPoint {
        @Override
        public String toString() {
            return "committed";
        }
    }

    /** See {@link #shiftedBy}. */
    record Shifted(long offsets) implements ReplayPoint {
        @Override
        public String toString() {
            return "committed " + (offsets < 0 ? "" : "+") + offsets;
        }
    }

    /** See {@link #past}. */
    record Past(long offset) implements ReplayPoint {
        public Past {
            if (offset < 0) {
                throw new IllegalArgumentException("past is " + offset + ": it must be the offset of a record");
            }
        }

        @Override
        public String toString() {
            return "past " + offset;
        }
    }
}
