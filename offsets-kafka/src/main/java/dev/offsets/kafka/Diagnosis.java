package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.CaughtUp;
import dev.offsets.kafka.PartitionStatus.CommitFailing;
import dev.offsets.kafka.PartitionStatus.DataLoss;
import dev.offsets.kafka.PartitionStatus.InvalidCommit;
import dev.offsets.kafka.PartitionStatus.LsoBlocked;
import dev.offsets.kafka.PartitionStatus.Ok;
import dev.offsets.kafka.PartitionStatus.Paused;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Starved;
import dev.offsets.kafka.PartitionStatus.Unknown;
import dev.offsets.kafka.PartitionStatus.Worker;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import org.apache.kafka.common.IsolationLevel;

/** Concludes a partition's status from what is known: the worst that fits. */
final class Diagnosis {
    /** Commits that fail, since the first of them, all in a row. */
    record CommitTrouble(long sinceNanos, long failures, Exception cause) {
        static CommitTrouble after(CommitTrouble before, Exception cause, long now) {
            return before == null
                    ? new CommitTrouble(now, 1, cause)
                    : new CommitTrouble(before.sinceNanos, before.failures + 1, cause);
        }
    }

    /** Offsets that were passed unread. */
    record Loss(long from, long to, long atNanos) {}

    /**
     * What only the consumer itself knows of one of its partitions.
     *
     * @param trouble null when the last commit was confirmed
     * @param loss null when there was none
     * @param beyondEnd where the position or the committed offset was beyond the end at the last look-up
     * @param unreadable whether there is a record at the position, known because it could not be deserialized
     * @param workers finds who works on the record at an offset
     */
    record Inside(
            PartitionTrend trend,
            CommitTrouble trouble,
            Loss loss,
            Optional<InvalidCommit> beyondEnd,
            boolean paused,
            boolean unreadable,
            Duration sincePoll,
            LongFunction<Optional<Worker>> workers) {}

    private final StatusThresholds thresholds;

    Diagnosis(StatusThresholds thresholds) {
        this.thresholds = thresholds;
    }

    /** Of a partition of a running consumer. */
    PartitionStatus of(PartitionFacts facts, Inside inside, long now) {
        TrackerStatus status = facts.tracker().orElseThrow();
        Loss loss = inside.loss;
        if (loss != null && !isOver(loss.atNanos, now, thresholds.dataLossShownFor())) {
            return new DataLoss(loss.from, loss.to);
        }
        if (Lag.deleted(facts.position(), facts.bounds().logStart()) > 0) {
            return new DataLoss(status.position(), facts.bounds().logStart().getAsLong());
        }
        if (inside.beyondEnd.isPresent()) {
            return inside.beyondEnd.get();
        }
        CommitTrouble trouble = inside.trouble;
        if (trouble != null && isOver(trouble.sinceNanos, now, thresholds.commitFailingAfter())) {
            return new CommitFailing(
                    Duration.ofNanos(now - trouble.sinceNanos), trouble.failures, String.valueOf(trouble.cause));
        }
        return ofWork(facts, status, inside, now).orElseGet(() -> ofReading(facts, status, inside, now));
    }

    private Optional<PartitionStatus> ofWork(PartitionFacts facts, TrackerStatus status, Inside inside, long now) {
        Duration age = status.lowestIncompleteAge().orElse(Duration.ZERO);
        long lowest = status.lowestIncompleteOffset().orElse(0);
        if (status.completedAhead() > 0 && age.compareTo(thresholds.blockedAfter()) >= 0) {
            return Optional.of(new Blocked(lowest, age, status.completedAhead(), inside.workers.apply(lowest)));
        }
        long unfinishedSince = inside.trend.finishedSinceNanos();
        if (status.incomplete() > 0 && !inside.paused && isOver(unfinishedSince, now, thresholds.stalledAfter())) {
            Duration since = Duration.ofNanos(now - unfinishedSince);
            return Optional.of(new Stalled(status.incomplete(), since, lowest, inside.workers.apply(lowest)));
        }
        return inside.trend.growth(now, thresholds.fallingBehindWindow()).map(growth -> growth);
    }

    private PartitionStatus ofReading(PartitionFacts facts, TrackerStatus status, Inside inside, long now) {
        long stillSince = inside.trend.movedSinceNanos();
        OptionalLong lag = facts.fetchLag();
        boolean idle = status.incomplete() == 0 && !inside.paused && isOver(stillSince, now, thresholds.starvedAfter());
        boolean somethingToRead = inside.unreadable || (lag.isPresent() && lag.getAsLong() > 0);
        boolean nobodyPolls = lag.isEmpty() && inside.sincePoll.compareTo(thresholds.starvedAfter()) >= 0;
        if (idle && (somethingToRead || nobodyPolls)) {
            Duration since = Duration.ofNanos(now - stillSince);
            return new Starved(status.position(), facts.end(), since, inside.sincePoll);
        }
        OptionalLong openSince = inside.trend.openTransactionSinceNanos();
        if (openSince.isPresent() && isOver(openSince.getAsLong(), now, thresholds.openTransactionAfter())) {
            return openTransaction(facts);
        }
        if (inside.paused) {
            return new Paused();
        }
        OptionalLong remaining = facts.workRemaining();
        return remaining.isPresent() && remaining.getAsLong() == 0 ? new CaughtUp() : new Ok(remaining);
    }

    private static boolean isOver(long sinceNanos, long now, Duration limit) {
        return now - sinceNanos >= Time.saturatedNanos(limit);
    }

    /**
     * Of a partition as it looks from outside of the consumer, at one look.
     *
     * @param failure why an end of the log is not known; null where they are
     */
    static PartitionStatus fromOutside(PartitionFacts facts, Throwable failure) {
        LogBounds log = facts.bounds();
        if (Lag.isBeyond(facts.committed(), log.highWatermark())) {
            return new InvalidCommit(
                    facts.committed().getAsLong(), log.highWatermark().getAsLong());
        }
        if (Lag.deleted(facts.committed(), log.logStart()) > 0) {
            return new DataLoss(facts.committed().getAsLong(), log.logStart().getAsLong());
        }
        if (facts.committed().isEmpty()) {
            return new Unknown(
                    failure == null
                            ? "nothing was ever committed"
                            : "nothing is known to be committed, and the end of the log is not known: " + failure);
        }
        OptionalLong lag = facts.commitLag();
        if (lag.isEmpty()) {
            return new Unknown("the end of the log is not known" + (failure == null ? "" : ": " + failure));
        }
        if (lag.getAsLong() > 0 && facts.owner().isEmpty()) {
            return new Unknown(Words.count(lag.getAsLong(), "offset")
                    + " to go, and no member of the group reads this partition; a"
                    + " consumer that uses assign() would not show");
        }
        boolean open = facts.isolationLevel() == IsolationLevel.READ_COMMITTED
                && Lag.isBeyond(log.highWatermark(), log.lastStableOffset());
        if (lag.getAsLong() == 0) {
            return open ? openTransaction(facts) : new CaughtUp();
        }
        return new Ok(lag);
    }

    private static LsoBlocked openTransaction(PartitionFacts facts) {
        return new LsoBlocked(
                facts.bounds().lastStableOffset().getAsLong(),
                facts.bounds().highWatermark().getAsLong());
    }
}
