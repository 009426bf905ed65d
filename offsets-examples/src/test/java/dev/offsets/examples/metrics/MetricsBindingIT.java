package dev.offsets.examples.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.broker.LocalBroker;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The metrics of a consumer on a real broker, as Micrometer binds them and Prometheus reads them. */
@Timeout(120)
class MetricsBindingIT {
    private static final String OURS = "tracked-consumer-metrics";
    private static final TopicPartition P0 = new TopicPartition("orders", 0);
    private static final TopicPartition P1 = new TopicPartition("orders", 1);

    private static LocalBroker broker;

    private final ScheduledExecutorService refresher = Executors.newSingleThreadScheduledExecutor();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @BeforeAll
    static void startBroker() throws Exception {
        broker = LocalBroker.start();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1)))
                    .all()
                    .get();
        }
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < 10; i++) {
                producer.send(new ProducerRecord<>("orders", 0, null, "order " + i));
            }
        }
    }

    @AfterAll
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    private static TrackedConsumer<String, String> consumer(String group) {
        return TrackedConsumer.<String, String>builder(Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "group.id",
                        group,
                        "client.id",
                        "till-1",
                        "auto.offset.reset",
                        "earliest"))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .commitPolicy(CommitPolicy.afterProcessing())
                .ownAdmin()
                .lookEvery(Duration.ofMillis(50))
                .build();
    }

    /** Polls until a condition holds. */
    private static void until(TrackedConsumer<?, ?> consumer, String condition, Callable<Boolean> holds)
            throws Exception {
        long begin = System.nanoTime();
        while (!holds.call()) {
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as(condition)
                    .isLessThan(Duration.ofSeconds(60));
            consumer.poll(Duration.ofMillis(50));
        }
    }

    /** The value of a series in Prometheus's format, with these tags among others; empty when there is none. */
    private static List<Double> valuesIn(String scraped, String series, String... tags) {
        return scraped.lines()
                .filter(line -> line.startsWith(series + "{"))
                .filter(line -> List.of(tags).stream().allMatch(line::contains))
                .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                .toList();
    }

    private List<Double> values(String series, String... tags) {
        return valuesIn(registry.scrape(), series, tags);
    }

    @Test
    void boundWithMicrometer_everyMetricIsThere_countersAreCounters_andSeriesGoWithTheirPartition() throws Exception {
        try (TrackedConsumer<String, String> consumer = consumer("bound");
                KafkaClientMetrics binding = new KafkaClientMetrics(
                        MetricsBinding.metricsOf(consumer), List.of(), refresher, Duration.ofMillis(100))) {
            consumer.assign(Set.of(P0, P1));
            List<TrackedRecord<String, String>> records = new ArrayList<>();
            while (records.size() < 10) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            records.subList(0, 3).forEach(TrackedRecord::complete);
            records.subList(5, 10).forEach(TrackedRecord::complete);
            binding.bindTo(registry);

            until(
                    consumer,
                    "measured",
                    () -> values("kafka_tracked_consumer_committed_offset", "partition=\"0\"")
                                    .equals(List.of(3.0))
                            && values("kafka_tracked_consumer_commit_lag", "partition=\"0\"")
                                    .equals(List.of(7.0)));
            assertThat(values("kafka_tracked_consumer_incomplete_records", "partition=\"0\"", "topic=\"orders\""))
                    .containsExactly(2.0);
            assertThat(values("kafka_tracked_consumer_completed_ahead_records", "partition=\"0\""))
                    .containsExactly(5.0);
            assertThat(values("kafka_tracked_consumer_fetch_lag", "partition=\"0\"", "client_id=\"till-1\""))
                    .containsExactly(0.0);
            assertThat(values("kafka_tracked_consumer_incomplete_records_sum")).containsExactly(2.0);
            assertThat(values("kafka_consumer_fetch_manager_records_lag", "partition=\"0\""))
                    .as("the Kafka consumer's own")
                    .hasSize(1);
            everyMetricHasAMeter(consumer);

            consumer.assign(Set.of(P1));
            until(
                    consumer,
                    "series of the partition that has gone are gone",
                    () -> values("kafka_tracked_consumer_incomplete_records", "partition=\"0\"")
                            .isEmpty());
            assertThat(values("kafka_tracked_consumer_incomplete_records", "partition=\"1\""))
                    .containsExactly(0.0);
        } finally {
            refresher.shutdownNow();
        }
    }

    private void everyMetricHasAMeter(TrackedConsumer<?, ?> consumer) {
        Map<String, List<Meter>> meters = registry.getMeters().stream()
                .collect(Collectors.groupingBy(meter -> meter.getId().getName()));
        Map<String, Long> ours = consumer.metrics().keySet().stream()
                .filter(name -> name.group().equals(OURS))
                .collect(Collectors.groupingBy(MetricName::name, Collectors.counting()));
        assertThat(ours).hasSizeGreaterThan(40);
        ours.forEach((name, count) -> {
            List<Meter> bound = meters.getOrDefault("kafka.tracked.consumer." + name.replace('-', '.'), List.of());
            assertThat(bound).as(name).hasSize(count.intValue());
            assertThat(bound)
                    .as(name)
                    .allSatisfy(meter ->
                            assertThat(meter instanceof FunctionCounter).isEqualTo(name.endsWith("-total")));
        });
        assertThat(registry.scrape())
                .containsPattern(
                        Pattern.compile("(?m)^# TYPE kafka_tracked_consumer_commits_confirmed_total counter$"));
    }

    @Test
    void whatIsBoundForItsMetrics_doesNothingElse() {
        try (TrackedConsumer<String, String> consumer = consumer("metrics-alone")) {
            Consumer<?, ?> bound = MetricsBinding.metricsOf(consumer);

            assertThat(bound.metrics()).hasSameSizeAs(consumer.metrics());
            assertThatThrownBy(bound::close)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("for its metrics alone");
        }
    }

    @Test
    void endpoint_servesThem() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        PrometheusEndpoint.class.getName(),
                        "--bootstrap-server",
                        broker.bootstrapServers(),
                        "--group",
                        "served",
                        "--topic",
                        "orders",
                        "--port",
                        "0")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader output = process.inputReader()) {
            URI address = URI.create(output.readLine());
            HttpRequest request = HttpRequest.newBuilder(address).build();
            String scraped = "";
            while (valuesIn(scraped, "kafka_tracked_consumer_commits_confirmed_total").stream()
                    .noneMatch(total -> total > 0)) {
                scraped = HttpClient.newHttpClient()
                        .send(request, BodyHandlers.ofString())
                        .body();
                assertThat(process.isAlive()).isTrue();
            }
            assertThat(valuesIn(scraped, "kafka_tracked_consumer_status")).hasSize(1);
        } finally {
            process.destroyForcibly();
        }
    }
}
