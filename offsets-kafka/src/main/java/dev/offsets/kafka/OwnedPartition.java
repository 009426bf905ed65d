package dev.offsets.kafka;

import dev.offsets.CommitPoint;
import dev.offsets.EncodedResumeMap;
import dev.offsets.OffsetTracker;
import dev.offsets.ResumeMap;
import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition from the moment it is assigned until it is revoked or lost: its present incarnation, and what is known
 * to be stored for it. Belongs to the loop thread, but for {@link #status}.
 */
final class OwnedPartition {
    private static final Logger log = LoggerFactory.getLogger(OwnedPartition.class);

    final TopicPartition topicPartition;
    private final Events events;
    private final Time time;

    /** The present incarnation; null until the position is known. */
    private volatile OffsetTracker tracker;

    private final StoredOffset stored;
    final PartitionWatch watch = new PartitionWatch();
    final Resumption resumption;
    private final ReplayExposure exposure = new ReplayExposure();

    /** What was stored when the partition was assigned, as long as nothing else has become of the position; or null. */
    private OffsetAndMetadata readAtAssignment;

    private boolean hasProgress;
    private long progressSinceNanos;
    private long recordsCoveredAtCommit;
    private PartitionBatch<?, ?> newestBatch;

    /** The record that holds the committable offset back, and since when it does so with somebody to work on it. */
    private long head;

    private long headSinceNanos;

    /** The offset after the last record that was delivered in this incarnation. */
    private long recordsEnd;

    OwnedPartition(TopicPartition topicPartition, Events events, Time time) {
        this.topicPartition = topicPartition;
        this.events = events;
        this.time = time;
        this.stored = new StoredOffset(time.nanoTime());
        this.resumption = new Resumption(time.nanoTime());
    }

    OffsetTracker tracker() {
        return tracker;
    }

    /** What the group had stored when the partition was assigned: consuming goes on there, unless that is out of range. */
    void storedIs(OffsetAndMetadata offset) {
        stored.wasRead(offset.offset(), !offset.metadata().isEmpty());
        watch.storedIs(offset.offset());
        startIncarnation(offset.offset());
        setPosition(offset);
        readAtAssignment = offset;
    }

    /** Null when nothing was stored, or consuming does not begin there. */
    OffsetAndMetadata readAtAssignment() {
        return readAtAssignment;
    }

    /** Consuming goes on where the group had stored an offset, without what a map says is finished. */
    void resumeWith(ResumeMap map) {
        OffsetAndMetadata position = readAtAssignment;
        startIncarnation(OffsetTracker.resumingAt(map, time::nanoTime));
        setPosition(position);
    }

    /** The group had stored nothing when the partition was assigned. */
    void nothingIsStored(boolean resetPassesOverRecords) {
        stored.nothingIsStored(resetPassesOverRecords);
    }

    /**
     * The tracker for records from an offset on: the present one, or a new one if the log is being read from further back.
     */
    OffsetTracker trackerFrom(long offset) {
        OffsetTracker present = tracker;
        if (present != null && offset >= present.position()) {
            return present;
        }
        if (present != null) {
            movedBackTo(offset);
            return tracker;
        }
        stored.consumingBeginsAt(offset);
        return startIncarnation(offset);
    }

    /**
     * The lowest incomplete record below an offset to which the position has moved back by itself, with its leader epoch;
     * empty when the position has not moved back, or nothing below is incomplete.
     */
    Optional<OffsetAndMetadata> incompleteBelow(long offset) {
        if (tracker == null || offset >= tracker.position()) {
            return Optional.empty();
        }
        OffsetAndMetadata lowest = toStore(tracker.commitPoint(), "");
        return lowest.offset() < offset ? Optional.of(lowest) : Optional.empty();
    }

    /** The position has moved back by itself, and was set further back, to a record that was incomplete. */
    void movedBackTo(OffsetAndMetadata position) {
        movedBackTo(position.offset());
        setPosition(position);
        refreshProgress();
    }

    private void movedBackTo(long offset) {
        long from = tracker.position();
        log.warn(
                "{}: the position moved back from {} to {}; what was delivered before is void",
                topicPartition,
                from,
                offset);
        events.positionJumped(topicPartition, from, offset);
        stored.positionWasSet(false);
        startIncarnation(offset);
    }

    /** Records from the tracker's position up to an offset were deleted before they could be read. */
    void deletedBefore(long logStart) {
        long from = tracker.position();
        log.warn("{}: records from {} to {} were deleted before they were read", topicPartition, from, logStart);
        lost(from, logStart);
    }

    private void lost(long from, long to) {
        watch.lost(from, to, time.nanoTime());
        events.positionJumped(topicPartition, from, to);
    }

    /** A poll has moved the position to here, past records that have been tracked and past holes. */
    void reached(OffsetAndMetadata position) {
        if (tracker == null) {
            // Consuming began below, with holes alone: what is stored is not this position.
            startIncarnation(position.offset());
        } else {
            trackerFrom(position.offset());
        }
        setPosition(position);
    }

    /** The Kafka consumer says that this is its position, after a poll that may have moved it past records or not. */
    void positionIs(long position, boolean mayHavePassedRecords) {
        if (tracker == null && mayHavePassedRecords) {
            reached(new OffsetAndMetadata(position));
            return;
        }
        OffsetTracker reader = trackerFrom(position);
        long from = reader.position();
        if (position > from) {
            if (!mayHavePassedRecords) {
                log.warn("{}: consuming goes on at {}, not at {}", topicPartition, position, from);
                lost(from, position);
            }
            reader.updatePosition(position);
        }
    }

    private void setPosition(OffsetAndMetadata position) {
        if (position.leaderEpoch().isPresent()) {
            tracker.updatePosition(position.offset(), position.leaderEpoch().get());
        } else {
            tracker.updatePosition(position.offset());
        }
    }

    private OffsetTracker startIncarnation(long position) {
        return startIncarnation(OffsetTracker.startingAt(position, time::nanoTime));
    }

    private OffsetTracker startIncarnation(OffsetTracker begun) {
        endIncarnation();
        tracker = begun;
        headIs(begun.position());
        return begun;
    }

    /** The user has set the position: what was delivered before is void. */
    void seekTo(OffsetAndMetadata position) {
        stored.positionWasSet(true);
        startIncarnation(position.offset());
        setPosition(position);
        refreshProgress();
    }

    /** The user has set the position to one that is known only after the next poll. */
    void seekToUnknown() {
        stored.positionWasSet(true);
        endIncarnation();
        tracker = null;
    }

    private void endIncarnation() {
        if (tracker != null) {
            tracker.end();
        }
        hasProgress = false;
        recordsCoveredAtCommit = 0;
        readAtAssignment = null;
        exposure.beginAnew();
        watch.beginAnew();
    }

    /** No commit, no start and no outcome counts from now on. */
    void fence() {
        endIncarnation();
    }

    /** Moves over what has finished, and notes since when there has been something to commit. */
    void advance() {
        if (tracker != null) {
            watch.timestamps().passed(tracker.advance());
            exposure.covered(tracker.recordsCovered());
            noteHead();
            refreshProgress();
        }
    }

    /** Records up to here have been registered: at their position the Kafka consumer measures how far it is from the end. */
    void recordsEndAt(long offset) {
        recordsEnd = offset;
    }

    /** Whether the position is right behind the last record that was delivered. */
    boolean isRightBehindRecords() {
        return tracker != null && tracker.position() == recordsEnd;
    }

    private void refreshProgress() {
        boolean progress = stored.differsFrom(tracker.committableOffset());
        if (progress && !hasProgress) {
            progressSinceNanos = time.nanoTime();
        }
        hasProgress = progress;
    }

    /** Whether the committable offset differs from what is known to be stored. As of the last {@link #advance}. */
    boolean hasProgress() {
        return hasProgress;
    }

    /**
     * Whether a commit of this partition is due whatever the policy says: where consuming began is not stored and has to
     * be, or what is stored would expire.
     */
    boolean isDueAnyway(long keepAliveNanos, long now) {
        return stored.isUrgent() || nanosUntilKeepAlive(keepAliveNanos, now) <= 0;
    }

    long progressSinceNanos() {
        return progressSinceNanos;
    }

    long recordsCoveredSinceCommit() {
        return tracker.recordsCovered() - recordsCoveredAtCommit;
    }

    /** The batch of the newest poll result, for what it has not handed out; null when that holds none of this partition. */
    void setNewestBatch(PartitionBatch<?, ?> batch) {
        newestBatch = batch;
        noteHead();
    }

    private void noteHead() {
        if (tracker != null) {
            long lowest = tracker.committableOffset();
            if (lowest != head || isNotHandedOut(lowest)) {
                headIs(lowest);
            }
        }
    }

    private void headIs(long offset) {
        head = offset;
        headSinceNanos = time.nanoTime();
    }

    private boolean isNotHandedOut(long offset) {
        if (newestBatch == null || newestBatch.incarnation != tracker) {
            return false;
        }
        OptionalLong first = newestBatch.firstNotHandedOut();
        return first.isPresent() && first.getAsLong() <= offset;
    }

    /**
     * How many records are being worked on: with explicit starts those that were started; otherwise those that were
     * handed out. Whose outcome was reported is not among them, whatever it was.
     */
    long recordsRunning(boolean explicitStarts) {
        if (tracker == null) {
            return 0;
        }
        TrackerStatus status = tracker.status();
        if (explicitStarts) {
            return status.started();
        }
        boolean current = newestBatch != null && newestBatch.incarnation == tracker;
        return status.incomplete() - status.failed() - (current ? newestBatch.offsetsNotHandedOut() : 0);
    }

    /** Records in flight and completed ahead. */
    long recordsHeld() {
        return tracker == null ? 0 : tracker.recordsHeld();
    }

    /** How many finished records would be done again if this process ended now. As of the last {@link #advance}. */
    long replayExposure() {
        return tracker == null ? 0 : exposure.records(tracker.recordsCompletedAhead());
    }

    /** The same by any thread, for a number of records completed ahead that it knows. */
    long replayExposure(long completedAhead) {
        return exposure.records(completedAhead);
    }

    /**
     * A snapshot of what to commit, to be given back when the outcome of the commit is known.
     *
     * @param partitions how many partitions the commit has
     * @param now the same for all of them
     */
    Snapshot snapshot(long commitNumber, ResumeMaps maps, int partitions, long now) {
        CommitPoint point = tracker.commitPoint();
        long recordsCovered = tracker.recordsCovered();
        long recordsResumed = tracker.recordsResumed();
        EncodedResumeMap map = maps.mapFor(this, point, partitions, now);
        stored.sent(commitNumber, !map.text().isEmpty());
        return new Snapshot(
                this,
                tracker,
                commitNumber,
                toStore(point, map.text()),
                map,
                recordsCovered,
                map.finishedRecords() - recordsResumed,
                now);
    }

    private static OffsetAndMetadata toStore(CommitPoint point, String metadata) {
        OptionalInt epoch = point.leaderEpoch();
        Optional<Integer> leaderEpoch = epoch.isPresent() ? Optional.of(epoch.getAsInt()) : Optional.empty();
        return new OffsetAndMetadata(point.offset(), leaderEpoch, metadata);
    }

    /**
     * What one commit request carries for one partition.
     *
     * @param recordsNamed see {@link ReplayExposure#stored}
     */
    record Snapshot(
            OwnedPartition partition,
            OffsetTracker incarnation,
            long commitNumber,
            OffsetAndMetadata offset,
            EncodedResumeMap map,
            long recordsCovered,
            long recordsNamed,
            long takenAtNanos) {
        TopicPartition topicPartition() {
            return partition.topicPartition;
        }
    }

    /** A commit was confirmed. Of several commits the newest one decides, in whatever order their outcomes arrive. */
    void confirmed(Snapshot snapshot) {
        long offset = snapshot.offset.offset();
        boolean newest = stored.confirmed(snapshot.commitNumber, offset, time.nanoTime());
        watch.commitConfirmed();
        if (newest) {
            watch.storedIs(offset);
        }
        if (snapshot.incarnation == tracker && !tracker.hasEnded()) {
            tracker.confirmCommit(offset);
            recordsCoveredAtCommit = Math.max(recordsCoveredAtCommit, snapshot.recordsCovered);
            if (newest) {
                exposure.stored(snapshot.recordsCovered, snapshot.recordsNamed);
                exposure.covered(tracker.recordsCovered());
                // What finished between the snapshot and now has been waiting since the snapshot at the longest.
                progressSinceNanos = snapshot.takenAtNanos;
            }
            refreshProgress();
        }
    }

    /** A commit from before the partition was assigned was confirmed only now: it may have replaced what was stored since. */
    void formerCommitConfirmed() {
        stored.isUnknown();
        if (tracker != null) {
            refreshProgress();
        }
    }

    /** A commit failed, or its outcome is not known. */
    void commitFailed(Exception cause) {
        watch.commitFailed(cause, time.nanoTime());
    }

    /**
     * For how long one record has held the committable offset back with somebody to work on it: not while records below it
     * did, nor before the user's loop had taken it.
     */
    Duration heldBackFor() {
        Duration age = tracker.lowestIncompleteAge().orElse(Duration.ZERO);
        noteHead(); // afterwards: that has moved over what has just finished
        Duration sinceItIsTheLowest = Duration.ofNanos(time.nanoTime() - headSinceNanos);
        return sinceItIsTheLowest.compareTo(age) < 0 ? sinceItIsTheLowest : age;
    }

    /** How long until what is stored should be stored again, so that it does not expire; zero or less: now. */
    long nanosUntilKeepAlive(long keepAliveNanos, long now) {
        return tracker == null ? Long.MAX_VALUE : keepAliveNanos - (now - stored.knownSinceNanos());
    }

    /** Any thread; null while the position is not known. */
    TrackerStatus status() {
        OffsetTracker present = tracker;
        return present == null ? null : present.status();
    }
}
