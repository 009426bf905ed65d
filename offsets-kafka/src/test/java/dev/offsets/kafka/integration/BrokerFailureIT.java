package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.Receipt;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The broker goes away in mid-stream and comes back: the consumer goes on by itself, and nothing is lost. */
@Timeout(180)
class BrokerFailureIT {
    private static final int RECORDS = 500;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @CsvSource({"CLASSIC_COOPERATIVE, stop", "CONSUMER, stop", "CLASSIC_EAGER, kill", "CONSUMER, kill"})
    void brokerRestart_inMidStream_losesNothing(Protocol protocol, String how) throws Exception {
        kafka.createTopic(2);
        kafka.produce(0, RECORDS);
        kafka.produce(1, RECORDS);
        Map<Integer, Set<Long>> finished = Map.of(0, ConcurrentHashMap.newKeySet(), 1, ConcurrentHashMap.newKeySet());
        AtomicBoolean released = new AtomicBoolean();
        ExecutorService pool = kafka.pool(4);
        Member member = kafka.member(protocol)
                .with("max.poll.records", 100)
                .set(builder -> builder.maxInFlightPerPartition(200).drainTimeout(Duration.ofMillis(300)))
                .policy(CommitPolicy.batched(50).or(CommitPolicy.timeBounded(Duration.ofMillis(100))))
                .subscribe();
        member.handle(record -> {
            // In the first partition the head is stuck until the broker has come back, however often it is delivered
            if (record.partition() != 0 || record.offset() != 100 || released.get()) {
                pool.execute(() -> finish(record, finished));
            }
        });
        member.until(
                "in mid-stream",
                () -> kafka.committed().equals(Map.of(kafka.partition(0), 100L, kafka.partition(1), (long) RECORDS)));
        int epochBefore = leaderEpoch();

        CompletableFuture<Void> restart = CompletableFuture.runAsync(() -> {
            if (how.equals("kill")) {
                kafka.broker().kill();
            }
            kafka.broker().restart();
        });
        try {
            member.until("the broker is back", restart::isDone);
        } finally {
            restart.get(100, TimeUnit.SECONDS);
        }
        released.set(true);
        member.received(kafka.partition(0)).stream()
                .filter(record -> record.offset() == 100)
                .forEach(record -> finish(record, finished));
        kafka.produce(0, RECORDS);
        kafka.produce(1, RECORDS);

        Map<TopicPartition, Long> ends = kafka.ends(2);
        member.until("committed is the end", () -> kafka.committed().equals(ends));
        for (int partition = 0; partition < 2; partition++) {
            Set<Long> ofPartition = finished.get(partition);
            // The handler notes a record just after it has reported it
            Await.until("all are noted", () -> ofPartition.size() >= 2 * RECORDS);
            assertThat(ofPartition)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, 2 * RECORDS).boxed().toList());
        }
        assertThat(leaderEpoch()).isGreaterThan(epochBefore);
    }

    private int leaderEpoch() throws Exception {
        return kafka.commits().get(kafka.partition(0)).leaderEpoch().orElseThrow();
    }

    private static void finish(TrackedRecord<String, String> record, Map<Integer, Set<Long>> finished) {
        if (record.complete() == Receipt.ACCEPTED) {
            finished.get(record.partition()).add(record.offset());
        }
    }
}
