package dev.offsets;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Knows which records of one partition have finished, and therefore which offset may be committed: the highest one below
 * which nothing delivered is unfinished. Records may finish in any order and on any thread.
 *
 * <pre>{@code
 * OffsetTracker tracker = OffsetTracker.startingAt(position);
 * tracker.track(offset);                // owner thread, before the record is handed out
 * tracker.complete(offset);             // any thread, in any order
 * long committable = tracker.advance(); // owner thread: the next offset to commit
 * }</pre>
 *
 * <p>Offsets that are never tracked are <i>holes</i> (compacted records, transaction markers, aborted or filtered
 * records): they never hold the committable offset back. {@link #updatePosition} tells the tracker of those that follow
 * the last record.
 *
 * <p>A tracker is one <i>incarnation</i> of a partition. After a seek, or when the partition has been taken away and
 * comes back, {@link #end} the old tracker and start another: what workers still report to the old one is then ignored,
 * and can't be mistaken for work on the records that are delivered anew.
 *
 * <p><b>Threads.</b> {@link #track}, {@link #updatePosition}, {@link #advance}, {@link #commitPoint},
 * {@link #resumeMap},
 * {@link #isResumeMapRefuted}, {@link #mayLeaveOut}, {@link #distrustResumeMap}, {@link #recordsResumed},
 * {@link #confirmCommit}, {@link #refuseStarts}, {@link #end}, {@link #recordsCovered} and {@link #recordsHeld} belong to
 * the owner thread, the one that reads the log; a caller that moves them to another thread must synchronize the move.
 * That is not checked. All other methods may be called from any thread. No method blocks or takes a lock; completing and
 * tracking a record allocate nothing.
 *
 * <p><b>Memory</b> grows with the records in flight and completed ahead, not with the span of their offsets: little more
 * than one byte a record where they are dense, some thirteen where each stands alone, 33 at the worst; and 32 bytes for each
 * millisecond in which records were tracked, if {@link #advance} was called in between.
 */
/*
 * The states of the records are in segments, made as the position moves on, dropped once the committable offset has passed
 * them, several at a time, never reused. See docs/concurrency.md for who reads and writes what.
 */
public final class OffsetTracker {
    private static final long AGE_RESOLUTION_NANOS = 1_000_000;
    static final int NO_EPOCH = -1;
    static final int NO_FINGERPRINT = -1;
    private static final long NOT_COMMITTED = -1;

    private static final VarHandle POSITION;
    private static final VarHandle COMMITTABLE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            POSITION = lookup.findVarHandle(OffsetTracker.class, "position", long.class);
            COMMITTABLE = lookup.findVarHandle(OffsetTracker.class, "committable", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Segments segments = new Segments();
    private final LongSupplier nanoClock;

    // Written by the owner thread with setRelease; read by it plainly, by others with getAcquire.
    private long position;
    private long committable;

    // Written by the owner thread, read by any.
    private volatile long committed = NOT_COMMITTED;
    private volatile boolean startsRefused;

    // The owner thread's own.
    private final ResumedRecords resumed;
    private int positionEpoch = NO_EPOCH;
    /**
     * The dense segment to which a record of the position's epoch goes without more ado, if it has room; null when there is
     * more to ask or to do first: for the resume map, or the time.
     */
    private Segment openSegment;

    private final long firstPosition;
    /** How many offsets from the first position to this one have no record that was handed out. */
    private long holes;

    private long nowNanos;
    /** The clock is read for the first record after each advance(): what is tracked between two of them has one time. */
    private boolean nowIsStale = true;

    private OffsetTracker(ResumeMap map, LongSupplier nanoClock) {
        this.firstPosition = map.base();
        this.position = map.base();
        this.committable = map.base();
        this.resumed = new ResumedRecords(map);
        this.nanoClock = nanoClock;
    }

    /**
     * A tracker for a log that is read from a position on, with the JVM's clock.
     *
     * @param position the next offset to read; zero or more
     * @throws IllegalArgumentException if the position is negative
     */
    public static OffsetTracker startingAt(long position) {
        return startingAt(position, System::nanoTime);
    }

    /**
     * A tracker for a log that is read from a position on, with a clock of the caller's.
     *
     * @param position the next offset to read; zero or more
     * @param nanoClock a monotonic clock in nanoseconds, such as {@link System#nanoTime}; it may be called from any
     *     thread and is read about once for each call of {@link #advance}
     * @throws IllegalArgumentException if the position is negative
     */
    public static OffsetTracker startingAt(long position, LongSupplier nanoClock) {
        Objects.requireNonNull(nanoClock, "nanoClock");
        if (position < 0) {
            throw new IllegalArgumentException(
                    "position is " + position + ": it must be zero or more, the next offset to read");
        }
        return resumingAt(ResumeMap.empty(position), nanoClock);
    }

    /**
     * A tracker for a log that is read on from where a commit left it. What the map says is finished is not handed out
     * again: {@link #track(long, int, long, int)} says so for each record that is shown to be the one which has finished.
     * Such records are no longer held, but stay in {@link #resumeMap} until the committable offset has passed them.
     *
     * @param map what was committed along with the offset; the position is the map's base
     * @param nanoClock a monotonic clock in nanoseconds, as for {@link #startingAt(long, LongSupplier)}
     */
    public static OffsetTracker resumingAt(ResumeMap map, LongSupplier nanoClock) {
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(nanoClock, "nanoClock");
        return new OffsetTracker(map, nanoClock);
    }

    /**
     * Registers a record that is about to be handed out, when its leader epoch is not known. Owner thread; must happen
     * before the record is handed out. Of such a record no resume map tells anything.
     *
     * @param offset the record's offset, at or above the position; the position moves to the offset after it
     * @throws IllegalArgumentException if the offset is below the position, or {@link Long#MAX_VALUE}
     * @throws IllegalStateException if this incarnation has ended
     */
    public void track(long offset) {
        register(offset, NO_EPOCH, NO_FINGERPRINT);
    }

    /**
     * Registers a record that is about to be handed out, unless it is finished already. Owner thread; must happen before
     * the record is handed out.
     *
     * @param offset the record's offset, at or above the position; the position moves to the offset after it
     * @param leaderEpoch the leader epoch of the record; zero or more
     * @return whether to hand the record out: false when this tracker resumed and the record has been finished before
     * @throws IllegalArgumentException if the offset is below the position or {@link Long#MAX_VALUE}, or the leader
     *     epoch is negative
     * @throws IllegalStateException if this incarnation has ended
     */
    public boolean track(long offset, int leaderEpoch) {
        return register(offset, checkEpoch(leaderEpoch), NO_FINGERPRINT);
    }

    /**
     * Registers a record that is about to be handed out, unless it is finished already, and takes note of what tells
     * it from a record of another log at the same offset. Owner thread; must happen before the record is handed out.
     *
     * @param offset the record's offset, at or above the position; the position moves to the offset after it
     * @param leaderEpoch the leader epoch of the record; zero or more
     * @param timestampMillis the record's timestamp
     * @param size the record's size, counted in the same way each time the log is read
     * @return whether to hand the record out: false when this tracker resumed and the record has been finished before
     * @throws IllegalArgumentException if the offset is below the position or {@link Long#MAX_VALUE}, or the leader
     *     epoch is negative
     * @throws IllegalStateException if this incarnation has ended
     */
    public boolean track(long offset, int leaderEpoch, long timestampMillis, int size) {
        return register(offset, checkEpoch(leaderEpoch), ResumeMap.Anchor.fingerprint(timestampMillis, size));
    }

    private boolean register(long offset, int leaderEpoch, int fingerprint) {
        if (isAtOrAbovePosition(offset)
                && openSegment != null
                && leaderEpoch == positionEpoch
                && openSegment.tryDeliver(offset)) {
            moveBehind(offset);
            return true;
        }
        return registerElsewhere(offset, leaderEpoch, fingerprint);
    }

    /** Long.MAX_VALUE, which has no offset after it, is neither: the sum is negative. */
    private boolean isAtOrAbovePosition(long offset) {
        return offset + 1 > position;
    }

    private void moveBehind(long offset) {
        if (offset != position) { // which is rare, and spares the write
            holes += offset - position;
        }
        POSITION.setRelease(this, offset + 1);
    }

    /**
     * The first record after a call of another kind, of another leader epoch, or for which there is no room; each of a sparse
     * segment, and any that the resume map may name. Apart from register(), which is to stay small enough to be inlined
     * where it is called often.
     */
    private boolean registerElsewhere(long offset, int leaderEpoch, int fingerprint) {
        checkLive();
        if (!isAtOrAbovePosition(offset)) {
            throw cannotTrack(offset);
        }
        boolean finishedBefore = resumed.isFinished(offset, leaderEpoch, fingerprint);
        if (finishedBefore) {
            holes++;
        } else {
            deliver(offset, leaderEpoch, fingerprint);
        }
        moveBehind(offset);
        positionEpoch = leaderEpoch;
        return !finishedBefore;
    }

    private void deliver(long offset, int leaderEpoch, int fingerprint) {
        if (nowIsStale) {
            nowNanos = nanoClock.getAsLong();
            nowIsStale = false;
        }
        Segment segment = segments.forNext(offset, recordsTracked(), recordsHeld());
        segment.mark(offset, leaderEpoch, fingerprint, nowNanos, AGE_RESOLUTION_NANOS);
        segment.deliver(offset);
        openSegment = offset >= resumed.end() && !segment.isSparse() ? segment : null;
    }

    /**
     * Tells the tracker how far the log has been read, when the leader epoch of that position is not known. Offsets
     * that were passed without being tracked are holes. Owner thread.
     *
     * @param position the next offset to read, at or above the present position
     * @throws IllegalArgumentException if it is below the present position: the log is being read again, which takes a
     *     new tracker
     * @throws IllegalStateException if this incarnation has ended
     */
    public void updatePosition(long position) {
        movePosition(position, NO_EPOCH);
    }

    /**
     * Tells the tracker how far the log has been read. Offsets that were passed without being tracked are holes. Owner
     * thread.
     *
     * @param position the next offset to read, at or above the present position
     * @param leaderEpoch the leader epoch that belongs to it; zero or more
     * @throws IllegalArgumentException if it is below the present position: the log is being read again, which takes a
     *     new tracker; or if the leader epoch is negative
     * @throws IllegalStateException if this incarnation has ended
     */
    public void updatePosition(long position, int leaderEpoch) {
        movePosition(position, checkEpoch(leaderEpoch));
    }

    private void movePosition(long newPosition, int leaderEpoch) {
        checkLive();
        if (newPosition < position) {
            throw new IllegalArgumentException("position is " + newPosition + ", below the present position " + position
                    + ": when the log is read again, end this tracker and start a new one");
        }
        if (newPosition > position || leaderEpoch != NO_EPOCH) {
            positionEpoch = leaderEpoch;
            openSegment = null;
        }
        holes += newPosition - position;
        POSITION.setRelease(this, newPosition);
    }

    /**
     * Reports that a record has been finished. Any thread; never throws, so that a worker needs no handling for records
     * that were taken away from it.
     *
     * @param offset the record's offset
     * @return whether this was the first outcome reported for a record of this incarnation. It is
     *     {@link Receipt#IGNORED} for any offset that was not tracked, and for all after {@link #end}
     */
    public Receipt complete(long offset) {
        return report(offset, Segment.FINISHED);
    }

    /**
     * Reports that a record has failed. It stays incomplete and holds the committable offset back; a later report for it
     * is ignored. Any thread; never throws.
     *
     * @param offset the record's offset
     * @return whether this was the first outcome reported for a record of this incarnation
     */
    public Receipt fail(long offset) {
        return report(offset, Segment.FAILED);
    }

    private Receipt report(long offset, byte outcome) {
        Segment segment = segments.find(offset);
        return segment != null && segment.report(offset, outcome) ? Receipt.ACCEPTED : Receipt.IGNORED;
    }

    /**
     * Claims a record before work on it begins, for callers that queue records and want those which were not started to
     * be left alone when the partition is taken away. Any thread; never throws.
     *
     * @param offset the record's offset
     * @return true for exactly one caller, which should do the work; false if the record was started or its outcome
     *     reported before, if {@link #refuseStarts} has been called, or if the incarnation has ended
     */
    public boolean tryStart(long offset) {
        Segment segment = segments.find(offset);
        if (segment == null || startsRefused || !segment.start(offset)) {
            return false;
        }
        // Either this read sees the refusal, or the owner, which refuses first and counts afterwards, counts this
        // start: the start, this read, the refusal and the count are all volatile.
        if (startsRefused) {
            segment.takeBackStart(offset);
            return false;
        }
        return true;
    }

    /**
     * Takes a start back, for work that is to be tried again later: the record counts as delivered and not started again, so
     * that it is not waited for meanwhile, and can be claimed anew unless starts are refused. To be called by whoever
     * {@linkplain #tryStart claimed} the record, when it does not work on it any more. Any thread; never throws.
     *
     * @param offset the record's offset
     * @return {@link Receipt#IGNORED}, and nothing changes, if the record is not started, its outcome was reported before,
     *     or the incarnation has ended
     */
    public Receipt release(long offset) {
        Segment segment = segments.find(offset);
        return segment != null && segment.takeBackStart(offset) ? Receipt.ACCEPTED : Receipt.IGNORED;
    }

    /**
     * Lets no further record be started: the first step when a partition is taken away. Records that have been started
     * are not affected. Owner thread.
     */
    public void refuseStarts() {
        startsRefused = true;
    }

    /**
     * Moves the committable offset over all that has finished since the last call, and publishes it. Owner thread. Costs
     * in proportion to the records passed, and next to nothing while the lowest record is incomplete.
     *
     * @return the committable offset: the lowest incomplete offset, or the position when nothing is incomplete. It never
     *     decreases
     */
    public long advance() {
        nowIsStale = true;
        openSegment = null;
        segments.pass(position);
        long next = hasEnded() ? committable : segments.lowestIncomplete(position);
        if (next != committable) {
            COMMITTABLE.setRelease(this, next);
            resumed.passed(next);
        }
        return next;
    }

    /**
     * What to commit now: {@link #advance} with the leader epoch that belongs to the offset. Owner thread.
     */
    public CommitPoint commitPoint() {
        long offset = advance();
        int leaderEpoch = NO_EPOCH;
        if (offset == position) {
            leaderEpoch = positionEpoch;
        } else if (!hasEnded()) {
            leaderEpoch = segments.find(offset).leaderEpoch(offset);
        }
        return new CommitPoint(offset, leaderEpoch == NO_EPOCH ? OptionalInt.empty() : OptionalInt.of(leaderEpoch));
    }

    /**
     * Which records at and above a commit point are finished. Owner thread. Each record that the map names was finished
     * when this was called, whatever else happens meanwhile; taken after the point, it belongs to it. Costs in
     * proportion to the records held, read eight at a time, and to the runs among them.
     *
     * @param point what this tracker gave as commit point; the map goes with this offset
     * @return what this incarnation has finished, and what is left of the map that it resumed with; empty after
     *     {@link #end}
     */
    public ResumeMap resumeMap(CommitPoint point) {
        return resumeMap(point, Long.MAX_VALUE);
    }

    /**
     * As {@link #resumeMap(CommitPoint)}, for a caller that knows only up to some offset from which log it has read. Owner
     * thread.
     *
     * @param shownBelow what this incarnation has finished at or above this offset is left out. What it resumed with is not
     *     affected
     */
    public ResumeMap resumeMap(CommitPoint point, long shownBelow) {
        Objects.requireNonNull(point, "point");
        ResumeMapBuilder builder = new ResumeMapBuilder(point.offset());
        Segments.Look look = segments.look();
        for (Segment segment = look.next(); segment != null; segment = look.next()) {
            segment.addFinished(builder);
        }
        ResumeMap finished = builder.build();
        if (shownBelow < finished.end()) {
            finished = finished.below(shownBelow);
        }
        ResumeMap before = resumed.map();
        return before.isEmpty() ? finished : before.union(finished, point.offset());
    }

    /**
     * Whether the map that this tracker resumed with has been found to speak of another log than the one that is read:
     * from the record on that showed it, nothing of it is believed. Owner thread.
     */
    public boolean isResumeMapRefuted() {
        return resumed.isRefuted();
    }

    /**
     * Whether the map that this tracker resumed with names records at or above an offset, as far as it is still believed: a
     * log that is read on from there may have records that are not to be handed out. Owner thread; costs nothing.
     *
     * @param offset zero or more
     */
    public boolean mayLeaveOut(long offset) {
        return offset < resumed.end();
    }

    /**
     * Believes the map that this tracker resumed with no longer, from the position on: what it names there is handed out.
     * Owner thread.
     */
    public void distrustResumeMap() {
        resumed.distrust(position);
    }

    /**
     * How many records at and above the committable offset the map that this tracker resumed with still names. They are not
     * held, and not among those {@linkplain #recordsCompletedAhead completed ahead}. Owner thread; costs in proportion to the
     * runs of the map. As of the last {@link #advance}.
     */
    public long recordsResumed() {
        return resumed.recordsFrom(committable);
    }

    /**
     * Notes that a commit was confirmed by whoever stores it. A confirmation of a lower offset than an earlier one, or
     * one that comes after {@link #end}, is ignored. Owner thread.
     *
     * @param offset the offset that was stored: one that this tracker gave as committable
     * @throws IllegalArgumentException if the offset is negative or above the committable offset
     */
    public void confirmCommit(long offset) {
        if (offset < 0 || offset > committable) {
            throw new IllegalArgumentException("offset is " + offset + ": only an offset up to the committable offset "
                    + committable + " can have been committed");
        }
        if (!hasEnded() && offset > committed) {
            committed = offset;
        }
    }

    /**
     * Ends the incarnation: from now on every outcome is ignored, no record can be started, and the records that were
     * in flight are let go. The offsets keep their last values. Owner thread; ending twice does nothing.
     */
    public void end() {
        startsRefused = true;
        segments.end();
        openSegment = null;
        resumed.passed(Long.MAX_VALUE);
    }

    /** The next offset to read. Any thread; from others than the owner it may lag behind. */
    public long position() {
        return (long) POSITION.getAcquire(this);
    }

    /**
     * The committable offset as of the last {@link #advance}: the next offset to commit. Any thread. It may lag behind
     * what has finished, and never leads.
     */
    public long committableOffset() {
        return (long) COMMITTABLE.getAcquire(this);
    }

    /** The highest offset whose commit was confirmed in this incarnation; empty before the first. Any thread. */
    public OptionalLong committedOffset() {
        long offset = committed;
        return offset == NOT_COMMITTED ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    /** Whether {@link #end} has been called. Any thread. */
    public boolean hasEnded() {
        return segments.haveEnded();
    }

    /** How many records have been finished below the committable offset since the start. Owner thread; costs nothing. */
    public long recordsCovered() {
        return segments.recordsPassed();
    }

    /**
     * How many records the tracker holds: those in flight and those completed ahead, which is what its memory grows with.
     * Owner thread; costs nothing. As of the last {@link #advance}.
     */
    public long recordsHeld() {
        return hasEnded() ? 0 : recordsTracked() - recordsCovered();
    }

    /** Counted by what is no record, so that a record which follows the one before takes no counting. */
    private long recordsTracked() {
        return position - firstPosition - holes;
    }

    /**
     * How many of the records held are finished, above an incomplete one. Owner thread; costs in proportion to the
     * records that stand near those finished since the last call.
     */
    public long recordsCompletedAhead() {
        advance();
        long completedAhead = 0;
        Segments.Look look = segments.look();
        for (Segment segment = look.next(); segment != null; segment = look.next()) {
            completedAhead += segment.completedAhead();
        }
        return completedAhead;
    }

    /**
     * How long the record that holds the committable offset back has been in flight, as {@link TrackerStatus} says it;
     * empty when nothing is incomplete. Owner thread; costs next to nothing while it does not move.
     */
    public Optional<Duration> lowestIncompleteAge() {
        long offset = advance();
        return offset == position || hasEnded() ? Optional.empty() : Optional.of(age(segments.find(offset), offset));
    }

    private Duration age(Segment segment, long offset) {
        return Duration.ofNanos(Math.max(0, nanoClock.getAsLong() - segment.trackedAtNanos(offset)));
    }

    /**
     * Where the partition stands. Any thread. Costs in proportion to the records held: meant for people and metrics, not
     * for each record.
     */
    public TrackerStatus status() {
        long committableOffset = committableOffset();
        long incomplete = 0;
        long started = 0;
        long failed = 0;
        long completedAhead = 0;
        long lowest = 0;
        Segment lowestIn = null;
        Segments.Look look = segments.look();
        for (Segment segment = look.next(); segment != null; segment = look.next()) {
            for (int index = 0; index < segment.capacity(); index++) {
                byte state = segment.state(index);
                if (state == Segment.HOLE) {
                    continue;
                }
                long offset = segment.offset(index);
                if (offset < committableOffset) {
                    continue;
                }
                if (state == Segment.FINISHED) {
                    completedAhead++;
                    continue;
                }
                incomplete++;
                started += state == Segment.STARTED ? 1 : 0;
                failed += state == Segment.FAILED ? 1 : 0;
                if (lowestIn == null) {
                    lowestIn = segment;
                    lowest = offset;
                }
            }
        }
        Optional<Duration> age = lowestIn == null ? Optional.empty() : Optional.of(age(lowestIn, lowest));
        return new TrackerStatus(
                position(),
                committableOffset,
                committedOffset(),
                incomplete,
                started,
                failed,
                completedAhead,
                lowestIn == null ? OptionalLong.empty() : OptionalLong.of(lowest),
                age,
                look.isOfEnded());
    }

    private static int checkEpoch(int leaderEpoch) {
        if (leaderEpoch < 0) {
            throw new IllegalArgumentException(
                    "leaderEpoch is " + leaderEpoch + ": it must be zero or more; leave it out when it is not known");
        }
        return leaderEpoch;
    }

    private void checkLive() {
        if (hasEnded()) {
            throw new IllegalStateException("this tracker has ended at position " + position
                    + ": start a new one for a partition that comes back or is read again");
        }
    }

    private IllegalArgumentException cannotTrack(long offset) {
        if (offset == Long.MAX_VALUE) {
            return new IllegalArgumentException("offset is " + offset + ": there is no offset after it to commit");
        }
        return new IllegalArgumentException("offset is " + offset + ", below the position " + position
                + ": records are tracked once, in ascending order; when the log is read again, end this tracker and"
                + " start a new one");
    }
}
