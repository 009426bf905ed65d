package dev.offsets;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The segments that still hold something, in ascending order of their offsets.
 */
/*
 * Each segment stands in as many slots, side by side, as it has pages of offsets; a sparse one in a single slot. While one
 * page follows the other, the slot of an offset is therefore known without a search. Behind a gap of more than a page, or
 * sparse segments, it has to be searched for.
 *
 * The array has room for more at its end (null until taken), so that it is not copied for each segment; it only ever gains
 * segments, and is replaced when it is full or when the first ones are dropped. Replaced segments are left to the garbage
 * collector, never reused.
 */
final class Segments {
    private static final Segment[] NONE = {};
    /** Not the same array: who sees it knows that the incarnation has ended, and that there is nothing to report to. */
    private static final Segment[] ENDED = {};

    /** Enough for a partition with little in flight. Each new array has room for half as many again as it takes. */
    private static final int FEWEST_SLOTS = 4;

    /**
     * Segments that have been passed are dropped when they are one in so many: all at once with little in flight; with
     * millions, an array of thousands of slots is not copied for each.
     */
    private static final int DROPPED_AT_ONCE = 8;

    /** The smallest dense segment has half a kilobyte of states: what a partition with little to do keeps for them. */
    private static final int PAGE_BITS = 9;

    private static final int PAGE = 1 << PAGE_BITS;

    /**
     * Offsets in the largest dense segment. What one slow record keeps is a segment, so it is to be small beside what is in
     * flight; what a segment costs by itself (some 150 bytes, with its slots and a mark) is to be small beside its states. In
     * larger ones, of 32,768, ten million records in flight completed no faster; and a segment counts with shorts.
     */
    private static final int LARGEST_DENSE = 8 * PAGE;

    /**
     * Records in a sparse segment: enough that its own hundred bytes and more are few for each; not more, since what
     * comes after it is dense, where it is, and is found by search until this one has been passed.
     */
    private static final int SPARSE_RECORDS = 32;

    /**
     * After a segment with fewer records than one in so many offsets, up to the next record, comes a sparse one. There a
     * record takes some thirteen bytes, with its share of the segment; in a dense one a byte for each offset up to the next.
     */
    private static final int SPARSE = 16;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Segment[].class);
    private static final VarHandle SLOTS;

    static {
        try {
            SLOTS = MethodHandles.lookup().findVarHandle(Segments.class, "slots", Segment[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Written by the owner thread with setRelease, the array's elements too; read by it plainly, by others with
    // getAcquire.
    private Segment[] slots = NONE;

    /** Where the first slot begins. Others read it plainly, perhaps of another array than theirs: it serves to guess. */
    private long base;

    // The owner thread's own.
    private Segment newest;
    private long recordsTrackedBeforeNewest;
    private int slotsTaken;
    /** The first slot of a segment that has not been passed as a whole. */
    private int firstLive;

    private long recordsPassed;

    /**
     * The segment that has an offset, if one has; or else another, or null. Any thread, for a record whose delivery it knows
     * of.
     */
    Segment find(long offset) {
        Segment[] live = (Segment[]) SLOTS.getAcquire(this);
        long guess = offset - base >>> PAGE_BITS; // far too large for an offset below the base
        if (guess < live.length) {
            Segment segment = (Segment) SLOT.getAcquire(live, (int) guess);
            if (segment != null && segment.index(offset) >= 0) {
                return segment;
            }
        }
        return search(live, offset);
    }

    /** The last segment that begins at or below an offset; null when there is none. */
    private static Segment search(Segment[] live, long offset) {
        Segment found = null;
        int low = 0;
        int high = live.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Segment segment = (Segment) SLOT.getAcquire(live, middle);
            if (segment != null && segment.firstOffset <= offset) {
                found = segment;
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return found;
    }

    /** Whether {@link #end} has been called. Any thread. */
    boolean haveEnded() {
        return SLOTS.getAcquire(this) == ENDED;
    }

    /** The segments of one moment: {@link Look#next} until it is null. Any thread. */
    Look look() {
        return new Look((Segment[]) SLOTS.getAcquire(this));
    }

    static final class Look {
        private final Segment[] live;
        private int slot;

        private Look(Segment[] live) {
            this.live = live;
        }

        /** Whether {@link #end} had been called. There is no segment then. */
        boolean isOfEnded() {
            return live == ENDED;
        }

        /** The next segment, in ascending order; null when there is no more. */
        Segment next() {
            Segment next = slot < live.length ? (Segment) SLOT.getAcquire(live, slot) : null;
            slot += next == null ? 0 : slotsOf(next);
            return next;
        }
    }

    /** Owner thread: the segment for a record above all others, a new one if need be. */
    Segment forNext(long offset, long recordsTracked, long recordsHeld) {
        if (newest != null && newest.hasRoomFor(offset)) {
            return newest;
        }
        Segment segment = isSparse(offset, recordsTracked - recordsTrackedBeforeNewest)
                ? Segment.sparse(offset, SPARSE_RECORDS)
                : Segment.dense(denseFrom(offset), denseCapacity(recordsHeld));
        int slotsThen = slotsTaken + slotsOf(segment);
        if (slotsTaken == 0) {
            base = segment.firstOffset;
        }
        if (slotsThen > slots.length) {
            SLOTS.setRelease(this, Arrays.copyOf(slots, withRoom(slotsThen)));
        }
        while (slotsTaken < slotsThen) {
            SLOT.setRelease(slots, slotsTaken++, segment);
        }
        newest = segment;
        recordsTrackedBeforeNewest = recordsTracked;
        return segment;
    }

    private boolean isSparse(long offset, long recordsInNewest) {
        return newest != null && (offset - newest.firstRecord()) / SPARSE > recordsInNewest;
    }

    /** Whole pages behind a dense segment, so that slots can be told from offsets; or else the offset itself. */
    private long denseFrom(long offset) {
        return newest == null || newest.isSparse() ? offset : offset - (offset - newest.firstOffset) % PAGE;
    }

    /** Grows with the records held, step by step. */
    private int denseCapacity(long recordsHeld) {
        long wanted = newest == null ? PAGE : Math.min(recordsHeld, 2L * newest.capacity());
        return (int) Math.min(LARGEST_DENSE, Math.max(PAGE, Long.highestOneBit(wanted)));
    }

    private static int slotsOf(Segment segment) {
        return Math.max(1, segment.capacity() >> PAGE_BITS);
    }

    /**
     * Owner thread: moves on over what has finished, and drops the segments that hold nothing any more. A small one that is
     * the newest is kept, to be filled up: with little in flight, each call comes when all has finished, and would leave the
     * next record to a segment of its own.
     */
    void pass(long position) {
        while (firstLive < slotsTaken) {
            Segment segment = slots[firstLive];
            recordsPassed += segment.pass(position);
            if (segment.isBlocked() || segment == newest && segment.capacity() <= PAGE) {
                break;
            }
            firstLive += slotsOf(segment);
        }
        // Pairs with the compare-and-exchange of the reports whose states were read.
        VarHandle.acquireFence();
        if (firstLive > 0 && firstLive >= slotsTaken / DROPPED_AT_ONCE) {
            drop();
        }
    }

    /** Owner thread: how many finished records have been passed, since the start. */
    long recordsPassed() {
        return recordsPassed;
    }

    private void drop() {
        int slotsLeft = slotsTaken - firstLive;
        if (slotsLeft == 0) {
            newest = null;
            SLOTS.setRelease(this, NONE);
        } else {
            // First of all: where there is no memory for it, all stays as it was, and the next call drops them.
            Segment[] left = Arrays.copyOfRange(slots, firstLive, firstLive + withRoom(slotsLeft));
            base = left[0].firstOffset;
            SLOTS.setRelease(this, left);
        }
        slotsTaken = slotsLeft;
        firstLive = 0;
    }

    private static int withRoom(int slots) {
        return Math.max(FEWEST_SLOTS, slots + slots / 2);
    }

    /** Owner thread: lets all go, for good. */
    void end() {
        slotsTaken = 0;
        firstLive = 0;
        newest = null;
        SLOTS.setRelease(this, ENDED);
    }

    /** Owner thread: where the lowest record stands that is incomplete as of the last {@link #pass}; or else the position. */
    long lowestIncomplete(long position) {
        return slotsTaken > 0 && slots[firstLive].isBlocked() ? slots[firstLive].blockedAt() : position;
    }
}
