package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.DeadLetters;
import dev.offsets.kafka.FailureAction;
import dev.offsets.kafka.FailurePolicy;
import dev.offsets.kafka.Handler;
import dev.offsets.kafka.RecordFailedException;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records that can't be deserialized, where Kafka's own consumers deserialize them. */
@Timeout(180)
class UndecodableIT {
    private static final Handler<ConsumerRecord<String, String>> NOTHING = record -> {};

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private final PickyDeserializer keys = new PickyDeserializer();
    private final PickyDeserializer values = new PickyDeserializer();

    /** One record for each word, in one compressed batch where they fit. */
    private void send(int partition, String... values) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                kafka.byteProducer(Map.of("compression.type", "lz4", "linger.ms", 100))) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(kafka.topic(), partition, bytes("key"), bytes(value)));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private ProcessingMember<String, String> member(
            Protocol protocol, FailurePolicy policy, Handler<ConsumerRecord<String, String>> handler) {
        return ProcessingMember.wrapping(
                kafka,
                kafka.configuration(protocol),
                keys,
                values,
                processor -> processor.orderedByPartition().onFailure(policy),
                handler);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void firstMiddleAndLast_areSkipped_andARestartDoesNotSeeThemAgain(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        send(0, "!first", "one", "two", "!three", "!four", "five", "!last");
        send(1, "!alone");
        var member = member(protocol, FailurePolicy.skip("no schema"), NOTHING);

        member.untilAllIsCommitted(kafka, 2);

        assertThat(member.handled()).containsExactly("0@1", "0@2", "0@5");
        member.close();
        int refusals = values.refusals();
        send(0, "after");
        var restarted = member(protocol, FailurePolicy.stopConsumer(), NOTHING);
        restarted.untilAllIsCommitted(kafka, 2);
        assertThat(restarted.handled()).containsExactly("0@7");
        assertThat(values.refusals()).isEqualTo(refusals);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void workInFlightBelow_holdsTheCommitBack(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        send(0, "slow", "!wrong", "two");
        CountDownLatch finish = new CountDownLatch(1);
        var member = ProcessingMember.wrapping(
                kafka,
                kafka.configuration(protocol),
                keys,
                values,
                processor -> processor.unordered().onFailure(FailurePolicy.skip("no schema")),
                record -> {
                    if (record.offset() == 0) {
                        finish.await();
                    }
                });
        member.until("the one above is done", () -> member.handled().contains("0@2"));
        for (int i = 0; i < 10; i++) {
            member.turn();
        }
        assertThat(kafka.committed(0)).isNull();

        finish.countDown();
        member.untilAllIsCommitted(kafka, 1);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void schemaRegistryIsDownForAWhile_thatPartitionWaits_andNothingIsLost(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        send(0, "zero", "!one", "two", "!three");
        FailurePolicy patient =
                FailurePolicy.retry().attempts(1_000_000).backoff(Duration.ofMillis(20), Duration.ofMillis(20));
        var member = member(protocol, patient, NOTHING);
        member.until(
                "it was tried again and again",
                () -> member.processor().status().retries().stream()
                        .anyMatch(waiting -> waiting.topicPartition().equals(kafka.partition(0))
                                && waiting.offset() == 1
                                && waiting.attempts() > 4));
        send(1, "zero", "one");
        member.until("the other partition goes on", () -> Long.valueOf(2).equals(kafka.committed(1)));
        assertThat(member.handled()).containsExactly("0@0", "1@0", "1@1");

        values.takeAll();
        member.untilAllIsCommitted(kafka, 2);

        assertThat(member.handled()).containsExactly("0@0", "1@0", "1@1", "0@1", "0@2", "0@3");
        assertThat(member.processor().status().retries()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void deadLetter_hasTheBytesAndHeaders_andTheErrorOfTheKeyUnderItsOwnNames(Protocol protocol) throws Exception {
        String dead = kafka.topic() + ".dead";
        kafka.createTopic(1);
        kafka.createTopic(dead, 1, Map.of());
        try (KafkaProducer<byte[], byte[]> producer = kafka.byteProducer(Map.of("compression.type", "gzip"))) {
            producer.send(new ProducerRecord<>(kafka.topic(), 0, bytes("key"), bytes("fine")));
            producer.send(new ProducerRecord<>(kafka.topic(), 0, bytes("!\u0000\u00ff"), bytes("value")));
            producer.send(new ProducerRecord<>(
                    kafka.topic(), 0, null, null, bytes("!value"), List.of(new RecordHeader("none", null))));
            producer.send(new ProducerRecord<>(kafka.topic(), 0, bytes("!tombstone"), null));
        }
        List<ConsumerRecord<byte[], byte[]>> originals = kafka.read(kafka.topic(), 1);
        var member =
                member(protocol, FailurePolicy.deadLetter(DeadLetters.to(kafka.byteProducer(Map.of()), dead)), NOTHING);

        member.untilAllIsCommitted(kafka, 1);

        List<ConsumerRecord<byte[], byte[]>> letters = kafka.read(dead, 1);
        assertThat(letters).hasSize(3);
        for (ConsumerRecord<byte[], byte[]> letter : letters) {
            ConsumerRecord<byte[], byte[]> original =
                    originals.get((int) DeadLetterIT.number(letter, "kafka_dlt-original-offset"));
            DeadLetterIT.assertSameContent(letter, original);
            boolean ofTheKey = original.key() != null;
            assertThat(letter.headers().lastHeader("kafka_dlt-key-exception-fqcn") != null)
                    .isEqualTo(ofTheKey);
            assertThat(letter.headers().lastHeader("kafka_dlt-exception-fqcn") != null)
                    .isEqualTo(!ofTheKey);
            String error = ofTheKey ? "kafka_dlt-key-exception-" : "kafka_dlt-exception-";
            assertThat(DeadLetterIT.text(letter, error + "fqcn"))
                    .isEqualTo(RecordDeserializationException.class.getName());
            assertThat(DeadLetterIT.text(letter, error + "message")).startsWith("Error deserializing");
            assertThat(DeadLetterIT.text(letter, error + "stacktrace")).contains("no schema");
            assertThat(DeadLetterIT.text(letter, "kafka_dlt-exception-cause-fqcn"))
                    .isEqualTo("org.apache.kafka.common.errors.SerializationException");
        }
        assertThat(member.handled()).containsExactly("0@0");
    }

    @Test
    void stoppedPartition_othersGoOn_andARestartBeginsAtIt() throws Exception {
        kafka.createTopic(2);
        send(0, "zero", "!one", "two");
        AtomicBoolean zeroIsDone = new AtomicBoolean();
        // What is still queued when its partition stops is not started any more.
        FailurePolicy stopAfterZero = failure ->
                zeroIsDone.get() ? FailureAction.stopPartition() : FailureAction.retryAfter(Duration.ofMillis(10));
        var member = member(Protocol.CONSUMER, stopAfterZero, record -> zeroIsDone.set(true));
        member.until(
                "the partition is stopped",
                () -> member.processor().status().stopped().containsKey(kafka.partition(0)));
        send(1, "zero");
        member.until("the other goes on", () -> Long.valueOf(1).equals(kafka.committed(1)));
        member.close();
        assertThat(kafka.committed(0)).isEqualTo(1);

        values.takeAll();
        var restarted = member(Protocol.CONSUMER, FailurePolicy.stopConsumer(), NOTHING);
        restarted.untilAllIsCommitted(kafka, 2);
        assertThat(restarted.handled()).containsExactly("0@1", "0@2");
    }

    @Test
    void stoppedConsumer_saysWhere_andCommitsWhatFinished() throws Exception {
        kafka.createTopic(1);
        send(0, "zero", "!one", "two");
        AtomicBoolean zeroIsDone = new AtomicBoolean();
        FailurePolicy stopAfterZero = failure ->
                zeroIsDone.get() ? FailureAction.stopConsumer() : FailureAction.retryAfter(Duration.ofMillis(10));
        var member = member(Protocol.CLASSIC_EAGER, stopAfterZero, record -> zeroIsDone.set(true));

        assertThatThrownBy(() -> member.until("it stops", () -> false))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record " + kafka.partition(0) + "@1 failed")
                .hasCauseInstanceOf(RecordDeserializationException.class);
        member.close();
        assertThat(kafka.committed(0)).isEqualTo(1);
    }

    @Test
    void behindTransactionMarkers_isPassedToo() throws Exception {
        kafka.createTopic(1);
        kafka.transaction(0, 3, false);
        send(0, "!four", "five");
        kafka.transaction(0, 1, true);
        Map<String, Object> configuration = kafka.configuration(Protocol.CONSUMER);
        configuration.put("isolation.level", "read_committed");
        var member = ProcessingMember.wrapping(
                kafka,
                configuration,
                keys,
                values,
                processor -> processor.onFailure(FailurePolicy.skip("no schema")),
                NOTHING);

        member.untilAllIsCommitted(kafka, 1);
        assertThat(member.handled()).containsExactlyInAnyOrder("0@5", "0@6");
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void withoutAProcessor_pollThrows_skipPasses_andARestartDoesNotSeeItAgain(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        send(0, "zero", "!one", "two", "!last");
        Map<String, Object> configuration = kafka.configuration(protocol);
        Ledger ledger = new Ledger();
        List<TrackedRecord<String, String>> received = new ArrayList<>();
        List<Long> skipped = new ArrayList<>();
        TrackedConsumer<String, String> consumer = TrackedConsumer.wrap(
                        ledger.observe(new KafkaConsumer<>(configuration, keys, values)), configuration)
                .commitPolicy(CommitPolicy.afterProcessing())
                .build();
        kafka.opened(consumer, ledger);
        consumer.subscribe(List.of(kafka.topic()));
        Await.until(
                "all is received or skipped",
                () -> {
                    try {
                        consumer.poll(Duration.ofMillis(20)).forEach(received::add);
                    } catch (RecordDeserializationException e) {
                        skipped.add(e.offset());
                        consumer.skip(e.topicPartition(), e.offset(), "no schema");
                    }
                },
                () -> received.size() + skipped.size() == 4);

        assertThat(skipped).containsExactly(1L, 3L);
        received.get(1).complete();
        consumer.commitSync();
        assertThat(kafka.committed().getOrDefault(kafka.partition(0), 0L)).isZero();
        received.get(0).complete();
        consumer.close();
        assertThat(kafka.committed(0)).isEqualTo(4);
    }
}
