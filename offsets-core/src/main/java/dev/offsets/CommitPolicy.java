package dev.offsets;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * When to commit. A policy is a pure function of the {@linkplain CommitProgress progress} to the time until a commit is
 * due, so that the loop knows how long it may wait. It does not decide what is committed: that is always the highest
 * offset below which everything is finished.
 *
 * <p>Policies are joined by {@link #or}: {@code batched(1_000).or(timeBounded(Duration.ofSeconds(5)))} commits after a
 * thousand records or five seconds, whichever is first.
 *
 * <p>Whatever the policy says, everything that finished is committed when a partition is revoked and when the consumer
 * is closed.
 *
 * <p>A user's own policy is called on the loop thread, once in each turn of the loop in which there is progress. It must
 * not block. The policies made here are immutable and may be shared between consumers.
 */
@FunctionalInterface
public interface CommitPolicy {
    /**
     * How long from now a commit is due if nothing else happens.
     *
     * @param progress what there is to commit; never null
     * @return the time until a commit is due, zero or less meaning now; empty when the passing of time alone will not
     *     make it due. A consumer commits such progress nevertheless once it is thirty seconds old, so that the tail of
     *     a batch, or progress over holes alone, does not stay uncommitted for ever
     */
    Optional<Duration> timeUntilDue(CommitProgress progress);

    /**
     * Commits in the turn of the loop in which the committable offset has moved: at most one commit request a turn, and
     * never one for each record.
     */
    static CommitPolicy afterProcessing() {
        return progress -> Optional.of(Duration.ZERO);
    }

    /**
     * Commits when a commit would cover at least so many newly finished records, counted over all partitions.
     * Records that finished above an incomplete one do not count until the committable offset has passed them.
     *
     * @param records one or more
     * @throws IllegalArgumentException if {@code records} is zero or less
     */
    static CommitPolicy batched(long records) {
        if (records < 1) {
            throw new IllegalArgumentException("batched(" + records + "): the number of records must be one or more");
        }
        return progress -> progress.recordsCovered() >= records ? Optional.of(Duration.ZERO) : Optional.empty();
    }

    /**
     * Commits once the oldest progress has been committable for this long. Later completions do not start the time anew.
     *
     * @param duration more than zero; how long progress may stay uncommitted, give or take one turn of the loop
     * @throws IllegalArgumentException if {@code duration} is zero or negative
     */
    static CommitPolicy timeBounded(Duration duration) {
        Objects.requireNonNull(duration, "duration");
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException("timeBounded(" + duration
                    + "): the duration must be more than zero; use afterProcessing() to commit without delay");
        }
        return progress -> Optional.of(duration.minus(progress.timeSinceCommittable()));
    }

    /**
     * Commits when at least so many finished records would be done again if this process ended now, counted over all
     * partitions: those behind an incomplete one, too, unless a {@linkplain ResumeMap resume map} that is stored names them.
     * While they can't be brought below that, since one record holds them back and there is no map, it commits in each turn
     * of the loop in which a committable offset has moved.
     *
     * @param records one or more
     * @throws IllegalArgumentException if {@code records} is zero or less
     */
    static CommitPolicy replayExposure(long records) {
        if (records < 1) {
            throw new IllegalArgumentException(
                    "replayExposure(" + records + "): the number of records must be one or more");
        }
        return progress -> progress.replayExposure() >= records ? Optional.of(Duration.ZERO) : Optional.empty();
    }

    /**
     * This policy or another: a commit is due as soon as either says so.
     *
     * @param other the other policy
     */
    default CommitPolicy or(CommitPolicy other) {
        Objects.requireNonNull(other, "other");
        return progress -> {
            Optional<Duration> first = timeUntilDue(progress);
            Optional<Duration> second = other.timeUntilDue(progress);
            if (first.isEmpty()) {
                return second;
            }
            return second.isEmpty() || first.get().compareTo(second.get()) <= 0 ? first : second;
        };
    }
}
