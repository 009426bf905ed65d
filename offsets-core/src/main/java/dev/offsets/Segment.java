package dev.offsets;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

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

    /** Eight states read at once. */
    private static final VarHandle EIGHT_STATES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long EIGHT_FINISHED = FINISHED * 0x0101010101010101L;
    private static final long LOW_BITS = 0x7f7f7f7f7f7f7f7fL;
    private static final int EIGHT_BITS = 0xFF;
    private static final int NO_RUN = -1;

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
    // The owner thread's own. A segment has few enough records for a short, and there may be many segments.
    private short finishedAtCount;
    private short passed;
    private int firstFingerprint = OffsetTracker.NO_FINGERPRINT;
    private boolean severalEpochs;

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
    void deliver(long offset, int leaderEpoch, int fingerprint, long nowNanos, long markResolutionNanos) {
        int index = index(offset);
        Mark mark = newestMark;
        if (index == 0) {
            firstFingerprint = fingerprint;
        }
        severalEpochs |= mark != null && mark.leaderEpoch != leaderEpoch;
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
        passed = (short) (passed + finished);
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
            finishedAtCount = (short) finished;
        }
        return finishedAtCount - passed;
    }

    /** Owner thread: adds what has finished at and above an offset, and the first record as an anchor. */
    void addFinished(long from, ResumeMapBuilder map) {
        if (firstFingerprint != OffsetTracker.NO_FINGERPRINT) {
            map.add(new ResumeMap.Anchor(firstOffset, firstFingerprint));
        }
        int fromIndex = from <= firstOffset ? 0 : (int) Math.min(from - firstOffset, states.length);
        for (EpochSpan span : epochSpans()) {
            if (span.leaderEpoch != OffsetTracker.NO_EPOCH) {
                addFinished(Math.max(fromIndex, span.fromIndex), span.toIndex, span.leaderEpoch, map);
            }
        }
    }

    private record EpochSpan(int fromIndex, int toIndex, int leaderEpoch) {}

    /** In ascending order. */
    private List<EpochSpan> epochSpans() {
        if (!severalEpochs) {
            return List.of(new EpochSpan(0, states.length, newestMark.leaderEpoch));
        }
        List<EpochSpan> spans = new ArrayList<>();
        int toIndex = states.length;
        for (Mark mark = newestMark; mark != null; mark = mark.older) {
            if (mark.older == null || mark.older.leaderEpoch != mark.leaderEpoch) {
                spans.add(new EpochSpan(mark.fromIndex, toIndex, mark.leaderEpoch));
                toIndex = mark.fromIndex;
            }
        }
        Collections.reverse(spans);
        return spans;
    }

    private void addFinished(int fromIndex, int toIndex, int leaderEpoch, ResumeMapBuilder map) {
        int runStart = NO_RUN;
        for (int index = fromIndex; index < toIndex; index += Long.BYTES) {
            int finished = toIndex - index < Long.BYTES ? finishedOfRest(index, toIndex) : finishedOfEight(index);
            int changes = (finished ^ (finished << 1 | (runStart == NO_RUN ? 0 : 1))) & EIGHT_BITS;
            for (; changes != 0; changes &= changes - 1) {
                int changesAt = index + Integer.numberOfTrailingZeros(changes);
                if (runStart == NO_RUN) {
                    runStart = changesAt;
                } else {
                    map.add(firstOffset + runStart, firstOffset + changesAt, leaderEpoch);
                    runStart = NO_RUN;
                }
            }
        }
        if (runStart != NO_RUN) {
            map.add(firstOffset + runStart, firstOffset + toIndex, leaderEpoch);
        }
    }

    /**
     * One bit for each of eight states, the lowest for the first: whether it is FINISHED. A plain read is enough: a
     * record that is seen finished has finished, and stays so.
     */
    private int finishedOfEight(int index) {
        long differences = (long) EIGHT_STATES.get(states, index) ^ EIGHT_FINISHED;
        // The highest bit of each byte that differs anywhere.
        long different = (differences & LOW_BITS) + LOW_BITS | differences | LOW_BITS;
        // The product gathers the eight bits in its highest byte.
        return (int) ((~different >>> 7) * 0x0102040810204080L >>> Long.SIZE - Byte.SIZE);
    }

    private int finishedOfRest(int index, int toIndex) {
        int finished = 0;
        for (int i = index; i < toIndex; i++) {
            finished |= (states[i] == FINISHED ? 1 : 0) << i - index;
        }
        return finished;
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
