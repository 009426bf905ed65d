package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * How closing a {@link TrackedConsumer} went.
 *
 * @param partitions where each partition stood at the end: its committed offset is what the broker has confirmed in this
 *     incarnation, its incomplete records were abandoned and will be delivered again. Partitions of which the position
 *     never became known, and those revoked before or while closing, are not in it
 * @param drained how many records finished while closing waited for them
 * @param abandoned how many records were delivered and not finished, those of partitions that were revoked while closing
 *     waited included: they will be delivered again
 * @param failures what went wrong: the last commit, records that failed, the Kafka consumer's own close, what a
 *     rebalance listener threw; empty when nothing did. After a failed commit, what it covered may be delivered again; nothing is lost
 */
public record CloseResult(
        Map<TopicPartition, TrackerStatus> partitions, long drained, long abandoned, List<Throwable> failures) {
    public CloseResult {
        partitions = Map.copyOf(partitions);
        failures = List.copyOf(failures);
    }
}
