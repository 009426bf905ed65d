package dev.offsets.kafka;

import static dev.offsets.kafka.ProcessorRig.MANY;
import static dev.offsets.kafka.ProcessorRig.names;
import static dev.offsets.kafka.Rig.P0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsets.kafka.ProcessorStatus.WaitingRetry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Dead letters between a processor and a producer: order, commits, policies, bounds. On real brokers: DeadLetterIT. */
class DeadLettersTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final Exception cause = new Exception("cause");
    private final RuntimeException refused = new RuntimeException("refused");
    private final ProcessorRig pool = new ProcessorRig(builder -> {
        builder.byteConsumers = bytesOfAnyRecord();
        return builder;
    });

    private static Function<Map<String, Object>, Consumer<byte[], byte[]>> bytesOfAnyRecord() {
        return config -> new MockConsumer<byte[], byte[]>("none") {
            private ConsumerRecord<byte[], byte[]> next;

            @Override
            public void seek(TopicPartition partition, long offset) {
                next = new ConsumerRecord<>(
                        partition.topic(), partition.partition(), offset, new byte[0], new byte[] {(byte) offset});
            }

            @Override
            public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                // The simulated log's records are all of this moment.
                ConsumerRecord<byte[], byte[]> read = new ConsumerRecord<>(
                        next.topic(),
                        next.partition(),
                        next.offset(),
                        0,
                        TimestampType.CREATE_TIME,
                        0,
                        1,
                        next.key(),
                        next.value(),
                        new RecordHeaders(),
                        Optional.empty());
                return new ConsumerRecords<>(
                        Map.of(new TopicPartition(next.topic(), next.partition()), List.of(read)), Map.of());
            }
        };
    }

    private DeadLetters letters(FailurePolicy ifSendFails) {
        return DeadLetters.to(producer, "dead").ifSendFails(ifSendFails);
    }

    private void deadLettering(DeadLetters letters) {
        pool.working(MANY, processor -> processor.orderedByKey().onFailure(FailurePolicy.deadLetter(letters)), P0);
        pool.kafka.records(P0, 5, 6);
        pool.turn();
        pool.failed(P0, 5, cause);
        pool.turn();
        assertThat(producer.history()).hasSize(1);
        assertThat(producer.history().get(0).value()).containsExactly(5);
    }

    @Test
    void untilTheSendIsConfirmed_itIsIncomplete_andHoldsItsKeyBack() {
        deadLettering(letters(FailurePolicy.stopConsumer()));
        pool.turn();
        assertThat(pool.starts).containsExactly(names(P0, 5));
        assertThat(pool.rig.sent(P0)).isEmpty();

        producer.completeNext();
        pool.executor.runAll();
        pool.turn();

        assertThat(pool.starts).containsExactly(names(P0, 5, 6));
        assertThat(pool.rig.stored(P0)).isEqualTo(6);
    }

    @Test
    void sendFails_isTriedAgainWhenDue_attemptsCountedAnew_handlerNotCalled() {
        deadLettering(letters(failure -> {
            assertThat(failure.error()).isSameAs(refused);
            return FailureAction.retryAfter(SECOND.multipliedBy(failure.attempts()));
        }));
        producer.errorNext(refused);
        pool.executor.runAll();
        assertThat(pool.processor.status().retries()).containsExactly(new WaitingRetry(P0, 5, 1, SECOND, refused));
        pool.turn(Duration.ofMillis(900));
        assertThat(producer.history()).hasSize(1);
        pool.turn(Duration.ofMillis(200));
        assertThat(producer.history()).hasSize(2);
        producer.errorNext(refused);
        pool.executor.runAll();

        assertThat(pool.processor.status().retries())
                .extracting(WaitingRetry::attempts, WaitingRetry::nextAttemptIn)
                .containsExactly(tuple(2, Duration.ofSeconds(2)));
        assertThat(pool.starts).containsExactly(names(P0, 5));
        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    @Test
    void sendFails_stopsTheConsumerByTheLetterPolicy_withTheHandlersErrorToo() {
        deadLettering(letters(FailurePolicy.stopConsumer()));
        producer.errorNext(refused);
        pool.executor.runAll();

        assertThatThrownBy(pool::turn)
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record topic-0@5 failed")
                .hasCause(refused)
                .satisfies(e -> assertThat(e.getCause()).hasSuppressedException(cause));
        pool.rig.consumer.close();
        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    @Test
    void sendFails_othersMayBeSkippedOrSentElsewhere() {
        MockProducer<byte[], byte[]> other =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        deadLettering(letters(FailurePolicy.deadLetter(DeadLetters.to(other, "spare"))));
        producer.errorNext(refused);
        pool.executor.runAll();
        pool.turn();

        assertThat(other.history()).singleElement().satisfies(sent -> {
            assertThat(sent.topic()).isEqualTo("spare");
            assertThat(sent.headers().lastHeader("kafka_dlt-exception-message").value())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("cause");
        });
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(6);
    }

    @Test
    void producerThrows_isAFailedSend() {
        producer.sendException = refused;
        pool.working(
                MANY,
                processor -> processor.onFailure(FailurePolicy.deadLetter(letters(FailurePolicy.stopConsumer()))),
                P0);
        pool.kafka.records(P0, 5, 5);
        pool.turn();
        pool.failed(P0, 5, cause);

        assertThatThrownBy(pool::turn).isInstanceOf(RecordFailedException.class).hasCause(refused);
        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    @Test
    void topicThatIsNull_isAFailedSend() {
        DeadLetters nowhere = DeadLetters.to(producer, topic -> null).ifSendFails(FailurePolicy.stopConsumer());
        pool.working(MANY, processor -> processor.onFailure(FailurePolicy.deadLetter(nowhere)), P0);
        pool.kafka.records(P0, 5, 5);
        pool.turn();
        pool.failed(P0, 5, cause);

        assertThatThrownBy(pool::turn)
                .hasRootCauseMessage(
                        "dead letters of topic topic are to go to null: give DeadLetters.to another topic" + " for it");
    }

    @Test
    void revokedWhileItIsBeingSent_isNotCommitted_confirmedLate() {
        deadLettering(letters(FailurePolicy.stopConsumer()));
        pool.kafka.insideNextPoll(() -> pool.kafka.rebalanceEagerly());
        pool.rig.consumer.poll(Duration.ZERO);
        producer.completeNext();
        pool.executor.runAll();
        pool.turn();

        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    @Test
    void longMessageAndStackTrace_areCut() {
        StackOverflowError deep = new StackOverflowError("x".repeat(100_000));
        DeadLetter letter = new DeadLetter(new ConsumerRecord<>("topic", 0, 1, null, null), "group", deep);

        int size = 0;
        for (Header header : DeadLetterHeaders.of(letter)) {
            size += header.value().length;
        }
        assertThat(size).isBetween(17_000, 18_000);
    }
}
