package dev.offsets.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.broker.LocalBroker;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import io.confluent.parallelconsumer.internal.DrainingCloseable.DrainingMode;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A group that changes over from Parallel Consumer, or to it, loses nothing, and repeats what a plain restart would. */
@Timeout(180)
class ChangeOverIT {
    private static final int RECORDS = 100;
    private static final long STUCK = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Its log, by which it is known to be ready, goes where the benchmarks' own does not. */
    private static final List<String> BROKER_ARGUMENTS = List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dslf4j.provider=org.apache.logging.slf4j.SLF4JServiceProvider");

    private static LocalBroker broker;
    private static Admin admin;

    @BeforeAll
    static void start() {
        broker = LocalBroker.builder().jvmArguments(BROKER_ARGUMENTS).start();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    @AfterAll
    static void close() {
        admin.close();
        broker.close();
    }

    @Test
    void fromParallelConsumer_everythingFromTheCommittedOffsetOnIsDelivered() throws Exception {
        String topic = filledTopic("from");
        CountDownLatch never = new CountDownLatch(1);
        Set<Long> handled = new ConcurrentSkipListSet<>();
        ParallelStreamProcessor<String, String> processor = parallelConsumer(topic);
        processor.poll(context -> {
            if (context.offset() == STUCK) {
                awaitQuietly(never);
            }
            handled.add(context.offset());
        });
        until(() -> handled.size() == RECORDS - 1 && isStoredWithMetadata(topic));
        processor.close(Duration.ofSeconds(1), DrainingMode.DONT_DRAIN);
        assertThat(stored(topic).offset()).isEqualTo(STUCK);
        assertThat(stored(topic).metadata()).isNotEmpty();
        until(() -> isEmpty(topic));

        Set<Long> delivered = new ConcurrentSkipListSet<>();
        try (TrackedConsumer<String, String> consumer = tracked(topic)) {
            until(() -> {
                for (TrackedRecord<String, String> record : consumer.poll(Duration.ofMillis(50))) {
                    delivered.add(record.offset());
                    record.complete();
                }
                return stored(topic).offset() == RECORDS;
            });
        } finally {
            never.countDown();
        }
        assertThat(delivered).containsExactlyElementsOf(from(STUCK));
    }

    @Test
    void toParallelConsumer_everythingFromTheCommittedOffsetOnIsDelivered() throws Exception {
        String topic = filledTopic("to");
        try (TrackedConsumer<String, String> consumer = tracked(topic)) {
            Set<Long> received = new ConcurrentSkipListSet<>();
            until(() -> {
                for (TrackedRecord<String, String> record : consumer.poll(Duration.ofMillis(50))) {
                    received.add(record.offset());
                    if (record.offset() != STUCK) {
                        record.complete();
                    }
                }
                return received.size() == RECORDS;
            });
            consumer.close(Duration.ofSeconds(1));
        }
        assertThat(stored(topic).offset()).isEqualTo(STUCK);
        assertThat(stored(topic).metadata()).startsWith("R.");
        until(() -> isEmpty(topic));

        Set<Long> handled = new ConcurrentSkipListSet<>();
        ParallelStreamProcessor<String, String> processor = parallelConsumer(topic);
        processor.poll(context -> handled.add(context.offset()));
        until(() -> stored(topic).offset() == RECORDS);
        processor.close();
        assertThat(handled).containsExactlyElementsOf(from(STUCK));
    }

    private static List<Long> from(long offset) {
        return LongStream.range(offset, RECORDS).boxed().toList();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted at work", e);
        }
    }

    private static String filledTopic(String name) throws Exception {
        admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(name, 0, "key " + i, "value " + i));
            }
        }
        return name;
    }

    private static Map<String, Object> configuration(String group) {
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("bootstrap.servers", broker.bootstrapServers());
        configuration.put("group.id", group);
        configuration.put("enable.auto.commit", "false");
        configuration.put("auto.offset.reset", "earliest");
        configuration.put("key.deserializer", StringDeserializer.class.getName());
        configuration.put("value.deserializer", StringDeserializer.class.getName());
        return configuration;
    }

    private static TrackedConsumer<String, String> tracked(String topic) {
        TrackedConsumer<String, String> consumer = TrackedConsumer.<String, String>builder(configuration(topic))
                .commitPolicy(CommitPolicy.afterProcessing())
                .admin(admin)
                .resumeMaps()
                .build();
        consumer.subscribe(List.of(topic));
        return consumer;
    }

    private static ParallelStreamProcessor<String, String> parallelConsumer(String topic) {
        ParallelStreamProcessor<String, String> processor =
                ParallelStreamProcessor.createEosStreamProcessor(ParallelConsumerOptions.<String, String>builder()
                        .consumer(new KafkaConsumer<>(configuration(topic)))
                        .ordering(ProcessingOrder.UNORDERED)
                        .maxConcurrency(4)
                        .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
                        .commitInterval(Duration.ofMillis(200))
                        .build());
        processor.subscribe(List.of(topic));
        return processor;
    }

    private static boolean isStoredWithMetadata(String topic) throws Exception {
        OffsetAndMetadata stored = stored(topic);
        return stored.offset() == STUCK && !stored.metadata().isEmpty();
    }

    /** What the group of a topic, which has its name, has stored. */
    private static OffsetAndMetadata stored(String topic) throws Exception {
        OffsetAndMetadata stored = admin.listConsumerGroupOffsets(topic)
                .partitionsToOffsetAndMetadata()
                .get()
                .get(new TopicPartition(topic, 0));
        return stored == null ? new OffsetAndMetadata(0) : stored;
    }

    private static boolean isEmpty(String group) throws Exception {
        return admin.describeConsumerGroups(List.of(group))
                .describedGroups()
                .get(group)
                .get()
                .members()
                .isEmpty();
    }

    private static void until(Callable<Boolean> holds) throws Exception {
        long start = System.nanoTime();
        while (!holds.call()) {
            assertThat(System.nanoTime() - start).as("nanoseconds").isLessThan(PATIENCE.toNanos());
            LockSupport.parkNanos(5_000_000);
        }
    }
}
