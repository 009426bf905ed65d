package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer as it is seen at one moment, to read many numbers of.
 *
 * @param paused how many partitions are not fetched for reasons of ours
 * @param pausedByUser how many partitions are not fetched for the user's
 * @param processor with nothing in it where there is none
 */
record Glance(
        Map<TopicPartition, PartitionGlance> byPartition, int paused, int pausedByUser, ProcessorStatus processor) {
    Collection<PartitionGlance> partitions() {
        return byPartition.values();
    }

    /** One partition: what is known of it, and what was concluded. */
    record PartitionGlance(PartitionFacts facts, PartitionReport report) {
        OptionalLong committableLag() {
            return Lag.between(facts.committable(), facts.bounds(), facts.isolationLevel());
        }

        OptionalLong timeLagMillis() {
            return millis(report.timeLag());
        }

        OptionalLong oldestIncompleteAgeMillis() {
            return facts.tracker().isEmpty()
                    ? OptionalLong.empty()
                    : millis(facts.tracker()
                            .flatMap(TrackerStatus::lowestIncompleteAge)
                            .or(() -> Optional.of(Duration.ZERO)));
        }

        private static OptionalLong millis(Optional<Duration> duration) {
            return duration.isPresent() ? OptionalLong.of(duration.get().toMillis()) : OptionalLong.empty();
        }
    }
}
