package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * What is known of one partition at one moment, and what follows from it.
 *
 * @param tracker empty from outside of the consumer
 * @param finishedAbove how many records above the committed offset have finished, by the resume map stored with it; empty
 *     where that was not looked at
 * @param clientLag how far the Kafka consumer says it is from the end; for when the end is not known
 * @param recordTimestamp that of the lowest incomplete record
 */
record PartitionFacts(
        TopicPartition topicPartition,
        IsolationLevel isolationLevel,
        LogBounds bounds,
        Optional<TrackerStatus> tracker,
        OptionalLong committed,
        OptionalLong finishedAbove,
        OptionalLong replayExposure,
        OptionalLong leftOut,
        OptionalLong clientLag,
        OptionalLong recordTimestamp,
        Optional<String> owner) {
    private static final Set<String> INTERNAL_TOPICS =
            Set.of("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata");

    OptionalLong end() {
        return bounds.end(isolationLevel);
    }

    OptionalLong position() {
        return ofTracker(TrackerStatus::position);
    }

    OptionalLong committable() {
        return ofTracker(TrackerStatus::committableOffset);
    }

    OptionalLong incomplete() {
        return ofTracker(TrackerStatus::incomplete);
    }

    private OptionalLong ofTracker(ToLongFunction<TrackerStatus> number) {
        return tracker.isPresent() ? OptionalLong.of(number.applyAsLong(tracker.get())) : OptionalLong.empty();
    }

    OptionalLong commitLag() {
        return Lag.between(committed, bounds, isolationLevel);
    }

    OptionalLong fetchLag() {
        return end().isPresent() ? Lag.between(position(), bounds, isolationLevel) : clientLag;
    }

    OptionalLong workRemaining() {
        return Lag.sum(fetchLag(), incomplete());
    }

    /** Inside of the consumer what it has finished counts, outside what it has committed. */
    private Optional<Duration> timeLag(long nowMillis) {
        OptionalLong next = tracker.isPresent() ? committable() : committed;
        return Lag.inTime(Lag.between(next, bounds, isolationLevel), recordTimestamp, nowMillis);
    }

    PartitionReport report(PartitionStatus status, long nowMillis) {
        return new PartitionReport(
                topicPartition,
                INTERNAL_TOPICS.contains(topicPartition.topic()),
                bounds.logStart(),
                bounds.lastStableOffset(),
                bounds.highWatermark(),
                position(),
                committable(),
                committed,
                incomplete(),
                tracker.isPresent() ? ofTracker(TrackerStatus::completedAhead) : finishedAbove,
                replayExposure,
                leftOut,
                commitLag(),
                fetchLag(),
                workRemaining(),
                timeLag(nowMillis),
                owner,
                status);
    }
}
