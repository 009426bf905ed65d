package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.Receipt;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.TrackedRecords;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
class OutOfOrderIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void pool_finishingOutOfOrder_commitsTheEndAndHandlesEachRecordOnce(Protocol protocol) throws Exception {
        int partitions = 3;
        int records = 2_000;
        kafka.createTopic(partitions);
        for (int partition = 0; partition < partitions; partition++) {
            kafka.produce(partition, records);
        }
        ExecutorService pool = kafka.pool(8);
        Queue<TrackedRecord<String, String>> finished = new ConcurrentLinkedQueue<>();
        Member member = kafka.member(protocol)
                .policy(CommitPolicy.batched(500).or(CommitPolicy.timeBounded(Duration.ofMillis(100))))
                .subscribe()
                .handle(record -> pool.execute(() -> {
                    LockSupport.parkNanos(new Random(record.offset()).nextInt(2_000_000));
                    if (record.complete() == Receipt.ACCEPTED) {
                        finished.add(record);
                    }
                }));

        Map<TopicPartition, Long> ends = kafka.ends(partitions);
        member.until("committed is the end", () -> kafka.committed().equals(ends));
        member.until(
                "and known to be so",
                () -> member.consumer().status().values().stream()
                        .allMatch(status -> status.committedOffset().orElse(0) == records));

        // The handler notes a record just after it has reported it
        Await.until("all are noted", () -> finished.size() >= partitions * records);
        assertThat(ends.values()).containsOnly((long) records);
        for (TopicPartition partition : ends.keySet()) {
            List<Long> order = finished.stream()
                    .filter(record -> record.partition() == partition.partition())
                    .map(TrackedRecord::offset)
                    .toList();
            assertThat(order)
                    .isNotEqualTo(sorted(order))
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, records).boxed().toList());
            assertThat(member.receivedOffsets(partition)).hasSize(records);
        }
    }

    static List<Arguments> policies() {
        return List.of(
                Arguments.argumentSet("afterProcessing", CommitPolicy.afterProcessing()),
                Arguments.argumentSet("batched", CommitPolicy.batched(10)),
                Arguments.argumentSet("timeBounded", CommitPolicy.timeBounded(Duration.ofMillis(100))));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void stuckHead_holdsTheCommittedOffset_thenLetsItJump(CommitPolicy policy) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 200);
        Member member = kafka.member().policy(policy).subscribe();
        member.handle(record -> {
            if (record.offset() != 50) {
                record.complete();
            }
        });
        member.receive(200);
        member.until("committed up to the head", () -> Long.valueOf(50).equals(kafka.committed(0)));

        member.turns(20);
        assertThat(kafka.committed(0)).isEqualTo(50);
        assertThat(member.consumer().status().get(kafka.partition(0)).completedAhead())
                .isEqualTo(149);

        assertThat(member.received().get(50).complete()).isEqualTo(Receipt.ACCEPTED);
        member.until("committed is the end", () -> Long.valueOf(200).equals(kafka.committed(0)));
        assertThat(kafka.commits().get(kafka.partition(0)).leaderEpoch()).isPresent();
    }

    @Test
    void consumerRecords_areKafkasOwnObjects_andCompletedThroughTheResult() throws Exception {
        kafka.createTopic(2);
        kafka.produce(0, 100);
        kafka.produce(1, 100);
        Set<ConsumerRecord<?, ?>> ofKafka = Collections.newSetFromMap(new IdentityHashMap<>());
        Map<String, Object> configuration = kafka.configuration();
        Consumer<String, String> noting = new NotingConsumer(configuration, ofKafka);
        try (TrackedConsumer<String, String> consumer = TrackedConsumer.wrap(noting, configuration)
                .commitPolicy(CommitPolicy.afterProcessing())
                .build()) {
            consumer.subscribe(List.of(kafka.topic()));
            ExecutorService pool = kafka.pool(4);
            Set<ConsumerRecord<?, ?>> handled =
                    Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
            Map<TopicPartition, Long> ends = kafka.ends(2);
            Await.until(
                    "committed is the end",
                    () -> {
                        TrackedRecords<String, String> polled = consumer.poll(Duration.ofMillis(20));
                        for (ConsumerRecord<String, String> record : polled.consumerRecords()) {
                            pool.execute(() -> {
                                if (polled.complete(record) == Receipt.ACCEPTED) {
                                    handled.add(record);
                                }
                            });
                        }
                    },
                    () -> kafka.committed().equals(ends));
            Await.until("all are noted", () -> handled.size() >= 200);
            assertThat(handled).hasSize(200);
            assertThat(ofKafka).containsAll(handled);
        }
    }

    /** Notes the very objects that Kafka's poll returns. */
    private static final class NotingConsumer extends KafkaConsumer<String, String> {
        private final Set<ConsumerRecord<?, ?>> noted;

        NotingConsumer(Map<String, Object> configuration, Set<ConsumerRecord<?, ?>> noted) {
            super(configuration);
            this.noted = noted;
        }

        @Override
        public ConsumerRecords<String, String> poll(Duration timeout) {
            ConsumerRecords<String, String> polled = super.poll(timeout);
            polled.forEach(noted::add);
            return polled;
        }
    }

    private static List<Long> sorted(List<Long> offsets) {
        return offsets.stream().sorted().toList();
    }
}
