package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.PartitionStatus.Kind;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** What a consumer measures and counts. With a metrics library and on a real broker: MetricsBindingIT in the examples. */
class MetricsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Rig rig = Rig.committingAtOnce();

    private static Stream<Metric> ours(TrackedConsumer<?, ?> consumer) {
        return consumer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().group().equals("tracked-consumer-metrics"))
                .map(Map.Entry::getValue);
    }

    private static Metric metric(TrackedConsumer<?, ?> consumer, String name, TopicPartition partition) {
        List<Metric> found = ours(consumer)
                .filter(metric -> metric.metricName().name().equals(name))
                .filter(metric -> partition == null
                        ? !metric.metricName().tags().containsKey("topic")
                        : partition.topic().equals(metric.metricName().tags().get("topic"))
                                && String.valueOf(partition.partition())
                                        .equals(metric.metricName().tags().get("partition")))
                .toList();
        assertThat(found).as(name).hasSize(1);
        return found.get(0);
    }

    static double value(TrackedConsumer<?, ?> consumer, String name) {
        return (double) metric(consumer, name, null).metricValue();
    }

    private double value(String name) {
        return value(rig.consumer, name);
    }

    private double value(String name, TopicPartition partition) {
        return (double) metric(rig.consumer, name, partition).metricValue();
    }

    /** What is measured is a second old at most. */
    private void aSecondLater() {
        rig.time.advance(SECOND);
    }

    @Test
    void partitionWithWorkInFlight_isMeasured() {
        rig.subscribed(P0, P1);
        rig.kafka.storedOffset(P0, 2);
        rig.kafka.records(P0, 2, 9);
        rig.poll();
        rig.complete(P0, 2, 4, 5);
        rig.tick();
        rig.tick();
        rig.time.advance(SECOND);

        assertThat(value("position", P0)).isEqualTo(10);
        assertThat(value("committable-offset", P0)).isEqualTo(3);
        assertThat(value("committed-offset", P0)).isEqualTo(3);
        assertThat(value("incomplete-records", P0)).isEqualTo(5);
        assertThat(value("completed-ahead-records", P0)).isEqualTo(2);
        assertThat(value("oldest-incomplete-age-ms", P0)).isEqualTo(1_000);
        assertThat(value("partition-status", P0)).isEqualTo(Kind.OK.severity());
        assertThat(value("incomplete-records", P1)).isZero();
        assertThat(value("oldest-incomplete-age-ms", P1)).isZero();
        assertThat(value("committed-offset", P1))
                .as("nothing was ever committed")
                .isNaN();
        assertThat(value("incomplete-records-sum")).isEqualTo(5);
        assertThat(value("completed-ahead-records-sum")).isEqualTo(2);
        assertThat(value("oldest-incomplete-age-ms-max")).isEqualTo(1_000);
        assertThat(value("status")).isEqualTo(Kind.OK.severity());
    }

    @Test
    void withoutAnAdmin_lagsAreNotNumbers() {
        rig.subscribed(P0);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        aSecondLater();

        for (String lag : List.of("commit-lag", "committable-lag", "fetch-lag", "remaining-records")) {
            assertThat(value(lag, P0)).as(lag).isNaN();
        }
        assertThat(value("commit-lag-max")).isNaN();
        assertThat(value("fetch-lag-max")).isNaN();
    }

    @Test
    void blockedPartition_isCountedAndShowsInTheWorstStatus() {
        rig.subscribed(P0, P1);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 9);
        rig.tick();
        assertThat(value("blocked-partitions")).isZero();
        rig.time.advance(Duration.ofMinutes(1));

        assertThat(value("partition-status", P0)).isEqualTo(Kind.BLOCKED.severity());
        assertThat(value("blocked-partitions")).isEqualTo(1);
        assertThat(value("unhealthy-partitions")).isEqualTo(1);
        assertThat(value("status")).isEqualTo(Kind.BLOCKED.severity());
    }

    @Test
    void severity_growsWithTheKind_andTellsHealthyFromNot() {
        assertThat(List.of(Kind.values())).isSortedAccordingTo(Comparator.comparing(kind -> -kind.severity()));
        assertThat(Stream.of(Kind.values()).map(Kind::severity)).doesNotHaveDuplicates();
        for (Kind kind : Kind.values()) {
            assertThat(kind.severity() < 50).as("%s", kind).isEqualTo(kind.isHealthy());
        }
    }

    @Test
    void partitionThatIsRevokedOrLost_hasNoMetricsAnyMore_andHasThemAgainWhenItComesBack() {
        rig.subscribed(P0, P1);
        rig.tick();
        assertThat(partitionsMeasured()).containsExactlyInAnyOrder("0", "1");

        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0));
        rig.tick();
        assertThat(partitionsMeasured()).containsExactly("0");
        rig.kafka.insideNextPoll(() -> rig.kafka.lose(P0));
        rig.tick();
        assertThat(partitionsMeasured()).isEmpty();

        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly(P1));
        rig.tick();
        assertThat(partitionsMeasured()).containsExactly("1");
        assertThat(value("incomplete-records", P1)).isZero();
    }

    private Set<String> partitionsMeasured() {
        return ours(rig.consumer)
                .filter(metric -> metric.metricName().tags().containsKey("partition"))
                .map(metric -> metric.metricName().tags().get("partition"))
                .collect(Collectors.toSet());
    }

    @Test
    void closedConsumer_hasTheKafkaConsumersMetricsAlone() {
        rig.subscribed(P0);
        rig.tick();
        assertThat(ours(rig.consumer)).isNotEmpty();
        rig.consumer.close();

        assertThat(ours(rig.consumer)).isEmpty();
        assertThat(rig.consumer.metrics()).isNotEmpty();
    }

    @Test
    void commits_areCountedAndTimed() {
        rig.subscribed(P0);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.complete(P0, 0);
        rig.kafka.holdAnswers();
        rig.tick();
        assertThat(value("commits-sent-total")).isEqualTo(1);
        assertThat(value("commits-confirmed-total")).isZero();
        assertThat(value("commit-latency-max")).isNaN();

        rig.time.advance(Duration.ofMillis(40));
        rig.kafka.releaseAnswers();
        rig.tick();
        assertThat(value("commits-confirmed-total")).isEqualTo(1);
        assertThat(value("commit-latency-max")).isEqualTo(40);
        assertThat(value("commit-latency-avg")).isEqualTo(40);

        rig.complete(P0, 1);
        rig.kafka.failNextAsync(new RetriableException("not now") {
            private static final long serialVersionUID = 1;
        });
        rig.tick();
        rig.tick();
        assertThat(value("commits-failed-total")).isEqualTo(1);
        assertThat(value("commits-sent-total")).isGreaterThanOrEqualTo(2);
        assertThat(value("commits-sent-rate")).isPositive();
    }

    @Test
    void drainThatEndsBeforeTheWork_isCounted_withTheWorkThatWasLeft() {
        rig.subscribed(P0, P1);
        rig.kafka.records(P0, 0, 2);
        rig.poll();
        rig.complete(P0, 0);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.tick();
        assertThat(value("drains-abandoned-total")).isEqualTo(1);
        assertThat(value("records-abandoned-total")).isEqualTo(2);

        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());
        rig.tick();
        assertThat(value("drains-abandoned-total"))
                .as("nothing ran on the other partition")
                .isEqualTo(1);
    }

    @Test
    void pauses_areCountedApart_byWhoseTheyAre() {
        Rig bounded = Rig.with(
                        builder -> builder.maxInFlightPerPartition(2).commitPolicy(CommitPolicy.afterProcessing()))
                .subscribed(P0, P1);
        bounded.kafka.records(P0, 0, 2);
        bounded.poll();
        bounded.tick();
        bounded.consumer.pause(Set.of(P1));
        bounded.time.advance(SECOND);
        assertThat(value(bounded.consumer, "paused-partitions")).isEqualTo(1);
        assertThat(value(bounded.consumer, "user-paused-partitions")).isEqualTo(1);

        bounded.completeAll(P0, 0, 2);
        bounded.tick();
        bounded.consumer.resume(Set.of(P1));
        bounded.time.advance(SECOND);
        assertThat(value(bounded.consumer, "paused-partitions")).isZero();
        assertThat(value(bounded.consumer, "user-paused-partitions")).isZero();
    }

    @Test
    void pausedPartitionThatGoes_isNotCountedAnyMore() {
        Rig bounded = Rig.with(builder -> builder.maxInFlightPerPartition(1)).subscribed(P0);
        bounded.kafka.records(P0, 0, 2);
        bounded.poll();
        bounded.tick();
        bounded.kafka.insideNextPoll(() -> bounded.kafka.lose(P0));
        bounded.tick();

        assertThat(value(bounded.consumer, "paused-partitions")).isZero();
        assertThat(value(bounded.consumer, "records-abandoned-total"))
                .as("lost with their partition")
                .isEqualTo(3);
    }

    @Test
    void processorsWork_isMeasuredAndCounted() {
        ProcessorRig pool = new ProcessorRig();
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        FailurePolicy deadLetter = FailurePolicy.deadLetter(DeadLetters.to(producer, "dead"));
        FailurePolicy byOffset = failure -> {
            if (failure.offset() == 0) {
                return failure.attempts() == 1 ? FailureAction.retryAfter(SECOND) : FailureAction.skip("enough");
            }
            return failure.offset() == 1 ? FailureAction.stopPartition() : deadLetter.onFailure(failure);
        };
        pool.working(3, processor -> processor.onFailure(byOffset), P0);
        pool.kafka.records(P0, 0, 3);
        pool.kafka.undecodable(P0, 3);
        pool.turn();
        pool.time.advance(SECOND);
        assertThat(value(pool.rig.consumer, "running-records")).isEqualTo(3);
        assertThat(value(pool.rig.consumer, "queued-records")).isZero();

        pool.failed(P0, 0, new Exception("first"));
        pool.turn();
        pool.turn();
        producer.completeNext();
        pool.time.advance(Duration.ofMillis(999));
        assertThat(value(pool.rig.consumer, "records-failed-total"))
                .as("the first attempt, and the record that could not be deserialized")
                .isEqualTo(2);
        assertThat(value(pool.rig.consumer, "records-retried-total")).isEqualTo(1);
        assertThat(value(pool.rig.consumer, "records-dead-lettered-total")).isEqualTo(1);

        pool.time.advance(Duration.ofMillis(1));
        assertThat(value(pool.rig.consumer, "waiting-retries")).isEqualTo(1);
        pool.turn();
        pool.done(P0, 2);
        pool.failed(P0, 0, new Exception("second"));
        pool.turn();
        assertThat(value(pool.rig.consumer, "records-skipped-total")).isEqualTo(1);
        pool.time.advance(SECOND);
        assertThat(value(pool.rig.consumer, "waiting-retries")).isZero();

        pool.failed(P0, 1, new Exception("third"));
        pool.turn();
        pool.time.advance(SECOND);
        assertThat(value(pool.rig.consumer, "stopped-partitions")).isEqualTo(1);
        assertThat(value(pool.rig.consumer, "records-failed-total")).isEqualTo(4);
    }

    @Test
    void failedSendOfADeadLetter_isNoDeadLetter() {
        ProcessorRig pool = new ProcessorRig();
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        DeadLetters letters =
                DeadLetters.to(producer, "dead").ifSendFails(failure -> FailureAction.skip("can't be sent"));
        pool.working(2, processor -> processor.onFailure(FailurePolicy.deadLetter(letters)), P0);
        pool.kafka.records(P0, 0, 0);
        pool.kafka.undecodable(P0, 0);
        pool.turn();
        producer.errorNext(new RuntimeException("refused"));
        pool.executor.runAll();

        assertThat(value(pool.rig.consumer, "records-failed-total")).isEqualTo(2);
        assertThat(value(pool.rig.consumer, "records-dead-lettered-total")).isZero();
        assertThat(value(pool.rig.consumer, "records-skipped-total")).isEqualTo(1);
    }

    @Test
    void everyName_isUsedAtOneLevelOnly_andEveryTotalIsACounterOfKafkas() {
        rig.subscribed(P0, P1);
        rig.tick();
        Map<String, List<Set<String>>> tagsByName = ours(rig.consumer)
                .map(Metric::metricName)
                .collect(Collectors.groupingBy(
                        MetricName::name, Collectors.mapping(name -> name.tags().keySet(), Collectors.toList())));

        assertThat(tagsByName)
                .allSatisfy(
                        (name, tags) -> assertThat(Set.copyOf(tags)).as(name).hasSize(1));
        assertThat(ours(rig.consumer)).allSatisfy(metric -> {
            MetricName name = metric.metricName();
            assertThat(metric.metricValue()).as("%s", name).isInstanceOf(Double.class);
            assertThat(name.tags()).containsEntry("client-id", "group");
            assertThat(name.name()).matches("[a-z]+(-[a-z]+)*");
            assertThat(((KafkaMetric) metric).measurable() instanceof CumulativeSum)
                    .as("%s is a counter", name)
                    .isEqualTo(name.name().endsWith("-total"));
        });
    }

    @Test
    void metrics_areReadByAnyThread_whileTheLoopPolls() {
        rig.subscribed(P0);
        AtomicInteger read = new AtomicInteger();
        rig.kafka.insideNextPoll(() -> CompletableFuture.runAsync(() -> ours(rig.consumer)
                        .forEach(metric -> {
                            assertThat(metric.metricValue()).isNotNull();
                            read.incrementAndGet();
                        }))
                .join());
        rig.tick();

        assertThat(read).hasPositiveValue();
    }

    @Test
    void whatIsMeasuredWithinASecond_isOfOneGlance() {
        AtomicInteger taken = new AtomicInteger();
        List<Object> owned = new ArrayList<>(List.of("a"));
        Glances glances = new Glances(
                () -> {
                    taken.incrementAndGet();
                    return new Glance(Map.of(), 0, 0, ProcessorStatus.NOTHING);
                },
                () -> owned.get(0),
                rig.time);
        glances.newest();
        rig.time.advance(Duration.ofMillis(999));
        glances.newest();
        assertThat(taken).hasValue(1);
        rig.time.advance(Duration.ofMillis(1));
        glances.newest();
        assertThat(taken).hasValue(2);
        owned.set(0, "b");
        glances.newest();
        assertThat(taken).as("another partition").hasValue(3);
    }

    // ---- Reporters and names ----

    /** Keeps what it was told. */
    public static final class Noting implements MetricsReporter {
        static final Map<MetricName, KafkaMetric> METRICS = new HashMap<>();
        static final List<Object> CLIENT_IDS = new ArrayList<>();
        static int closed;

        @Override
        public void configure(Map<String, ?> configs) {
            CLIENT_IDS.add(configs.get("client.id"));
        }

        @Override
        public void init(List<KafkaMetric> metrics) {}

        @Override
        public void metricChange(KafkaMetric metric) {
            METRICS.put(metric.metricName(), metric);
        }

        @Override
        public void metricRemoval(KafkaMetric metric) {
            METRICS.remove(metric.metricName());
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private static Map<String, Object> with(Object... more) {
        Map<String, Object> config = new HashMap<>(Rig.CONFIG);
        for (int i = 0; i < more.length; i += 2) {
            config.put((String) more[i], more[i + 1]);
        }
        return config;
    }

    @Test
    void configuredReporter_isToldOfAll_andClosedWithTheConsumer() {
        Rig reported = Rig.withConfig(with("metric.reporters", Noting.class.getName(), "client.id", "till-1"))
                .subscribed(P0);
        reported.tick();
        assertThat(Noting.CLIENT_IDS).contains("till-1");
        assertThat(Noting.METRICS.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        ours(reported.consumer).map(Metric::metricName).toList());
        int closedBefore = Noting.closed;
        reported.consumer.close();

        assertThat(Noting.METRICS).isEmpty();
        assertThat(Noting.closed).isEqualTo(closedBefore + 1);
    }

    @Test
    void reporterThatCanNotBeMade_isRefused_andTheWrappedConsumerClosed() {
        SimulatedConsumer kafka = new SimulatedConsumer();

        assertThatThrownBy(() -> TrackedConsumer.wrap(kafka, with("metric.reporters", "no.such.Reporter"))
                        .build())
                .hasMessageContaining("no.such.Reporter");
        assertThat(kafka.isClosed()).isTrue();
        assertThatThrownBy(() -> Rig.withConfig(with("metrics.num.samples", "many")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("metrics.num.samples");
    }

    @Test
    void byDefault_theyAreInJmx_andGoneWithPartitionAndConsumer() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName ofConsumer = new ObjectName("dev.offsets:type=tracked-consumer-metrics,client-id=jmx-test");
        ObjectName ofPartition =
                new ObjectName("dev.offsets:type=tracked-consumer-metrics,client-id=jmx-test,topic=topic,partition=0");
        Map<String, Object> config = with("client.id", "jmx-test");
        config.remove("metric.reporters");
        Rig jmx = Rig.withConfig(config).subscribed(P0);
        jmx.kafka.records(P0, 0, 4);
        jmx.poll();

        assertThat(server.getAttribute(ofPartition, "incomplete-records")).isEqualTo(5.0);
        assertThat(server.getAttribute(ofConsumer, "incomplete-records-sum")).isEqualTo(5.0);
        jmx.kafka.insideNextPoll(() -> jmx.kafka.lose(P0));
        jmx.tick();
        assertThat(server.isRegistered(ofPartition)).isFalse();
        assertThat(server.isRegistered(ofConsumer)).isTrue();
        jmx.consumer.close();
        assertThat(server.isRegistered(ofConsumer)).isFalse();
        assertThat(server.queryNames(new ObjectName("dev.offsets:client-id=jmx-test,*"), null))
                .isEmpty();
    }

    @Test
    void idThatTheKafkaConsumerGaveItself_isTheirsToo() {
        MetricName kafkas = new MetricName("any", "any", "", Map.of("client-id", "consumer-group-7"));
        MockConsumer<String, String> kafka = new MockConsumer<>("earliest") {
            @Override
            public Map<MetricName, ? extends Metric> metrics() {
                return Map.of(kafkas, rigMetric());
            }
        };
        TrackedConsumer<String, String> consumer =
                TrackedConsumer.wrap(kafka, Rig.CONFIG).build();

        assertThat(ours(consumer))
                .allSatisfy(metric ->
                        assertThat(metric.metricName().tags()).containsEntry("client-id", "consumer-group-7"));
        consumer.close();
    }

    private Metric rigMetric() {
        return metric(rig.consumer, "status", null);
    }

    @Test
    void theFewForBrokers_areGivenToTheKafkaConsumer() {
        MockConsumer<String, String> kafka = new MockConsumer<>("earliest");
        TrackedConsumer<String, String> consumer =
                TrackedConsumer.wrap(kafka, Rig.CONFIG).build();

        assertThat(kafka.addedMetrics())
                .extracting(metric -> metric.metricName().name())
                .containsExactlyInAnyOrder(
                        "status", "commit-lag-max", "incomplete-records-sum", "oldest-incomplete-age-ms-max");
        consumer.close();
    }

    @Test
    void joinedMap_isAViewOfBoth() {
        Map<String, Integer> first = new HashMap<>(Map.of("a", 1));
        Map<String, Integer> second = new HashMap<>(Map.of("b", 2));
        Map<String, Integer> joined = new JoinedMap<>(first, second);
        second.put("c", 3);

        assertThat(joined).isEqualTo(Map.of("a", 1, "b", 2, "c", 3));
        assertThat(joined.containsKey("c")).isTrue();
        assertThat(joined.get("d")).isNull();
        assertThatThrownBy(() -> joined.put("d", 4)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(joined.values().stream().mapToInt(each -> each).sum()).isCloseTo(6, within(0));
    }
}
