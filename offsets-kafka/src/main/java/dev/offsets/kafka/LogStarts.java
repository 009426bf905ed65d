package dev.offsets.kafka;

import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Knows where the log of a partition starts as of its last fetch, without asking anybody: from the Kafka consumer's metric
 * {@code records-lead} (<a href="https://cwiki.apache.org/confluence/x/mW6Cb">KIP-223</a>), which is the position less the
 * log's start. Tells records that were deleted before they could be read from those that never stood at an offset. For the
 * loop thread.
 */
final class LogStarts {
    private final FetchMetric leads;

    LogStarts(Consumer<?, ?> consumer) {
        this.leads = new FetchMetric(consumer, "records-lead");
    }

    /**
     * The offset at which a partition's log starts.
     *
     * @param position the consumer's position, right after a poll that returned records of the partition
     * @return empty where the consumer has no such metric
     */
    OptionalLong at(TopicPartition topicPartition, long position) {
        OptionalLong lead = leads.of(topicPartition);
        return lead.isPresent() ? OptionalLong.of(position - lead.getAsLong()) : OptionalLong.empty();
    }

    void gone(TopicPartition topicPartition) {
        leads.gone(topicPartition);
    }
}
