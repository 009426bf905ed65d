package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.kafka.Time.Deadline;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** Reading records once more: how often, how long, and what is taken for the same record. */
class OriginalRecordsTest {
    private static final int IN_A_FETCH = 10;

    private final VirtualTime time = new VirtualTime();
    private final Exception error = new Exception("error");
    private final Log log = new Log();
    private Map<String, Object> configuration;
    private int consumers;

    /** A log without end; a fetch holds ten records. */
    private final class Log extends MockConsumer<byte[], byte[]> {
        private final Map<TopicPartition, Long> positions = new HashMap<>();
        private long timestamp = 7;
        private int leaderEpoch = 1;
        private boolean answers = true;
        private int polls;
        private boolean isClosed;

        Log() {
            super("none");
        }

        @Override
        public void seek(TopicPartition partition, long offset) {
            positions.put(partition, offset);
        }

        @Override
        public long position(TopicPartition partition, Duration timeout) {
            return positions.get(partition);
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            polls++;
            if (!answers) {
                time.advance(timeout);
                return ConsumerRecords.empty();
            }
            TopicPartition partition = assignment().iterator().next();
            long first = positions.get(partition);
            positions.put(partition, first + IN_A_FETCH);
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            for (long offset = first; offset < first + IN_A_FETCH; offset++) {
                records.add(record(partition, offset, timestamp, leaderEpoch, new byte[] {(byte) offset}));
            }
            return new ConsumerRecords<>(Map.of(partition, records), Map.of());
        }

        @Override
        @SuppressWarnings("deprecation")
        public void close(Duration timeout) {
            isClosed = true;
        }
    }

    private static <V> ConsumerRecord<byte[], V> record(
            TopicPartition partition, long offset, long timestamp, int leaderEpoch, V value) {
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                offset,
                timestamp,
                TimestampType.CREATE_TIME,
                0,
                0,
                null,
                value,
                new RecordHeaders(),
                Optional.of(leaderEpoch));
    }

    private static ConsumerRecord<byte[], String> polled(TopicPartition partition, long offset) {
        return record(partition, offset, 7, 1, "value");
    }

    private final OriginalRecords originals = new OriginalRecords(
            new ConsumerConfiguration(Map.of(
                    "group.id",
                    "group",
                    "group.instance.id",
                    "instance",
                    "group.protocol",
                    "consumer",
                    "client.id",
                    "client",
                    "auto.offset.reset",
                    "earliest",
                    "interceptor.classes",
                    "any",
                    "max.poll.records",
                    1,
                    "security.protocol",
                    "SSL",
                    "default.api.timeout.ms",
                    5_000)),
            false,
            config -> {
                configuration = config;
                consumers++;
                return log;
            },
            time);

    private long sent(TopicPartition partition, long offset) {
        DeadLetter letter = originals.deadLetter(polled(partition, offset), error);
        assertThat(letter.group()).isEqualTo("group");
        assertThat(letter.error()).isSameAs(error);
        return letter.original().value()[0];
    }

    @Test
    void consumer_isMadeWhenItIsNeeded_once_outsideOfTheGroup() {
        assertThat(consumers).isZero();
        sent(P0, 1);
        sent(P1, 100);

        assertThat(consumers).isEqualTo(1);
        assertThat(configuration)
                .containsEntry("security.protocol", "SSL")
                .containsEntry("client.id", "client-dead-letters")
                .containsEntry("auto.offset.reset", "none")
                .containsEntry("enable.auto.commit", false)
                .containsEntry("allow.auto.create.topics", false)
                // A record near the end of its log is there at once, not after half a second
                .containsEntry("fetch.max.wait.ms", 10)
                .doesNotContainKeys(
                        "group.id", "group.instance.id", "group.protocol", "interceptor.classes", "max.poll.records");
    }

    @Test
    void neighbours_costOneFetch_ofSeveralPartitionsToo() {
        for (long offset = 20; offset < 20 + IN_A_FETCH; offset++) {
            assertThat(sent(P0, offset)).isEqualTo(offset);
            assertThat(sent(P1, offset)).isEqualTo(offset);
        }

        assertThat(log.polls).isEqualTo(2);
    }

    @Test
    void fetchesOfManyPartitions_areNotAllKept() {
        for (int partition = 0; partition < 17; partition++) {
            sent(new TopicPartition("topic", partition), 1);
        }
        sent(new TopicPartition("topic", 16), 2);
        assertThat(log.polls).isEqualTo(17);
        sent(new TopicPartition("topic", 0), 2);

        assertThat(log.polls).isEqualTo(18);
    }

    @Test
    void anotherRecordAtTheOffset_isNotSent() {
        log.timestamp = 8;
        assertThatThrownBy(() -> sent(P0, 1)).isInstanceOf(RecordNotInLogException.class);
        log.timestamp = 7;
        log.leaderEpoch = 2;
        assertThatThrownBy(() -> sent(P0, 1))
                .isInstanceOfSatisfying(RecordNotInLogException.class, gone -> {
                    assertThat(gone.topicPartition()).isEqualTo(P0);
                    assertThat(gone.offset()).isEqualTo(1);
                })
                .hasMessage("record topic-0@1 is not in its topic any more: its bytes can't be sent as a dead letter");
    }

    @Test
    void whatWasKeptIsAnotherRecord_isReadAgain() {
        log.leaderEpoch = 0;
        assertThatThrownBy(() -> sent(P0, 1)).isInstanceOf(RecordNotInLogException.class);
        log.leaderEpoch = 1;

        assertThat(sent(P0, 2)).isEqualTo(2);
    }

    @Test
    void recordWithoutTimestampOrEpoch_fromAnInterceptor_isTheSame() {
        ConsumerRecord<byte[], String> made = new ConsumerRecord<>("topic", 0, 3, null, "made up");

        assertThat(originals.deadLetter(made, error).original().value()).containsExactly(3);
    }

    @Test
    void noAnswer_failsInTime() {
        log.answers = false;
        assertThatThrownBy(() -> sent(P0, 1))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("record topic-0@1 could not be read once more within default.api.timeout.ms");

        assertThat(time.elapsed()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void undecodable_isNotReadAgain() {
        ConsumerRecord<byte[], byte[]> raw = new UndecodableRecord(new RecordDeserializationException(
                DeserializationExceptionOrigin.VALUE,
                P0,
                1,
                7,
                TimestampType.CREATE_TIME,
                null,
                ByteBuffer.wrap(new byte[] {1, 2, 3}, 1, 2),
                new RecordHeaders(),
                "message",
                error));

        assertThat(raw.key()).isNull();
        assertThat(raw.value()).containsExactly(2, 3);

        assertThat(originals.deadLetter(raw, error).original()).isSameAs(raw);
        assertThat(consumers).isZero();
    }

    @Test
    void closed_closesItsConsumer_andReadsNoMore() {
        sent(P0, 1);
        originals.close(Deadline.in(time, Duration.ofSeconds(1)));

        assertThat(log.isClosed).isTrue();
        assertThatThrownBy(() -> sent(P0, 2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the consumer has been closed: records are not read once more");
        assertThat(consumers).isEqualTo(1);
    }

    @Test
    void closedByAThreadThatIsInterrupted_closesItsConsumerAllTheSame() {
        sent(P0, 1);
        Thread.currentThread().interrupt();
        originals.close(Deadline.in(time, Duration.ofSeconds(1)));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(log.isClosed).isTrue();
    }

    @Test
    void closedWithoutHavingRead_makesNoConsumer() {
        originals.close(Deadline.in(time, Duration.ofSeconds(1)));

        assertThat(consumers).isZero();
    }
}
