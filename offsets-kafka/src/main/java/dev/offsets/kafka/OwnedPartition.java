package dev.offsets.kafka;

import dev.offsets.CommitPoint;
import dev.offsets.OffsetTracker;
import dev.offsets.TrackerStatus;
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
    private final Time time;

    /** The present incarnation; null until the position is known. */
    private volatile OffsetTracker tracker;

    /**
     * What the group is known to have stored: what it was when consuming began, then what a commit confirmed. Empty when
     * it is not known: after a seek before anything else, or when the outcome of a commit is not known.
     */
    private OptionalLong stored = OptionalLong.empty();

    /** A seek happened, so the position where the next incarnation starts says nothing of what is stored. */
    private boolean sought;

    private boolean hasProgress;
    private long progressSinceNanos;
    private long recordsCoveredAtCommit;
    private long newestConfirmedCommit;
    private boolean pausedByBound;
    private PartitionBatch<?, ?> newestBatch;

    OwnedPartition(TopicPartition topicPartition, Time time) {
        this.topicPartition = topicPartition;
        this.time = time;
    }

    OffsetTracker tracker() {
        return tracker;
    }

    /**
     * The tracker for records from an offset on: the present one, or a new one if the log is being read from further back.
     * Where consuming begins is where the group's stored offset, or the reset policy, has put it.
     */
    OffsetTracker trackerFrom(long offset) {
        OffsetTracker present = tracker;
        if (present != null && offset >= present.position()) {
            return present;
        }
        if (present != null) {
            log.warn(
                    "{}: the position moved back from {} to {}; what was delivered before is void",
                    topicPartition,
                    present.position(),
                    offset);
        } else if (!sought) {
            stored = OptionalLong.of(offset);
        }
        return startIncarnation(offset);
    }

    /** A poll has moved the position to here, past records that have been tracked and past holes. */
    void reached(OffsetAndMetadata position) {
        OffsetTracker reader = tracker;
        if (reader == null) {
            // Consuming began below, with holes alone: what is stored is not this position.
            reader = startIncarnation(position.offset());
        } else {
            reader = trackerFrom(position.offset());
        }
        if (position.leaderEpoch().isPresent()) {
            reader.updatePosition(position.offset(), position.leaderEpoch().get());
        } else {
            reader.updatePosition(position.offset());
        }
    }

    private OffsetTracker startIncarnation(long position) {
        endIncarnation();
        tracker = OffsetTracker.startingAt(position, time::nanoTime);
        return tracker;
    }

    /** The user has set the position: what was delivered before is void. */
    void seekTo(OffsetAndMetadata position) {
        sought = true;
        startIncarnation(position.offset());
        reached(position);
        refreshProgress();
    }

    /** The user has set the position to one that is known only after the next poll. */
    void seekToUnknown() {
        sought = true;
        endIncarnation();
        tracker = null;
    }

    private void endIncarnation() {
        if (tracker != null) {
            tracker.end();
        }
        hasProgress = false;
        recordsCoveredAtCommit = 0;
    }

    /** No commit, no start and no outcome counts from now on. */
    void fence() {
        endIncarnation();
    }

    /** Moves over what has finished, and notes since when there has been something to commit. */
    void advance() {
        if (tracker != null) {
            tracker.advance();
            refreshProgress();
        }
    }

    private void refreshProgress() {
        boolean progress = stored.isEmpty() || stored.getAsLong() != tracker.committableOffset();
        if (progress && !hasProgress) {
            progressSinceNanos = time.nanoTime();
        }
        hasProgress = progress;
    }

    /** Whether the committable offset differs from what is known to be stored. As of the last {@link #advance}. */
    boolean hasProgress() {
        return hasProgress;
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

    /** A snapshot of what to commit, to be given back when the outcome is known. */
    Snapshot snapshot() {
        CommitPoint point = tracker.commitPoint();
        OptionalInt epoch = point.leaderEpoch();
        Optional<Integer> leaderEpoch = epoch.isPresent() ? Optional.of(epoch.getAsInt()) : Optional.empty();
        return new Snapshot(
                this,
                tracker,
                new OffsetAndMetadata(point.offset(), leaderEpoch, ""),
                tracker.recordsCovered(),
                time.nanoTime());
    }

    /** What one commit request carries for one partition. */
    record Snapshot(
            OwnedPartition partition,
            OffsetTracker incarnation,
            OffsetAndMetadata offset,
            long recordsCovered,
            long takenAtNanos) {
        TopicPartition topicPartition() {
            return partition.topicPartition;
        }
    }

    /** A commit was confirmed. Of several commits the newest one decides, in whatever order their outcomes arrive. */
    void confirmed(Snapshot snapshot, long commitNumber) {
        if (commitNumber < newestConfirmedCommit) {
            // The client may have held the older request back and sent it after the newer one.
            stored = OptionalLong.empty();
            return;
        }
        newestConfirmedCommit = commitNumber;
        stored = OptionalLong.of(snapshot.offset.offset());
        if (snapshot.incarnation == tracker && !tracker.hasEnded()) {
            tracker.confirmCommit(snapshot.offset.offset());
            recordsCoveredAtCommit = snapshot.recordsCovered;
            // What finished between the snapshot and now has been waiting since the snapshot at the longest.
            progressSinceNanos = snapshot.takenAtNanos;
            refreshProgress();
        }
    }

    /** A commit failed, or its outcome is not known: what is stored is not known either until a later one is confirmed. */
    void notConfirmed(long commitNumber) {
        if (commitNumber > newestConfirmedCommit) {
            stored = OptionalLong.empty();
        }
    }

    boolean isPausedByBound() {
        return pausedByBound;
    }

    void setPausedByBound(boolean paused) {
        pausedByBound = paused;
    }

    /** Any thread; null while the position is not known. */
    TrackerStatus status() {
        OffsetTracker present = tracker;
        return present == null ? null : present.status();
    }
}
