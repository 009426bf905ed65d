package dev.offsets;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The records of a stretch of offsets, one state byte for each offset.
 */
/*
 * The owner thread writes DELIVERED once per byte (setRelease) before it hands the record out. From then on the byte
 * moves only by compare-and-exchange, from an open state to the next:
 *
 *     HOLE -> DELIVERED -> (STARTED <->) -> FINISHED | FAILED
 *
 * so of any number of reports for one record exactly one wins. A segment is never reused for other offsets: a report
 * that comes late meets its own record or nothing.
 *
 * A byte, not a bit: a byte's compare-and-exchange does not retry because of a neighbour, and there is room for states.
 */
final class Segment {
    /** No delivered record stands at this offset. */
    static final byte HOLE = 0;

    /** Delivered, no outcome reported. */
    static final byte DELIVERED = 1;

    /** Delivered and started by {@code tryStart}, no outcome reported. */
    static final byte STARTED = 2;

    /** Completed or skipped. */
    static final byte FINISHED = 3;

    /** Failed: an outcome was reported, and the record stays incomplete. */
    static final byte FAILED = 4;

    private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(byte[].class);
    private static final VarHandle NEWEST_MARK;

    static {
        try {
            NEWEST_MARK = MethodHandles.lookup().findVarHandle(Segment.class, "newestMark", Mark.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final long firstOffset;
    private final byte[] states;
    /** Written by the owner thread (setRelease), read by any (getAcquire). */
    @SuppressWarnings("unused")
    private Mark newestMark;

    /** Set by a thread that finished a record here, cleared by the owner before it counts. */
    private volatile boolean finishedSinceCount;
    // The owner thread's own.
    private int finishedAtCount;
    private int passed;

    /**
     * From this index on, until the next newer mark: the leader epoch of the records and the time they were tracked.
     */
    private record Mark(int fromIndex, int leaderEpoch, long trackedAtNanos, Mark older) {}

    Segment(long firstOffset, int capacity) {
        this.firstOffset = firstOffset;
        this.states = new byte[capacity];
    }

    int capacity() {
        return states.length;
    }

    /** The offset after the last one that this segment has room for. */
    long endOffset() {
        return firstOffset + states.length;
    }

    /** Owner thread: a record is about to be handed out. */
    void deliver(long offset, int leaderEpoch, long nowNanos, long markResolutionNanos) {
        int index = index(offset);
        Mark mark = newestMark;
        if (mark == null || mark.leaderEpoch != leaderEpoch || nowNanos - mark.trackedAtNanos >= markResolutionNanos) {
            NEWEST_MARK.setRelease(this, new Mark(index, leaderEpoch, nowNanos, mark));
        }
        // Pairs with the compare-and-exchange in report(): who sees the record as delivered sees its mark too.
        STATE.setRelease(states, index, DELIVERED);
    }

    /** Any thread: reports an outcome. Answers whether it was the first for this record. */
    boolean report(long offset, byte outcome) {
        if (!within(offset)) {
            return false;
        }
        int index = index(offset);
        byte expected = DELIVERED;
        while (true) {
            // Volatile semantics. What the worker did before it is visible to the owner, which reads with getAcquire.
            byte seen = (byte) STATE.compareAndExchange(states, index, expected, outcome);
            if (seen == expected) {
                // Read first: nearly always set already, and a write would take the cache line from other workers.
                if (!finishedSinceCount) {
                    finishedSinceCount = true;
                }
                return true;
            }
            if (seen != DELIVERED && seen != STARTED) {
                return false;
            }
            expected = seen;
        }
    }

    /** Any thread: marks a delivered record as started. Answers false if it was started or its outcome reported before. */
    boolean start(long offset) {
        return within(offset) && STATE.compareAndSet(states, index(offset), DELIVERED, STARTED);
    }

    /** Any thread: takes a start back. Answers false if there is none, or an outcome has been reported meanwhile. */
    boolean takeBackStart(long offset) {
        return within(offset) && STATE.compareAndSet(states, index(offset), STARTED, DELIVERED);
    }

    /**
     * The state of an index. Volatile, so that the owner's read after it has refused starts and a worker's start can't
     * miss one another.
     */
    byte state(int index) {
        return (byte) STATE.getVolatile(states, index);
    }

    /** For the owner thread's scan over what has finished: pairs with the compare-and-exchange in report(). */
    byte stateAcquire(int index) {
        return (byte) STATE.getAcquire(states, index);
    }

    /** Owner thread: so many finished records of this segment are now below the committable offset. */
    void pass(int finished) {
        passed += finished;
    }

    /**
     * Owner thread: how many finished records are not below the committable offset. Counts again only if something has
     * finished since: a report that finds the flag set was made before the flag is cleared here, and so before the count.
     */
    int completedAhead() {
        // More passed than counted: a worker has finished a record, the owner has passed it, the flag is yet to be set.
        if (finishedSinceCount || passed > finishedAtCount) {
            finishedSinceCount = false;
            int finished = 0;
            for (int index = 0; index < states.length; index++) {
                finished += state(index) == FINISHED ? 1 : 0;
            }
            finishedAtCount = finished;
        }
        return finishedAtCount - passed;
    }

    int leaderEpoch(long offset) {
        return markOf(offset).leaderEpoch;
    }

    long trackedAtNanos(long offset) {
        return markOf(offset).trackedAtNanos;
    }

    private Mark markOf(long offset) {
        int index = index(offset);
        Mark mark = (Mark) NEWEST_MARK.getAcquire(this);
        while (mark.fromIndex > index) {
            mark = mark.older;
        }
        return mark;
    }

    private boolean within(long offset) {
        return offset >= firstOffset && offset - firstOffset < states.length;
    }

    private int index(long offset) {
        return (int) (offset - firstOffset);
    }
}
