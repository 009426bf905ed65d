package dev.offsets.kafka;

import java.util.OptionalLong;

/** A log from its first retained offset to its end by an isolation level, and the arithmetic of places in it: it saturates. */
record LogSpan(long start, long end) {
    /** Where a request for an offset leads. */
    ResolvedPoint at(ReplayPoint requested, long offset) {
        if (offset < start) {
            return ResolvedPoint.clamped(requested, start, offset + " is below the log's start");
        }
        if (offset > end) {
            return ResolvedPoint.clamped(requested, end, offset + " is beyond the end");
        }
        return ResolvedPoint.at(requested, offset);
    }

    /** So many offsets on from what is committed. */
    ResolvedPoint shifted(ReplayPoint requested, OptionalLong committed, long offsets) {
        return committed.isEmpty()
                ? ResolvedPoint.unknown(requested, "the group has committed nothing for this partition")
                : at(requested, saturatedSum(committed.getAsLong(), offsets));
    }

    /** Behind one record, if that is the next to be read. */
    ResolvedPoint past(ReplayPoint requested, OptionalLong committed, long offset) {
        if (committed.isEmpty()) {
            return ResolvedPoint.unknown(requested, "the group has committed nothing for this partition");
        }
        long next = Math.max(committed.getAsLong(), start);
        if (next > end) {
            return ResolvedPoint.unknown(
                    requested,
                    "the group has committed " + next + ", which is beyond the end, " + end + ": ask for an offset");
        }
        if (offset < next) {
            return ResolvedPoint.unknown(requested, "the group is past it already: it would go on at " + next);
        }
        if (offset >= end) {
            return ResolvedPoint.unknown(requested, "there is no such record yet: the end is " + end);
        }
        if (offset > next) {
            return ResolvedPoint.unknown(
                    requested,
                    "the group would read " + (offset - next) + " offsets before it, from " + next
                            + " on, and they would be skipped too: if they are to be, ask for offset "
                            + (offset + 1));
        }
        return ResolvedPoint.at(requested, offset + 1);
    }

    /** How many offsets the group would do again that goes on at one instead of what it has committed. */
    long replayed(long target, long committed) {
        return Math.max(0, Math.min(committed, end) - target);
    }

    /** How many offsets of the log the group would not read that goes on at one instead of what it has committed. */
    long skipped(long target, long committed) {
        return Math.max(0, target - Math.max(committed, start));
    }

    static long saturatedSum(long offset, long difference) {
        long sum = offset + difference;
        boolean overflows = ((offset ^ sum) & (difference ^ sum)) < 0;
        return overflows ? (difference < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
    }
}
