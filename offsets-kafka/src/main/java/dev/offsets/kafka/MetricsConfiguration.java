package dev.offsets.kafka;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.utils.Time;

/**
 * A registry of Kafka's for metrics, as a consumer's configuration says: with reporters of the classes in {@code
 * metric.reporters}, as the Kafka consumer has them itself, and with its windows for rates.
 */
final class MetricsConfiguration {
    private static final String NAMESPACE = "dev.offsets";
    private static final String CLIENT_ID = CommonClientConfigs.CLIENT_ID_CONFIG;
    static final String CLIENT_ID_TAG = "client-id";
    private static final ConfigDef DEFINITION = new ConfigDef()
            .define(
                    CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG,
                    Type.LIST,
                    JmxReporter.class.getName(),
                    Importance.LOW,
                    "")
            .define(CommonClientConfigs.METRICS_NUM_SAMPLES_CONFIG, Type.INT, 2, Importance.LOW, "")
            .define(CommonClientConfigs.METRICS_SAMPLE_WINDOW_MS_CONFIG, Type.LONG, 30_000, Importance.LOW, "");

    private MetricsConfiguration() {}

    /** To be closed. */
    static Metrics registry(Map<String, Object> configuration, String clientId) {
        AbstractConfig config = new AbstractConfig(DEFINITION, configuration, false);
        MetricConfig windows = new MetricConfig()
                .samples(config.getInt(CommonClientConfigs.METRICS_NUM_SAMPLES_CONFIG))
                .timeWindow(config.getLong(CommonClientConfigs.METRICS_SAMPLE_WINDOW_MS_CONFIG), TimeUnit.MILLISECONDS)
                .tags(Map.of(CLIENT_ID_TAG, clientId));
        List<MetricsReporter> reporters = config.getConfiguredInstances(
                CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, MetricsReporter.class, Map.of(CLIENT_ID, clientId));
        Metrics registry = new Metrics(
                windows,
                reporters,
                Time.SYSTEM,
                new KafkaMetricsContext(
                        NAMESPACE, config.originalsWithPrefix(CommonClientConfigs.METRICS_CONTEXT_PREFIX)));
        // Each registry counts its metrics under the same name, and the Kafka consumer's is beside ours.
        registry.removeMetric(registry.metricName("count", "kafka-metrics-count"));
        return registry;
    }
}
