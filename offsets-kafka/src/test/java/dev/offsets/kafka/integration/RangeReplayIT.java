package dev.offsets.kafka.integration;

import static org.apache.kafka.common.IsolationLevel.READ_COMMITTED;
import static org.apache.kafka.common.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.kafka.FailurePolicy;
import dev.offsets.kafka.RangeReplay;
import dev.offsets.kafka.RecordFailedException;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.ReplayPoint;
import dev.offsets.kafka.ReplayProgress;
import dev.offsets.kafka.ReplayRange;
import dev.offsets.kafka.TrackedRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges of logs that are read again, beside a group that goes on. */
@Timeout(180)
class RangeReplayIT {
    /** Records in flight at which a partition is paused, by default. */
    private static final int BOUND = 10_000;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private final Map<TopicPartition, Set<Long>> handled = new ConcurrentHashMap<>();
    private final List<String> twice = new ArrayList<>();

    private ReplayRange range(int partitions, ReplayPoint from, ReplayPoint to, IsolationLevel isolationLevel)
            throws Exception {
        List<TopicPartition> all = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            all.add(kafka.partition(partition));
        }
        return ReplayRange.request(kafka.admin(), all, from, to, isolationLevel)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    private RangeReplay<String, String> open(ReplayRange range) {
        return open(range, Map.of());
    }

    private RangeReplay<String, String> open(ReplayRange range, Map<String, String> more) {
        Map<String, Object> configuration = new HashMap<>(kafka.configuration());
        configuration.putAll(more);
        RangeReplay<String, String> replay = RangeReplay.open(configuration, range);
        kafka.closeAtEnd(replay);
        return replay;
    }

    private void handle(ConsumerRecord<String, String> record) {
        boolean first = handled.computeIfAbsent(
                        new TopicPartition(record.topic(), record.partition()), any -> ConcurrentHashMap.newKeySet())
                .add(record.offset());
        if (!first) {
            synchronized (twice) {
                twice.add(record.partition() + "@" + record.offset());
            }
        }
    }

    private void readAll(RangeReplay<String, String> replay) throws Exception {
        ExecutorService workers = kafka.pool(8);
        RecordProcessor<String, String> processor =
                replay.processor(workers, 8).orderedByKey().handle(this::handle);
        Await.until("all is read", () -> processor.process(replay.poll(Duration.ofMillis(20))), () -> replay.isDone());
    }

    private static Set<Long> offsets(long from, long to) {
        return LongStream.range(from, to).boxed().collect(java.util.stream.Collectors.toSet());
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void range_isReadOnce_andNeitherTheGroupNorItsConsumerNotice(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, 500);
        Heard heard = new Heard();
        Member member = kafka.member(protocol).heardBy(heard).subscribe();
        member.completeAll();
        member.until(
                "all is committed",
                () -> kafka.committed().equals(Map.of(kafka.partition(0), 500L, kafka.partition(1), 500L)));
        Map<TopicPartition, OffsetAndMetadata> before = kafka.commits();

        RangeReplay<String, String> replay =
                open(range(2, ReplayPoint.offset(100), ReplayPoint.offset(400), READ_UNCOMMITTED));
        ReplayProgress atFirst = replay.progress();
        assertThat(atFirst.finished()).isZero();
        assertThat(atFirst.total()).isEqualTo(600);
        readAll(replay);
        member.turns(3);

        assertThat(handled)
                .isEqualTo(Map.of(kafka.partition(0), offsets(100, 400), kafka.partition(1), offsets(100, 400)));
        assertThat(twice).isEmpty();
        assertThat(replay.progress().finished()).isEqualTo(600);
        assertThat(replay.progress().timeLeft()).contains(Duration.ZERO);
        assertThat(replay.progress().offsetsPerSecond()).isPositive();
        assertThat(replay.remaining().records()).isZero();
        replay.close();
        assertThat(kafka.commits()).isEqualTo(before);
        assertThat(kafka.members()).isEqualTo(1);
        assertThat(member.received()).hasSize(1_000);
        assertThat(heard.revoked).isEmpty();
        assertThat(heard.lost).isEmpty();
    }

    @Test
    void interrupted_goesOnWhereItWas_andNothingIsLeftOut() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 300);
        RangeReplay<String, String> first = open(
                range(1, ReplayPoint.earliest(), ReplayPoint.latest(), READ_UNCOMMITTED),
                Map.of("max.poll.records", "50"));
        List<TrackedRecord<String, String>> records = new ArrayList<>();
        Await.until(
                "some are read",
                () -> first.poll(Duration.ofMillis(20)).forEach(records::add),
                () -> records.size() >= 100);
        for (TrackedRecord<String, String> record : records) {
            if (record.offset() != 40) {
                handle(record.consumerRecord());
                record.complete();
            }
        }
        first.poll(Duration.ZERO);
        assertThat(first.isDone()).isFalse();
        assertThat(first.remaining().records()).as("in flight is 40").isEqualTo(260);
        assertThat(first.progress().finished()).isBetween(99L, 300L);
        first.close();
        ReplayRange rest = first.remaining();
        assertThat(rest.parts().get(0).from().offset()).hasValue(40);
        assertThat(rest.parts().get(0).to().offset()).hasValue(300);

        readAll(open(rest));
        assertThat(handled).isEqualTo(Map.of(kafka.partition(0), offsets(0, 300)));
        assertThat(twice)
                .as("what had finished above the one that had not is done again")
                .hasSize(records.size() - 41);
    }

    @Test
    void holesAtBothEnds_areNoObstacle() throws Exception {
        kafka.createTopic(1);
        kafka.transaction(0, 5, true); // 0 to 4, marker 5
        kafka.transaction(0, 3, false); // 6 to 8, marker 9
        kafka.produce(0, 2); // 10, 11
        kafka.transaction(0, 3, false); // 12 to 14, marker 15

        readAll(open(
                range(1, ReplayPoint.offset(5), ReplayPoint.latest(), READ_COMMITTED),
                Map.of("isolation.level", "read_committed")));
        assertThat(handled).isEqualTo(Map.of(kafka.partition(0), Set.of(10L, 11L)));
        handled.clear();

        readAll(open(
                range(1, ReplayPoint.offset(6), ReplayPoint.offset(8), READ_COMMITTED),
                Map.of("isolation.level", "read_committed")));
        assertThat(handled).as("aborted records alone").isEmpty();
        readAll(open(range(1, ReplayPoint.offset(6), ReplayPoint.offset(8), READ_UNCOMMITTED)));
        assertThat(handled).isEqualTo(Map.of(kafka.partition(0), Set.of(6L, 7L)));
    }

    @Test
    void compactedLog_isReadToItsEnd() throws Exception {
        kafka.createCompactedTopic();
        ReplayRange range = range(1, ReplayPoint.earliest(), ReplayPoint.latest(), READ_UNCOMMITTED);
        readAll(open(range));

        assertThat(handled.get(kafka.partition(0))).isNotEmpty().hasSizeLessThan((int) range.records());
    }

    @Test
    void betweenTwoMoments_fromAndToAreLookedUp() throws Exception {
        kafka.createTopic(kafka.topic(), 1, Map.of("retention.ms", "-1"));
        try (KafkaProducer<String, String> producer = kafka.producer(Map.of())) {
            for (long timestamp = 1_000; timestamp < 1_050; timestamp++) {
                producer.send(new ProducerRecord<>(kafka.topic(), 0, timestamp, null, "value"))
                        .get();
            }
        }
        readAll(open(range(
                1,
                ReplayPoint.timestamp(Instant.ofEpochMilli(1_010)),
                ReplayPoint.timestamp(Instant.ofEpochMilli(1_020)),
                READ_UNCOMMITTED)));

        assertThat(handled).isEqualTo(Map.of(kafka.partition(0), offsets(10, 20)));
    }

    @Test
    void emptyParts_areDoneAtOnce_alsoWhereEverythingIsEmpty() throws Exception {
        kafka.createTopic(2);
        kafka.produce(0, 5);
        RangeReplay<String, String> replay =
                open(range(2, ReplayPoint.earliest(), ReplayPoint.latest(), READ_UNCOMMITTED));
        readAll(replay);
        assertThat(handled).isEqualTo(Map.of(kafka.partition(0), offsets(0, 5)));

        RangeReplay<String, String> empty =
                open(range(2, ReplayPoint.latest(), ReplayPoint.earliest(), READ_UNCOMMITTED));
        assertThat(empty.isDone()).isTrue();
        assertThat(empty.poll(Duration.ofSeconds(60))).isEmpty();
        assertThat(empty.progress().toLine()).startsWith("0 of 0 offsets (100 %)");
    }

    @Test
    void recordsThatAreWrittenMeanwhile_areNotPartOfIt() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 20);
        RangeReplay<String, String> replay =
                open(range(1, ReplayPoint.earliest(), ReplayPoint.latest(), READ_UNCOMMITTED));
        kafka.produce(0, 20);
        readAll(replay);

        assertThat(handled).isEqualTo(Map.of(kafka.partition(0), offsets(0, 20)));
    }

    @Test
    void whileTheLastRecordsAreWorkedOn_nothingBehindTheEndIsRead() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 200);
        RangeReplay<String, String> replay = open(
                range(1, ReplayPoint.earliest(), ReplayPoint.offset(50), READ_UNCOMMITTED),
                Map.of("max.poll.records", "15"));
        List<TrackedRecord<String, String>> held = new ArrayList<>();
        Await.until(
                "the range is read",
                () -> replay.poll(Duration.ofMillis(20)).forEach(held::add),
                () -> held.size() >= 50);
        assertThat(held).hasSize(50);
        for (int turn = 0; turn < 5; turn++) {
            assertThat(replay.poll(Duration.ofMillis(20))).isEmpty();
        }
        held.forEach(TrackedRecord::complete);
        Await.until("all is finished", () -> replay.poll(Duration.ofMillis(20)), () -> replay.isDone());
    }

    @Test
    void recordThatFails_stopsIt_andIsWhereItGoesOn() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        RangeReplay<String, String> replay =
                open(range(1, ReplayPoint.earliest(), ReplayPoint.latest(), READ_UNCOMMITTED));
        RecordProcessor<String, String> processor = replay.processor(Runnable::run, 1)
                .orderedByPartition()
                .onFailure(FailurePolicy.stopConsumer())
                .handle(record -> {
                    if (record.offset() == 4) {
                        throw new IllegalStateException("bad");
                    }
                    handle(record);
                });

        assertThatThrownBy(() -> Await.until(
                        "it throws",
                        () -> processor.process(replay.poll(Duration.ofMillis(20))),
                        () -> replay.isDone()))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("@4");
        replay.close();
        assertThat(replay.remaining().parts().get(0).from().offset()).hasValue(4);
        assertThat(handled).isEqualTo(Map.of(kafka.partition(0), offsets(0, 4)));
    }

    @Test
    void recordsDeletedBeforeTheyWereRead_areTold() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        ReplayRange range = range(1, ReplayPoint.earliest(), ReplayPoint.latest(), READ_UNCOMMITTED);
        deleteBefore(5);
        RangeReplay<String, String> replay = open(range);

        for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> Await.until("it throws", () -> replay.poll(Duration.ofMillis(20)), () -> false))
                    .isInstanceOf(OffsetOutOfRangeException.class)
                    .hasMessage(kafka.partition(0)
                            + ": the records from 0 up to 5, where the log begins now, were deleted before they were read."
                            + " To go on without them, open remaining()");
        }
        assertThat(replay.isDone()).isFalse();
        assertThat(replay.progress().finished()).isZero();
        readAll(open(replay.remaining()));
        assertThat(handled).isEqualTo(Map.of(kafka.partition(0), offsets(5, 10)));
    }

    @Test
    void everythingDeletedBeforeItWasRead_leavesNothing_butIsNotDone() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        RangeReplay<String, String> replay =
                open(range(1, ReplayPoint.offset(2), ReplayPoint.offset(5), READ_UNCOMMITTED));
        deleteBefore(8);

        assertThatThrownBy(() -> Await.until("it throws", () -> replay.poll(Duration.ofMillis(20)), () -> false))
                .hasMessageContaining("the records from 2 up to 8");
        assertThat(replay.isDone()).isFalse();
        assertThat(replay.remaining().records()).isZero();
        assertThat(open(replay.remaining()).isDone()).isTrue();
    }

    @Test
    void logThatWasMadeAnewAndIsShorter_isNotTakenForTheRest() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        ReplayRange range = range(1, ReplayPoint.offset(8), ReplayPoint.latest(), READ_UNCOMMITTED);
        kafka.deleteTopic(kafka.topic());
        kafka.createTopic(1);
        kafka.produce(0, 3);
        RangeReplay<String, String> replay = open(range);

        assertThatThrownBy(() -> Await.until("it throws", () -> replay.poll(Duration.ofMillis(20)), () -> false))
                .isInstanceOf(OffsetOutOfRangeException.class)
                .hasMessageContaining("8 is beyond the end of the log, which was cut or made anew");
        assertThat(replay.isDone()).isFalse();
    }

    @Test
    void boundReachedWithTheEnd_goesOnWithoutFetchingWhatIsBehind() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, BOUND + 5_000);
        RangeReplay<String, String> replay = open(
                range(1, ReplayPoint.earliest(), ReplayPoint.offset(BOUND), READ_UNCOMMITTED),
                Map.of("value.deserializer", CountingDeserializer.class.getName()));
        List<TrackedRecord<String, String>> held = new ArrayList<>();
        Await.until(
                "as many are held as may be",
                () -> replay.poll(Duration.ofMillis(20)).forEach(held::add),
                () -> held.size() >= BOUND);
        replay.poll(Duration.ZERO); // which finds that the partition is at its bound
        long read = CountingDeserializer.COUNT.get();
        assertThat(read).isEqualTo(BOUND);
        held.forEach(TrackedRecord::complete);
        assertThat(replay.poll(Duration.ofMillis(200))).isEmpty(); // which resumes what is below it

        assertThat(replay.isDone()).isTrue();
        assertThat(CountingDeserializer.COUNT).as("of what is behind the end").hasValue(read);
    }

    /** Counts what is read. */
    public static final class CountingDeserializer extends StringDeserializer {
        static final AtomicLong COUNT = new AtomicLong();

        @Override
        public String deserialize(String topic, Headers headers, ByteBuffer data) {
            COUNT.incrementAndGet();
            return super.deserialize(topic, headers, data);
        }
    }

    private void deleteBefore(long offset) throws Exception {
        kafka.admin()
                .deleteRecords(Map.of(kafka.partition(0), RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    @Test
    void wakeup_cutsAPollShort() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 1);
        RangeReplay<String, String> replay =
                open(range(1, ReplayPoint.earliest(), ReplayPoint.latest(), READ_UNCOMMITTED));
        replay.wakeup();

        assertThatThrownBy(() -> replay.poll(Duration.ofSeconds(60))).isInstanceOf(WakeupException.class);
    }
}
