package dev.offsets.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;

/**
 * Knows where the log of a partition starts as of its last fetch, without asking anybody: from the Kafka consumer's metric
 * {@code records-lead} (<a href="https://cwiki.apache.org/confluence/x/mW6Cb">KIP-223</a>), which is the position less the
 * log's start. Tells records that were deleted before they could be read from those that never stood at an offset. For the
 * loop thread.
 */
final class LogStarts {
    private static final String RECORDS_LEAD = "records-lead";

    private final Consumer<?, ?> consumer;
    private final Map<TopicPartition, Metric> leads = new HashMap<>();

    LogStarts(Consumer<?, ?> consumer) {
        this.consumer = consumer;
    }

    /**
     * The offset at which a partition's log starts.
     *
     * @param position the consumer's position, right after a poll that returned records of the partition
     * @return empty where the consumer has no such metric
     */
    OptionalLong at(TopicPartition topicPartition, long position) {
        Metric lead = leads.computeIfAbsent(topicPartition, this::find);
        return lead != null && lead.metricValue() instanceof Double value && !value.isNaN()
                ? OptionalLong.of(position - Math.round(value))
                : OptionalLong.empty();
    }

    private Metric find(TopicPartition topicPartition) {
        Metric lead = find(topicPartition, topicPartition.topic());
        // Clients before Kafka 4.1 put underscores for dots in metrics (KIP-1109).
        return lead != null ? lead : find(topicPartition, topicPartition.topic().replace('.', '_'));
    }

    private Metric find(TopicPartition topicPartition, String topic) {
        String partition = String.valueOf(topicPartition.partition());
        for (var metric : consumer.metrics().entrySet()) {
            Map<String, String> tags = metric.getKey().tags();
            if (metric.getKey().name().equals(RECORDS_LEAD)
                    && topic.equals(tags.get("topic"))
                    && partition.equals(tags.get("partition"))) {
                return metric.getValue();
            }
        }
        return null;
    }

    void gone(TopicPartition topicPartition) {
        leads.remove(topicPartition);
    }
}
