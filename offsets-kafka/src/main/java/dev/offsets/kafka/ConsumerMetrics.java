package dev.offsets.kafka;

import dev.offsets.kafka.Glance.PartitionGlance;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.Avg;
import org.apache.kafka.common.metrics.stats.Max;
import org.apache.kafka.common.metrics.stats.Meter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer's metrics, in a registry of Kafka's beside that of the Kafka consumer. Counting and reading are for any thread,
 * the rest for the loop thread. All that is measured rather than counted is read of a {@link Glance}, by whoever reads it:
 * the loop does nothing for it.
 */
final class ConsumerMetrics {
    static final String GROUP = "tracked-consumer-metrics";
    static final String COMMIT_LATENCY_AVG = "commit-latency-avg";
    static final String COMMIT_LATENCY_MAX = "commit-latency-max";
    private static final double NANOS_PER_MILLI = 1e6;
    private static final Logger log = LoggerFactory.getLogger(ConsumerMetrics.class);

    private final Consumer<?, ?> consumer;
    private final Metrics registry;
    private final Map<Counter, Sensor> counters = new EnumMap<>(Counter.class);
    private final Sensor commitLatency;
    private Glances glances;

    ConsumerMetrics(Consumer<?, ?> consumer, ConsumerConfiguration configuration) {
        this.consumer = consumer;
        this.registry = MetricsConfiguration.registry(configuration.all(), clientId(consumer, configuration));
        for (Counter counter : Counter.values()) {
            counters.put(counter, sensor(counter));
        }
        this.commitLatency = registry.sensor("commit-latency");
        commitLatency.add(name(COMMIT_LATENCY_AVG, "from a commit request to its confirmation"), new Avg());
        commitLatency.add(name(COMMIT_LATENCY_MAX, "the longest from a commit request to its confirmation"), new Max());
    }

    /** The id that the Kafka consumer has given itself, where the configuration names none. */
    private static String clientId(Consumer<?, ?> consumer, ConsumerConfiguration configuration) {
        return configuration
                .clientId()
                .orElseGet(() -> consumer.metrics().keySet().stream()
                        .map(metric -> metric.tags().get(MetricsConfiguration.CLIENT_ID_TAG))
                        .filter(id -> id != null && !id.isEmpty())
                        .findFirst()
                        .orElseGet(configuration::group));
    }

    private MetricName name(String name, String description) {
        return registry.metricName(name, GROUP, description);
    }

    private Sensor sensor(Counter counter) {
        Sensor sensor = registry.sensor(counter.metricName);
        sensor.add(new Meter(
                name(counter.metricName + "-rate", counter.description + ", a second"),
                name(counter.metricName + "-total", counter.description)));
        return sensor;
    }

    /** What is not counted is read of these from now on. */
    void measure(Glances newGlances) {
        glances = newGlances;
        for (ConsumerGauge gauge : ConsumerGauge.values()) {
            add(gauge);
        }
    }

    private void add(ConsumerGauge gauge) {
        MetricName name = name(gauge.metricName, gauge.description);
        Measurable value = (config, now) -> gauge.value.applyAsDouble(glances.newest());
        registry.addMetric(name, value);
        if (gauge.isPushed()) {
            push(name);
        }
    }

    /** The Kafka client sends it to the brokers, where they ask for it (KIP-714, KIP-1076). */
    private void push(MetricName name) {
        try {
            consumer.registerMetricForSubscription(registry.metric(name));
        } catch (RuntimeException e) {
            log.debug("{} takes no metrics to send to brokers", consumer.getClass(), e);
        }
    }

    void count(Counter counter, long times) {
        counters.get(counter).record(times);
    }

    void commitConfirmed(long latencyNanos) {
        count(Counter.COMMITS_CONFIRMED, 1);
        commitLatency.record(latencyNanos / NANOS_PER_MILLI);
    }

    void owned(TopicPartition partition) {
        Map<String, String> tags = tags(partition);
        for (PartitionGauge gauge : PartitionGauge.values()) {
            Measurable value = (config, now) -> value(gauge, partition);
            registry.addMetric(name(gauge, tags), value);
        }
    }

    private double value(PartitionGauge gauge, TopicPartition partition) {
        PartitionGlance seen = glances.newest().byPartition().get(partition);
        return seen == null ? Double.NaN : gauge.of(seen);
    }

    void gone(TopicPartition partition) {
        Map<String, String> tags = tags(partition);
        for (PartitionGauge gauge : PartitionGauge.values()) {
            registry.removeMetric(name(gauge, tags));
        }
    }

    /** One map for all metrics of a partition, the client's tags included: with thousands of partitions it is what takes most. */
    private Map<String, String> tags(TopicPartition partition) {
        return registry.metricName(
                        GROUP,
                        GROUP,
                        "",
                        "topic",
                        partition.topic(),
                        "partition",
                        String.valueOf(partition.partition()))
                .tags();
    }

    private static MetricName name(PartitionGauge gauge, Map<String, String> tags) {
        return new MetricName(gauge.metricName, GROUP, gauge.description, tags);
    }

    /** The Kafka consumer's and these: a view. */
    Map<MetricName, Metric> besideKafkas() {
        return new JoinedMap<>(consumer.metrics(), registry.metrics());
    }

    void close() {
        for (MetricName name : registry.metrics().keySet()) {
            registry.removeMetric(name);
        }
        registry.close();
    }
}
