package dev.offsets;

import java.time.Duration;
import java.util.Objects;

/**
 * What a {@link CommitPolicy} decides by: how much could be committed now and for how long it has been waiting. One
 * progress covers everything that one commit request would carry; in a consumer that is all of its partitions together.
 *
 * <p>A policy is asked only while there is progress, that is, while a committable offset differs from what is known to
 * be stored. All times are elapsed (monotonic) time: a step of the wall clock does not show in them.
 *
 * @param recordsCovered finished records that a commit would cover and that no confirmed commit covers yet. It is zero
 *     when the committable offset has only moved over holes: offsets taken up by transaction markers, aborted, compacted
 *     or filtered records
 * @param timeSinceCommittable how long the oldest progress has been committable
 * @param timeSinceLastCommit how long ago the last commit was sent; before the first, how long ago the consumer was built
 * @param incomplete records in flight, in all partitions
 * @param completedAhead finished records that a commit would not cover, since a lower offset is incomplete
 * @param replayExposure finished records that would be done again if this process ended now, in all partitions: those that
 *     no confirmed commit covers, and no {@linkplain ResumeMap resume map} names that was confirmed with one
 */
public record CommitProgress(
        long recordsCovered,
        Duration timeSinceCommittable,
        Duration timeSinceLastCommit,
        long incomplete,
        long completedAhead,
        long replayExposure) {
    public CommitProgress {
        Objects.requireNonNull(timeSinceCommittable, "timeSinceCommittable");
        Objects.requireNonNull(timeSinceLastCommit, "timeSinceLastCommit");
    }
}
