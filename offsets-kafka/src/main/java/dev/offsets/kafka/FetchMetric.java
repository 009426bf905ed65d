package dev.offsets.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;

/** A whole number that the Kafka consumer measures for each partition at each fetch. For the loop thread. */
final class FetchMetric {
    private final Consumer<?, ?> consumer;
    private final String name;
    private final Map<TopicPartition, Metric> found = new HashMap<>();

    FetchMetric(Consumer<?, ?> consumer, String name) {
        this.consumer = consumer;
        this.name = name;
    }

    /** Empty where the consumer has no such metric, or has not measured it yet. */
    OptionalLong of(TopicPartition topicPartition) {
        Metric metric = found.computeIfAbsent(topicPartition, this::find);
        return metric != null && metric.metricValue() instanceof Double value && !value.isNaN()
                ? OptionalLong.of(Math.round(value))
                : OptionalLong.empty();
    }

    private Metric find(TopicPartition topicPartition) {
        Metric metric = find(topicPartition, topicPartition.topic());
        // Clients before Kafka 4.1 put underscores for dots in metrics (KIP-1109).
        return metric != null
                ? metric
                : find(topicPartition, topicPartition.topic().replace('.', '_'));
    }

    private Metric find(TopicPartition topicPartition, String topic) {
        String partition = String.valueOf(topicPartition.partition());
        for (var metric : consumer.metrics().entrySet()) {
            Map<String, String> tags = metric.getKey().tags();
            if (metric.getKey().name().equals(name)
                    && topic.equals(tags.get("topic"))
                    && partition.equals(tags.get("partition"))) {
                return metric.getValue();
            }
        }
        return null;
    }

    void gone(TopicPartition topicPartition) {
        found.remove(topicPartition);
    }

    /** Partitions have come and gone. */
    void forgetAll() {
        found.clear();
    }
}
