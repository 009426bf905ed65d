package dev.offsets;

import static dev.offsets.EightStates.EIGHT;
import static dev.offsets.EightStates.IN_EACH;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The records of a stretch of offsets, one state byte for each. A dense segment has a byte for every offset, delivered or
 * not; a sparse one has bytes for the records alone, and notes the offset of each.
 */
/*
 * The owner thread writes DELIVERED once per byte (setRelease) before it hands the record out. From then on the byte
 * moves only by compare-and-exchange, from an open state to the next:
 *
 *     HOLE -> DELIVERED <-> STARTED
 *             DELIVERED or STARTED -> FINISHED or FAILED
 *
 * so of any number of reports for one record exactly one wins. A segment is never reused for other offsets: a report
 * that comes late meets its own record or nothing.
 *
 * A byte, not a bit: a byte's compare-and-exchange does not retry because of a neighbour, and there is room for states.
 * Two of its bits say what a scan asks, so that eight states are asked at once: capacities are multiples of eight.
 */
final class Segment {
    private static final byte INCOMPLETE_BIT = 1;
    private static final byte FINISHED_BIT = 2;
    private static final byte STARTED_BIT = 4;
    private static final byte FAILED_BIT = 8;

    /** No delivered record stands at this offset. */
    static final byte HOLE = 0;

    /** Delivered, no outcome reported. */
    static final byte DELIVERED = INCOMPLETE_BIT;

    /** Delivered and started by {@code tryStart}, no outcome reported. */
    static final byte STARTED = INCOMPLETE_BIT | STARTED_BIT;

    /** Completed or skipped. */
    static final byte FINISHED = FINISHED_BIT;

    /** Failed: an outcome was reported, and the record stays incomplete. */
    static final byte FAILED = INCOMPLETE_BIT | FAILED_BIT;

    private static final long EIGHT_INCOMPLETE = INCOMPLETE_BIT * IN_EACH;
    private static final long EIGHT_FINISHED = FINISHED_BIT * IN_EACH;
    private static final int EIGHT_BITS = 0xFF;

    private static final int NONE = -1;
    private static final long NOT_YET = Long.MAX_VALUE;

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

    /**
     * Of a sparse segment, the offset of each record; NOT_YET where there is none, so that the array is sorted at any
     * time. Null in a dense one. Written by the owner thread before the record's state.
     */
    private final long[] offsets;

    /** Written by the owner thread (setRelease), read by it plainly, by others with getAcquire. */
    private Mark newestMark;

    /** Set by a thread that finished a record here, cleared by the owner before it counts. */
    private volatile boolean finishedSinceCount;

    // The owner thread's own. A segment has few enough records for a short, and there may be many segments.
    /** How many records a sparse segment has; of a dense one nobody asks. */
    private short records;

    /** No record below this index is incomplete. */
    private short passedTo;

    /** Whether the record at this index is incomplete. As of pass(). */
    private boolean blocked;

    private short finishedPassed;
    private short finishedAtCount;
    private short firstIndex;
    private int firstFingerprint = OffsetTracker.NO_FINGERPRINT;
    /** Whether marks have different leader epochs; nearly never, and else none need be looked through for a resume map. */
    private boolean severalEpochs;

    /**
     * From this index on, until the next newer mark: the leader epoch of the records and the time they were tracked.
     */
    private record Mark(int fromIndex, int leaderEpoch, long trackedAtNanos, Mark older) {
        /** For a mark that has all records which have not been passed behind it: nobody asks for those before it any more. */
        Mark asTheOldest() {
            return older == null ? this : new Mark(fromIndex, leaderEpoch, trackedAtNanos, null);
        }
    }

    private Segment(long firstOffset, int capacity, long[] offsets) {
        this.firstOffset = firstOffset;
        this.states = new byte[capacity];
        this.offsets = offsets;
    }

    /** For the records of so many offsets in a row: a multiple of eight, that a short can count. */
    static Segment dense(long firstOffset, int offsets) {
        return new Segment(firstOffset, offsets, null);
    }

    /** For so many records, wherever they stand: a multiple of eight, that a short can count. */
    static Segment sparse(long firstOffset, int records) {
        long[] offsets = new long[records];
        Arrays.fill(offsets, NOT_YET);
        return new Segment(firstOffset, records, offsets);
    }

    int capacity() {
        return states.length;
    }

    boolean isSparse() {
        return offsets != null;
    }

    /** Owner thread: whether a record above all others fits in. */
    boolean hasRoomFor(long offset) {
        return offsets == null ? offset - firstOffset < states.length : records < states.length;
    }

    /** Owner thread: from this record on, which is about to be delivered, the leader epoch and the time are these. */
    void mark(long offset, int leaderEpoch, int fingerprint, long nowNanos, long resolutionNanos) {
        Mark mark = newestMark;
        int index = nextIndex(offset);
        if (mark == null) {
            firstIndex = (short) index;
            firstFingerprint = fingerprint;
        } else if (mark.leaderEpoch == leaderEpoch && nowNanos - mark.trackedAtNanos < resolutionNanos) {
            return;
        } else {
            severalEpochs |= mark.leaderEpoch != leaderEpoch;
        }
        Mark older = mark == null || mark.fromIndex > passedTo ? mark : mark.asTheOldest();
        NEWEST_MARK.setRelease(this, new Mark(index, leaderEpoch, nowNanos, older));
    }

    /** Owner thread: a record above all others, for which there is room, is about to be handed out. */
    void deliver(long offset) {
        int index = nextIndex(offset);
        if (offsets != null) {
            offsets[index] = offset;
            records++;
        }
        setDelivered(index);
    }

    /**
     * Owner thread: the same in a dense segment, for a record that needs no mark of its own. Answers false if there is no
     * room for it.
     */
    boolean tryDeliver(long offset) {
        long index = offset - firstOffset;
        if (index >= states.length) {
            return false;
        }
        setDelivered((int) index);
        return true;
    }

    private void setDelivered(int index) {
        // Pairs with the compare-and-exchange in report(): who sees the record as delivered sees its mark and its
        // offset.
        STATE.setRelease(states, index, DELIVERED);
    }

    private int nextIndex(long offset) {
        return offsets == null ? (int) (offset - firstOffset) : records;
    }

    /** Any thread: reports an outcome. Answers whether it was the first for this record. */
    boolean report(long offset, byte outcome) {
        int index = index(offset);
        if (index == NONE) {
            return false;
        }
        byte expected = DELIVERED;
        while (true) {
            // Volatile semantics. What the worker did before it is visible to the owner: see pass().
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
        int index = index(offset);
        return index != NONE && STATE.compareAndSet(states, index, DELIVERED, STARTED);
    }

    /** Any thread: takes a start back. Answers false if there is none, or an outcome has been reported meanwhile. */
    boolean takeBackStart(long offset) {
        int index = index(offset);
        return index != NONE && STATE.compareAndSet(states, index, STARTED, DELIVERED);
    }

    /**
     * The state of an index. Volatile, so that the owner's read after it has refused starts and a worker's start can't
     * miss one another.
     */
    byte state(int index) {
        return (byte) STATE.getVolatile(states, index);
    }

    /**
     * Owner thread: moves on over what has finished, and answers how many records that is. The states are read plainly:
     * what was read as finished, or as a hole below the position, is final, and whoever publishes where this has come to
     * does so after an acquire fence, which pairs with the compare-and-exchange in report().
     */
    int pass(long position) {
        int end = offsets == null ? indexOfPosition(position) : records;
        int finished = 0;
        int index = passedTo;
        while (index < end) {
            long eight = eightFrom(index);
            long incomplete = eight & EIGHT_INCOMPLETE;
            if (incomplete != 0) {
                int bitsBelow = Long.numberOfTrailingZeros(incomplete);
                finished += Long.bitCount(eight & EIGHT_FINISHED & ~(-1L << bitsBelow));
                index += bitsBelow / Byte.SIZE;
                break;
            }
            finished += Long.bitCount(eight & EIGHT_FINISHED);
            index += EIGHT - index % EIGHT;
        }
        passedTo = (short) Math.min(index, end);
        finishedPassed += (short) finished;
        blocked = passedTo < end;
        return finished;
    }

    /** The position is below the first offset when there was no memory left to track the first record. */
    private int indexOfPosition(long position) {
        return (int) Math.max(0, Math.min(position - firstOffset, states.length));
    }

    /** The states from an index on to the next that is a multiple of eight; above them zeros, as of holes. */
    private long eightFrom(int index) {
        int before = index % EIGHT;
        return EightStates.read(states, index - before) >>> before * Byte.SIZE;
    }

    /** Owner thread: whether an incomplete record holds {@link #pass} back. */
    boolean isBlocked() {
        return blocked;
    }

    /** Owner thread: where the record stands that holds {@link #pass} back. */
    long blockedAt() {
        return offset(passedTo);
    }

    /** Owner thread. */
    long firstRecord() {
        return offset(firstIndex);
    }

    /**
     * Owner thread: how many finished records have not been passed. Counts again only if something has finished since: a
     * report that finds the flag set was made before the flag is cleared here, and so before the count.
     */
    int completedAhead() {
        // More passed than counted: a worker has finished a record, the owner has passed it, the flag is yet to be set.
        if (finishedSinceCount || finishedPassed > finishedAtCount) {
            finishedSinceCount = false;
            // None of the reads below may come before this write: docs/concurrency.md, 8.
            VarHandle.fullFence();
            int finished = finishedPassed;
            for (int index = passedTo; index < states.length; index += EIGHT - index % EIGHT) {
                finished += Long.bitCount(eightFrom(index) & EIGHT_FINISHED);
            }
            finishedAtCount = (short) finished;
        }
        return finishedAtCount - finishedPassed;
    }

    /** Owner thread: adds what has finished, and the first record as an anchor. */
    void addFinished(ResumeMapBuilder map) {
        if (newestMark == null) {
            return; // There was no memory left to track the first record.
        }
        if (firstFingerprint != OffsetTracker.NO_FINGERPRINT) {
            map.add(new ResumeMap.Anchor(firstRecord(), firstFingerprint));
        }
        for (EpochSpan span : epochSpans()) {
            if (span.leaderEpoch != OffsetTracker.NO_EPOCH) {
                addFinished(span.fromIndex, span.toIndex, span.leaderEpoch, map);
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
        if (offsets != null) {
            addRecords(fromIndex, toIndex, leaderEpoch, map);
        } else if (finishedAtCount == states.length) {
            // An old count will do: it only grows.
            map.add(firstOffset + fromIndex, firstOffset + toIndex, leaderEpoch);
        } else {
            addRuns(fromIndex, toIndex, leaderEpoch, map);
        }
    }

    private void addRecords(int fromIndex, int toIndex, int leaderEpoch, ResumeMapBuilder map) {
        for (int index = fromIndex; index < toIndex; index++) {
            if (states[index] == FINISHED) {
                map.add(offset(index), offset(index) + 1, leaderEpoch);
            }
        }
    }

    private void addRuns(int fromIndex, int toIndex, int leaderEpoch, ResumeMapBuilder map) {
        int runStart = NONE;
        for (int index = fromIndex; index < toIndex; index += EIGHT) {
            int finished = toIndex - index < EIGHT ? finishedOfRest(index, toIndex) : finishedOfEight(index);
            // One bit for each state that differs from the one before it.
            int changes = (finished ^ (finished << 1 | (runStart == NONE ? 0 : 1))) & EIGHT_BITS;
            for (; changes != 0; changes &= changes - 1) {
                int changesAt = index + Integer.numberOfTrailingZeros(changes);
                if (runStart == NONE) {
                    runStart = changesAt;
                } else {
                    map.add(firstOffset + runStart, firstOffset + changesAt, leaderEpoch);
                    runStart = NONE;
                }
            }
        }
        if (runStart != NONE) {
            map.add(firstOffset + runStart, firstOffset + toIndex, leaderEpoch);
        }
    }

    /**
     * One bit for each of eight states, the lowest for the first: whether it is FINISHED. A plain read is enough: a
     * record that is seen finished has finished, and stays so.
     */
    private int finishedOfEight(int index) {
        long finished = (EightStates.read(states, index) & EIGHT_FINISHED) / FINISHED_BIT;
        // The product gathers the eight bits in its highest byte.
        return (int) (finished * 0x0102040810204080L >>> Long.SIZE - Byte.SIZE);
    }

    private int finishedOfRest(int index, int toIndex) {
        int finished = 0;
        for (int i = index; i < toIndex; i++) {
            finished |= (states[i] == FINISHED ? 1 : 0) << i - index;
        }
        return finished;
    }

    /** Owner thread: of a record that has not been passed. */
    int leaderEpoch(long offset) {
        return markOf(offset).leaderEpoch;
    }

    /** Any thread; of a record that has been passed meanwhile perhaps a later one's. */
    long trackedAtNanos(long offset) {
        return markOf(offset).trackedAtNanos;
    }

    /** For a reader whose record has been passed meanwhile, it may be the mark of a record above. */
    private Mark markOf(long offset) {
        int index = index(offset);
        Mark mark = (Mark) NEWEST_MARK.getAcquire(this);
        while (mark.fromIndex > index && mark.older != null) {
            mark = mark.older;
        }
        return mark;
    }

    /** Where an offset's state is, or NONE. Any thread; for a sparse segment's records, one that knows of their delivery. */
    int index(long offset) {
        if (offsets == null) {
            return offset >= firstOffset && offset - firstOffset < states.length ? (int) (offset - firstOffset) : NONE;
        }
        return offset == NOT_YET ? NONE : Math.max(NONE, Arrays.binarySearch(offsets, offset));
    }

    /** The offset of an index; in a sparse segment, of one whose state has been read and is no hole. Any thread. */
    long offset(int index) {
        return offsets == null ? firstOffset + index : offsets[index];
    }
}
