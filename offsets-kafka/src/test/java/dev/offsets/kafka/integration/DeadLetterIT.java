package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.kafka.DeadLetters;
import dev.offsets.kafka.FailurePolicy;
import dev.offsets.kafka.Handler;
import dev.offsets.kafka.RecordFailedException;
import dev.offsets.kafka.RecordNotInLogException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records that fail and are sent to a topic for dead letters: what arrives there, and what happens when nothing does. */
@Timeout(180)
class DeadLetterIT {
    /** Nothing of the bytes can be got back from what this answers. */
    private static final Deserializer<Integer> LENGTH = (topic, data) -> data.length;

    private static final int PARTITIONS = 3;
    private static final byte[] EMPTY = {};
    private static final byte[] LIKE_AVRO = {0, 0, 0, 4, 87, -1, -128, 10, 13, 0};

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private final Handler<ConsumerRecord<Integer, Integer>> failing = record -> {
        throw new IllegalStateException("failed: " + record.offset() + " £", new IOException("disk"));
    };

    private String dead() {
        return kafka.topic() + ".dead";
    }

    private void createTopics(int deadPartitions) throws Exception {
        // What is sent there has timestamps of long ago.
        kafka.createTopic(kafka.topic(), PARTITIONS, Map.of("retention.ms", "-1"));
        kafka.createTopic(dead(), deadPartitions, Map.of());
    }

    private ProcessingMember<Integer, Integer> member(
            Protocol protocol, FailurePolicy policy, Handler<ConsumerRecord<Integer, Integer>> handler) {
        return ProcessingMember.wrapping(
                kafka,
                kafka.configuration(protocol),
                LENGTH,
                LENGTH,
                processor -> processor.orderedByKey().onFailure(policy),
                handler);
    }

    private DeadLetters letters() {
        return DeadLetters.to(kafka.byteProducer(Map.of()), dead());
    }

    private List<ConsumerRecord<byte[], byte[]>> sendOddRecords() throws Exception {
        List<byte[]> odd = Arrays.asList(LIKE_AVRO, EMPTY, null, new byte[] {-1, -2, 0, 127}, new byte[10_000]);
        List<List<Header>> headers = List.of(
                List.of(),
                List.of(new RecordHeader("none", null), new RecordHeader("empty", EMPTY)),
                List.of(
                        new RecordHeader("twice", LIKE_AVRO),
                        new RecordHeader("", EMPTY),
                        new RecordHeader("twice", null)));
        KafkaProducer<byte[], byte[]> producer =
                kafka.byteProducer(Map.of("compression.type", "gzip", "linger.ms", 50));
        int number = 0;
        for (byte[] key : odd) {
            for (byte[] value : odd) {
                for (List<Header> some : headers) {
                    int partition = number++ % PARTITIONS;
                    producer.send(new ProducerRecord<>(
                            kafka.topic(), partition, 1_700_000_000_000L + number, key, value, some));
                }
            }
        }
        producer.flush();
        return kafka.read(kafka.topic(), PARTITIONS);
    }

    static void assertSameContent(ConsumerRecord<byte[], byte[]> letter, ConsumerRecord<byte[], byte[]> original) {
        assertThat(letter.key()).isEqualTo(original.key());
        assertThat(letter.value()).isEqualTo(original.value());
        List<Header> headers = headers(letter);
        assertThat(headers.subList(0, headers(original).size())).isEqualTo(headers(original));
    }

    private static List<Header> headers(ConsumerRecord<?, ?> record) {
        return StreamSupport.stream(record.headers().spliterator(), false).toList();
    }

    static String text(ConsumerRecord<?, ?> letter, String header) {
        return new String(letter.headers().lastHeader(header).value(), StandardCharsets.UTF_8);
    }

    static long number(ConsumerRecord<?, ?> letter, String header) {
        ByteBuffer bytes = ByteBuffer.wrap(letter.headers().lastHeader(header).value());
        return bytes.remaining() == Integer.BYTES ? bytes.getInt() : bytes.getLong();
    }

    private static String origin(ConsumerRecord<?, ?> letter) {
        return text(letter, "kafka_dlt-original-topic") + "-" + number(letter, "kafka_dlt-original-partition") + "@"
                + number(letter, "kafka_dlt-original-offset");
    }

    private static String name(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void bytesAndHeaders_areThoseOfTheRecord_inItsPartition(Protocol protocol) throws Exception {
        createTopics(PARTITIONS);
        List<ConsumerRecord<byte[], byte[]>> originals = sendOddRecords();
        var member = member(protocol, FailurePolicy.deadLetter(letters()), failing);

        member.untilAllIsCommitted(kafka, PARTITIONS);

        Map<String, ConsumerRecord<byte[], byte[]>> arrived = new HashMap<>();
        kafka.read(dead(), PARTITIONS).forEach(letter -> arrived.put(origin(letter), letter));
        assertThat(arrived).hasSameSizeAs(originals);
        for (ConsumerRecord<byte[], byte[]> original : originals) {
            ConsumerRecord<byte[], byte[]> letter = arrived.get(name(original));
            assertSameContent(letter, original);
            assertThat(letter.partition()).isEqualTo(original.partition());
            assertThat(number(letter, "kafka_dlt-original-timestamp")).isEqualTo(original.timestamp());
        }
        assertThat(member.handled()).isEmpty();
    }

    @Test
    void headersOfOriginAndError_haveTheNamesAndEncodingsOfSpring() throws Exception {
        createTopics(1);
        kafka.byteProducer(Map.of())
                .send(new ProducerRecord<>(
                        kafka.topic(), 2, 1_700_000_000_123L, null, EMPTY, List.of(new RecordHeader("own", EMPTY))))
                .get();
        var member = member(Protocol.CONSUMER, FailurePolicy.deadLetter(letters()), failing);
        member.untilAllIsCommitted(kafka, PARTITIONS);

        ConsumerRecord<byte[], byte[]> letter = kafka.read(dead(), 1).get(0);

        assertThat(headers(letter))
                .extracting(Header::key)
                .containsExactly(
                        "own",
                        "kafka_dlt-original-topic",
                        "kafka_dlt-original-partition",
                        "kafka_dlt-original-offset",
                        "kafka_dlt-original-timestamp",
                        "kafka_dlt-original-timestamp-type",
                        "kafka_dlt-original-consumer-group",
                        "kafka_dlt-exception-fqcn",
                        "kafka_dlt-exception-cause-fqcn",
                        "kafka_dlt-exception-message",
                        "kafka_dlt-exception-stacktrace");
        assertThat(text(letter, "kafka_dlt-original-topic")).isEqualTo(kafka.topic());
        assertThat(letter.headers().lastHeader("kafka_dlt-original-partition").value())
                .containsExactly(0, 0, 0, 2);
        assertThat(letter.headers().lastHeader("kafka_dlt-original-offset").value())
                .containsExactly(0, 0, 0, 0, 0, 0, 0, 0);
        assertThat(letter.headers().lastHeader("kafka_dlt-original-timestamp").value())
                .isEqualTo(ByteBuffer.allocate(8).putLong(1_700_000_000_123L).array());
        assertThat(text(letter, "kafka_dlt-original-timestamp-type")).isEqualTo("CreateTime");
        assertThat(text(letter, "kafka_dlt-original-consumer-group")).isEqualTo(kafka.group());
        assertThat(text(letter, "kafka_dlt-exception-fqcn")).isEqualTo("java.lang.IllegalStateException");
        assertThat(text(letter, "kafka_dlt-exception-cause-fqcn")).isEqualTo("java.io.IOException");
        assertThat(text(letter, "kafka_dlt-exception-message")).isEqualTo("failed: 0 £");
        assertThat(text(letter, "kafka_dlt-exception-stacktrace"))
                .startsWith("java.lang.IllegalStateException: failed: 0 £")
                .contains("\tat " + DeadLetterIT.class.getName())
                .contains("Caused by: java.io.IOException: disk");
    }

    @Test
    void topicWithFewerPartitions_takesAllOfThem() throws Exception {
        createTopics(1);
        List<ConsumerRecord<byte[], byte[]>> originals = sendOddRecords();
        var member = member(Protocol.CLASSIC_COOPERATIVE, FailurePolicy.deadLetter(letters()), failing);

        member.untilAllIsCommitted(kafka, PARTITIONS);

        assertThat(kafka.read(dead(), 1)).hasSameSizeAs(originals);
    }

    @Test
    void readingRecordsOnceMore_isOutsideOfTheGroup() throws Exception {
        createTopics(PARTITIONS);
        kafka.produce(0, 10);
        var member = member(Protocol.CONSUMER, FailurePolicy.deadLetter(letters()), failing);
        member.untilAllIsCommitted(kafka, PARTITIONS);

        assertThat(kafka.admin()
                        .describeConsumerGroups(List.of(kafka.group()))
                        .describedGroups()
                        .get(kafka.group())
                        .get()
                        .members())
                .hasSize(1);
    }

    @Test
    void deadLetterThatFailsAgain_showsItsWay_andItsNewestError() throws Exception {
        createTopics(1);
        kafka.produce(0, 1);
        var first = member(Protocol.CONSUMER, FailurePolicy.deadLetter(letters()), failing);
        first.untilAllIsCommitted(kafka, PARTITIONS);
        first.close();
        ConsumerRecord<byte[], byte[]> letter = kafka.read(dead(), 1).get(0);
        KafkaProducer<byte[], byte[]> producer = kafka.byteProducer(Map.of());
        producer.send(new ProducerRecord<>(kafka.topic(), 1, letter.key(), letter.value(), letter.headers()))
                .get();

        var member = member(Protocol.CONSUMER, FailurePolicy.deadLetter(letters()), record -> {
            throw new IOException();
        });
        member.untilAllIsCommitted(kafka, PARTITIONS);

        ConsumerRecord<byte[], byte[]> second = kafka.read(dead(), 1).get(1);
        assertThat(second.headers().headers("kafka_dlt-original-partition"))
                .extracting(header -> ByteBuffer.wrap(header.value()).getInt())
                .containsExactly(0, 1);
        assertThat(second.headers().headers("kafka_dlt-exception-fqcn")).hasSize(1);
        assertThat(text(second, "kafka_dlt-exception-fqcn")).isEqualTo("java.io.IOException");
        assertThat(second.headers().lastHeader("kafka_dlt-exception-message")).isNull();
        assertThat(second.headers().lastHeader("kafka_dlt-exception-cause-fqcn"))
                .isNull();
    }

    // ---- Sends that fail ----

    private static FailurePolicy attempts(int attempts) {
        return FailurePolicy.retry()
                .attempts(attempts)
                .backoff(Duration.ofMillis(10), Duration.ofMillis(10))
                .thenStopConsumer();
    }

    private void assertStopsWithout(ProcessingMember<?, ?> member, Class<? extends Throwable> cause) throws Exception {
        assertThatThrownBy(() -> member.until("it stops", () -> false))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record " + kafka.partition(0) + "@3 failed")
                .hasCauseInstanceOf(cause)
                .satisfies(e -> assertThat(e.getCause().getSuppressed())
                        .hasAtLeastOneElementOfType(IllegalStateException.class));
        member.close();
        assertThat(kafka.committed(0)).isEqualTo(3);
    }

    private Handler<ConsumerRecord<Integer, Integer>> failingAt(long offset) {
        return record -> {
            if (record.offset() == offset) {
                failing.handle(record);
            }
        };
    }

    @Test
    void brokerRefusesIt_consumerStops_andARestartSendsIt() throws Exception {
        kafka.createTopic(1);
        kafka.createTopic(dead(), 1, Map.of("max.message.bytes", "100"));
        kafka.produce(0, 5);
        var member = member(
                Protocol.CLASSIC_COOPERATIVE,
                FailurePolicy.deadLetter(letters().ifSendFails(attempts(3))),
                failingAt(3));
        assertStopsWithout(member, RecordTooLargeException.class);
        assertThat(kafka.endOffset(dead(), 0)).isZero();

        kafka.createTopic(dead() + ".larger", 1, Map.of());
        var restarted = member(
                Protocol.CLASSIC_COOPERATIVE,
                FailurePolicy.deadLetter(DeadLetters.to(kafka.byteProducer(Map.of()), topic -> topic + ".dead.larger")),
                failingAt(3));
        restarted.untilAllIsCommitted(kafka, 1);
        assertThat(kafka.read(dead() + ".larger", 1))
                .singleElement()
                .extracting(DeadLetterIT::origin)
                .isEqualTo(kafka.partition(0) + "@3");
        assertThat(restarted.handled()).containsExactly("0@4");
    }

    @Test
    void topicDoesNotExist_consumerStops() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 5);
        DeadLetters nowhere = DeadLetters.to(kafka.byteProducer(Map.of("max.block.ms", 300)), dead())
                .ifSendFails(attempts(2));
        var member = member(Protocol.CONSUMER, FailurePolicy.deadLetter(nowhere), failingAt(3));

        assertStopsWithout(member, TimeoutException.class);
    }

    @Test
    void topicIsDenied_consumerStops_andARestartSendsIt() throws Exception {
        createTopics(1);
        kafka.produce(0, 5);
        AclBinding denial = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, dead(), PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.WRITE, AclPermissionType.DENY));
        kafka.admin().createAcls(List.of(denial)).all().get();
        FailurePolicy policy = FailurePolicy.deadLetter(letters().ifSendFails(attempts(2)));
        assertStopsWithout(
                member(Protocol.CLASSIC_COOPERATIVE, policy, failingAt(3)), TopicAuthorizationException.class);

        kafka.admin().deleteAcls(List.of(denial.toFilter())).all().get();
        var restarted = member(Protocol.CLASSIC_COOPERATIVE, policy, failingAt(3));
        restarted.untilAllIsCommitted(kafka, 1);
        assertThat(kafka.read(dead(), 1))
                .singleElement()
                .extracting(DeadLetterIT::origin)
                .isEqualTo(kafka.partition(0) + "@3");
    }

    @Test
    void producerIsClosed_consumerStops() throws Exception {
        createTopics(1);
        kafka.produce(0, 5);
        KafkaProducer<byte[], byte[]> producer = kafka.byteProducer(Map.of());
        var member = member(
                Protocol.CONSUMER,
                FailurePolicy.deadLetter(DeadLetters.to(producer, dead()).ifSendFails(attempts(2))),
                failingAt(3));
        producer.close();

        assertStopsWithout(member, KafkaException.class);
    }

    @Test
    void topicThatTheRecordIsFrom_isRefused() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 5);
        DeadLetters itself =
                DeadLetters.to(kafka.byteProducer(Map.of()), kafka.topic()).ifSendFails(FailurePolicy.stopConsumer());
        var member = member(Protocol.CONSUMER, FailurePolicy.deadLetter(itself), failingAt(3));

        assertStopsWithout(member, IllegalStateException.class);
        assertThat(kafka.endOffset(0)).isEqualTo(5);
    }

    @Test
    void producerWithoutAcknowledgements_isNoConfirmation() throws Exception {
        createTopics(1);
        kafka.produce(0, 5);
        KafkaProducer<byte[], byte[]> careless = kafka.byteProducer(Map.of("acks", "0", "enable.idempotence", false));
        DeadLetters letters = DeadLetters.to(careless, dead()).ifSendFails(FailurePolicy.stopConsumer());
        var member = member(Protocol.CONSUMER, FailurePolicy.deadLetter(letters), failingAt(3));

        assertStopsWithout(member, KafkaException.class);
    }

    @Test
    void sendFailsForAWhile_isSentInTheEnd_onceOnly() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 5);
        DeadLetters late = DeadLetters.to(kafka.byteProducer(Map.of("max.block.ms", 200)), dead())
                .ifSendFails(attempts(1_000));
        var member = member(Protocol.CLASSIC_COOPERATIVE, FailurePolicy.deadLetter(late), failingAt(3));
        member.until("the others are handled", () -> member.handled().size() == 4);
        member.until(
                "it waits for another attempt",
                () -> !member.processor().status().retries().isEmpty());
        assertThat(kafka.committed(0)).isEqualTo(3);

        kafka.createTopic(dead(), 1, Map.of());
        member.untilAllIsCommitted(kafka, 1);

        assertThat(kafka.read(dead(), 1)).hasSize(1);
    }

    // ---- Records that are gone ----

    private ProcessingMember<Integer, Integer> waitingWhileItIsDeleted(FailurePolicy policy) throws Exception {
        createTopics(1);
        kafka.produce(0, 5);
        CountDownLatch deleted = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        var member = member(Protocol.CLASSIC_COOPERATIVE, policy, record -> {
            if (record.offset() == 3) {
                begun.countDown();
                deleted.await();
                failing.handle(record);
            }
        });
        member.until("it has begun", () -> begun.getCount() == 0);
        deleteRecords(5);
        deleted.countDown();
        return member;
    }

    private void deleteRecords(long before) throws Exception {
        kafka.admin()
                .deleteRecords(Map.of(kafka.partition(0), RecordsToDelete.beforeOffset(before)))
                .all()
                .get();
    }

    @Test
    void recordIsNotInTheLogAnyMore_isAFailedSend() throws Exception {
        var member =
                waitingWhileItIsDeleted(FailurePolicy.deadLetter(letters().ifSendFails(FailurePolicy.stopConsumer())));

        assertStopsWithout(member, RecordNotInLogException.class);
    }

    @Test
    void recordIsNotInTheLogAnyMore_policyMaySkipIt() throws Exception {
        var member = waitingWhileItIsDeleted(FailurePolicy.deadLetter(letters()
                .ifSendFails(FailurePolicy.retry()
                        .when(RecordNotInLogException.class, FailurePolicy.skip("gone from the log")))));

        member.untilAllIsCommitted(kafka, 1);
        assertThat(kafka.endOffset(dead(), 0)).isZero();
    }

    @Test
    void recordsWhoseBytesAreInHand_needNotBeInTheLog() throws Exception {
        createTopics(1);
        kafka.produce(0, 1);
        List<ConsumerRecord<byte[], byte[]>> originals = kafka.read(kafka.topic(), 1);
        CountDownLatch deleted = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        ProcessingMember<byte[], byte[]> member = ProcessingMember.building(
                kafka,
                kafka.configuration(Protocol.CONSUMER),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer(),
                processor -> processor.onFailure(FailurePolicy.deadLetter(letters())),
                record -> {
                    begun.countDown();
                    deleted.await();
                    throw new IOException("failed");
                });
        member.until("it has begun", () -> begun.getCount() == 0);
        deleteRecords(1);
        deleted.countDown();

        member.untilAllIsCommitted(kafka, 1);
        assertSameContent(kafka.read(dead(), 1).get(0), originals.get(0));
    }

    @Test
    void bytesThatAreNotTheLogs_areReadOnceMore() throws Exception {
        createTopics(1);
        kafka.produce(0, 1);
        Deserializer<byte[]> decrypting = (topic, data) -> "secret".getBytes(StandardCharsets.UTF_8);
        ProcessingMember<byte[], byte[]> member = ProcessingMember.building(
                kafka,
                kafka.configuration(Protocol.CONSUMER),
                new ByteArrayDeserializer(),
                decrypting,
                processor -> processor.onFailure(FailurePolicy.deadLetter(letters())),
                record -> {
                    throw new IOException("failed");
                });
        member.untilAllIsCommitted(kafka, 1);

        assertSameContent(
                kafka.read(dead(), 1).get(0), kafka.read(kafka.topic(), 1).get(0));
    }

    @Test
    void afterManyFailuresInARow_allAreSent() throws Exception {
        createTopics(PARTITIONS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            kafka.produce(partition, 2_000);
        }
        var member = member(Protocol.CONSUMER, FailurePolicy.deadLetter(letters()), failing);
        member.untilAllIsCommitted(kafka, PARTITIONS);

        List<ConsumerRecord<byte[], byte[]>> arrived = new ArrayList<>(kafka.read(dead(), PARTITIONS));
        arrived.sort(Comparator.comparing(DeadLetterIT::origin));
        assertThat(arrived).hasSize(6_000);
        assertThat(arrived.stream().map(DeadLetterIT::origin).distinct()).hasSize(6_000);
    }
}
