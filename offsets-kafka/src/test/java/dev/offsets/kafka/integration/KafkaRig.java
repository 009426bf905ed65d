package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.ResumeMap;
import dev.offsets.kafka.VirtualTopicIds;
import dev.offsets.kafka.broker.LocalBroker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What an integration test needs of Kafka: a broker, which all tests of this JVM share, and a topic and a group of its
 * own. Closes at the test's end what was opened through it, and checks what its {@link Member}s have committed.
 */
final class KafkaRig implements BeforeEachCallback, AfterEachCallback {
    private static final AtomicInteger TESTS = new AtomicInteger();

    /** Started by the first test that asks for it; ends with this JVM. */
    private static final class Shared {
        static final LocalBroker BROKER = LocalBroker.builder()
                .property("group.consumer.heartbeat.interval.ms", 200)
                // Everything is allowed, but for what a test denies
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("allow.everyone.if.no.acl.found", true)
                .property("auto.create.topics.enable", false)
                .start();
        static final Admin ADMIN = Admin.create(Map.of("bootstrap.servers", BROKER.bootstrapServers()));
        static final KafkaProducer<String, String> PRODUCER = producer(Map.of());

        static KafkaProducer<String, String> producer(Map<String, Object> more) {
            Map<String, Object> configuration = new HashMap<>(more);
            configuration.put("bootstrap.servers", BROKER.bootstrapServers());
            configuration.put("max.in.flight.requests.per.connection", 1);
            return new KafkaProducer<>(configuration, new StringSerializer(), new StringSerializer());
        }
    }

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final List<Ledger> ledgers = new ArrayList<>();
    private KafkaProducer<String, String> transactional;
    private String name;

    @Override
    public void beforeEach(ExtensionContext context) {
        name = TESTS.incrementAndGet() + "-" + context.getRequiredTestMethod().getName();
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        Throwable failure = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Throwable e) {
                failure = failure == null ? e : failure;
            }
        }
        for (Ledger ledger : ledgers) {
            assertThat(ledger.violations()).isEmpty();
        }
        if (failure != null) {
            throw new AssertionError("closing failed", failure);
        }
    }

    LocalBroker broker() {
        return Shared.BROKER;
    }

    Admin admin() {
        return Shared.ADMIN;
    }

    /** The test's own topic; {@link #createTopic} makes it. */
    String topic() {
        return name;
    }

    /** The test's own group. */
    String group() {
        return name;
    }

    TopicPartition partition(int partition) {
        return new TopicPartition(topic(), partition);
    }

    void createTopic(int partitions) throws Exception {
        createTopic(topic(), partitions, Map.of());
    }

    /** Makes a topic, and waits until its partitions can be written to and read from. */
    void createTopic(String topic, int partitions, Map<String, String> configuration) throws Exception {
        createTopic(admin(), topic, partitions, configuration);
    }

    /** The same on another broker than the shared one. */
    static void createTopic(Admin admin, String topic, int partitions, Map<String, String> configuration)
            throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configuration)))
                .all()
                .get();
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        Await.until("the new topic's leaders answer", () -> {
            try {
                admin.listOffsets(ends).all().get();
                return true;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                    return false; // Made, and the broker itself does not know of it yet
                }
                throw e;
            }
        });
    }

    /** Deletes a topic, and waits until the broker does not know it any more: until then it takes commits for it. */
    void deleteTopic(String topic) throws Exception {
        admin().deleteTopics(List.of(topic)).all().get();
        Await.until("the topic is gone", () -> {
            try {
                admin().describeTopics(List.of(topic)).allTopicNames().get();
                return false;
            } catch (ExecutionException e) {
                return e.getCause() instanceof UnknownTopicOrPartitionException;
            }
        });
    }

    /** A topic of one partition with a hundred records of two keys, of which compaction has left few. */
    void createCompactedTopic() throws Exception {
        createTopicToCompact();
        for (int i = 0; i < 100; i++) {
            produce(0, "key " + i % 2, "value " + i);
        }
        untilCompacted(Long.MAX_VALUE, 49);
    }

    /** A topic of one partition with so many records, each with a key of its own, which is compacted when others replace some. */
    void createTopicToCompact(int records) throws Exception {
        createTopicToCompact();
        produceKeyed(0, records, number -> "key " + number);
    }

    private void createTopicToCompact() throws Exception {
        createTopic(
                topic(),
                1,
                Map.of(
                        "cleanup.policy", "compact",
                        "segment.ms", "100",
                        "min.cleanable.dirty.ratio", "0",
                        "max.compaction.lag.ms", "1000",
                        "delete.retention.ms", "0"));
    }

    /** Waits until so many records at most are left below an offset. Only what is not the newest segment is compacted. */
    void untilCompacted(long offset, int records) throws Exception {
        Await.until("compacted", () -> {
            produce(0, "last", "roll to another segment");
            return offsets(0).stream().filter(each -> each < offset).count() <= records;
        });
    }

    /** How many records of a partition can be read. */
    int count(int partition) throws Exception {
        return offsets(partition).size();
    }

    /** The offsets of the records of a partition that can be read. */
    private List<Long> offsets(int partition) throws Exception {
        long end = endOffset(partition);
        List<Long> offsets = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(configuration())) {
            consumer.assign(List.of(partition(partition)));
            consumer.seekToBeginning(List.of(partition(partition)));
            while (consumer.position(partition(partition)) < end) {
                consumer.poll(Duration.ofMillis(20)).forEach(record -> offsets.add(record.offset()));
            }
        }
        return offsets;
    }

    /** A consumer's configuration, with the test's group, reading from the beginning. */
    Map<String, Object> configuration(Protocol protocol) {
        Map<String, Object> configuration = new HashMap<>(protocol.configuration());
        configuration.put("bootstrap.servers", broker().bootstrapServers());
        configuration.put("group.id", group());
        configuration.put("enable.auto.commit", "false");
        configuration.put("auto.offset.reset", "earliest");
        configuration.put("fetch.max.wait.ms", "100");
        configuration.put("key.deserializer", StringDeserializer.class.getName());
        configuration.put("value.deserializer", StringDeserializer.class.getName());
        return configuration;
    }

    Map<String, Object> configuration() {
        return configuration(Protocol.CLASSIC_COOPERATIVE);
    }

    /** A member of the group, to be set up and started. */
    Member.Builder member(Protocol protocol) {
        return new Member.Builder(this, configuration(protocol));
    }

    Member.Builder member() {
        return member(Protocol.CLASSIC_COOPERATIVE);
    }

    /** A member of the group that stores resume maps, with little delay, and leaves out what they name. */
    Member.Builder memberWithMaps(Protocol protocol) {
        return member(protocol)
                .set(builder -> builder.admin(admin()).resumeMaps().resumeMapEvery(Duration.ofMillis(100)));
    }

    /** What the test's group has stored with a partition's offset; empty while there is none. */
    ResumeMap storedMap(int partition) throws Exception {
        OffsetAndMetadata stored = commits().get(partition(partition));
        return stored == null
                ? ResumeMap.empty(0)
                : ResumeMap.decode(stored.metadata(), VirtualTopicIds.logId(topicId(), partition), stored.offset())
                        .map();
    }

    /** Checked and closed at the end of the test. */
    void opened(AutoCloseable member, Ledger ledger) {
        ledgers.add(ledger);
        opened.push(member);
    }

    void closeAtEnd(AutoCloseable closeable) {
        opened.push(closeable);
    }

    ExecutorService pool(int threads) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        opened.push(pool::shutdownNow);
        return pool;
    }

    /** A producer of the test's own, which the test closes. */
    KafkaProducer<String, String> producer(Map<String, Object> configuration) {
        return Shared.producer(configuration);
    }

    /** A producer of bytes, closed at the end of the test. */
    KafkaProducer<byte[], byte[]> byteProducer(Map<String, Object> more) {
        Map<String, Object> configuration = new HashMap<>(more);
        configuration.put("bootstrap.servers", broker().bootstrapServers());
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(configuration, new ByteArraySerializer(), new ByteArraySerializer());
        opened.push(producer::close);
        return producer;
    }

    /** All that a topic holds, partition by partition. */
    List<ConsumerRecord<byte[], byte[]>> read(String topic, int partitions) throws Exception {
        Map<String, Object> configuration = Map.of("bootstrap.servers", broker().bootstrapServers());
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            for (int partition = 0; partition < partitions; partition++) {
                TopicPartition one = new TopicPartition(topic, partition);
                consumer.assign(List.of(one));
                consumer.seekToBeginning(List.of(one));
                long end = consumer.endOffsets(List.of(one)).get(one);
                Await.until(
                        "all of " + one + " is read",
                        () -> consumer.poll(Duration.ofMillis(100)).forEach(records::add),
                        () -> consumer.position(one) >= end);
            }
        }
        return records;
    }

    /** Sends so many records to one partition, one after another, and waits for them. */
    void produce(int partition, int records) throws Exception {
        produce(topic(), partition, records);
    }

    void produce(String topic, int partition, int records) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            sent.add(Shared.PRODUCER.send(new ProducerRecord<>(topic, partition, null, "value " + i)));
        }
        for (Future<RecordMetadata> one : sent) {
            one.get();
        }
    }

    void produceEverywhere(int partitions, int records) throws Exception {
        for (int partition = 0; partition < partitions; partition++) {
            produce(partition, records);
        }
    }

    /** Sends so many records to one partition, with the key that each number gets. */
    void produceKeyed(int partition, int records, LongFunction<String> keys) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            sent.add(Shared.PRODUCER.send(new ProducerRecord<>(topic(), partition, keys.apply(i), "value " + i)));
        }
        for (Future<RecordMetadata> one : sent) {
            one.get();
        }
    }

    void produce(int partition, String key, String value) throws Exception {
        Shared.PRODUCER
                .send(new ProducerRecord<>(topic(), partition, key, value))
                .get();
    }

    /** A transaction of so many records in one partition, and its marker: it takes up one offset more. */
    void transaction(int partition, int records, boolean commit) throws Exception {
        if (transactional == null) {
            transactional = Shared.producer(Map.of("transactional.id", name));
            opened.push(transactional::close);
            transactional.initTransactions();
        }
        long end = endOffset(partition, IsolationLevel.READ_UNCOMMITTED);
        transactional.beginTransaction();
        for (int i = 0; i < records; i++) {
            transactional.send(new ProducerRecord<>(topic(), partition, null, "transactional " + i));
        }
        if (commit) {
            transactional.commitTransaction();
        } else {
            // Otherwise what was not sent yet would just be dropped
            transactional.flush();
            transactional.abortTransaction();
        }
        Await.until(
                "the transaction's marker is written",
                () -> endOffset(partition, IsolationLevel.READ_COMMITTED) == end + records + 1);
    }

    long endOffset(int partition) throws Exception {
        return endOffset(partition, IsolationLevel.READ_UNCOMMITTED);
    }

    long endOffset(int partition, IsolationLevel isolation) throws Exception {
        return endOffset(partition(partition), isolation);
    }

    long endOffset(String topic, int partition) throws Exception {
        return endOffset(new TopicPartition(topic, partition), IsolationLevel.READ_UNCOMMITTED);
    }

    private long endOffset(TopicPartition partition, IsolationLevel isolation) throws Exception {
        return admin().listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
                .partitionResult(partition)
                .get()
                .offset();
    }

    /** The id of the test's topic. */
    Uuid topicId() throws Exception {
        return admin().describeTopics(List.of(topic()))
                .allTopicNames()
                .get()
                .get(topic())
                .topicId();
    }

    /** How many members the test's group has, as the broker sees it. */
    int members() throws Exception {
        return admin().describeConsumerGroups(List.of(group()))
                .describedGroups()
                .get(group())
                .get()
                .members()
                .size();
    }

    /** The end of each partition of a topic. */
    Map<TopicPartition, Long> ends(int partitions) throws Exception {
        Map<TopicPartition, Long> ends = new LinkedHashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.put(partition(partition), endOffset(partition));
        }
        return ends;
    }

    /** What the test's group has stored, as others see it. */
    Map<TopicPartition, OffsetAndMetadata> commits() throws Exception {
        return commits(group());
    }

    Map<TopicPartition, OffsetAndMetadata> commits(String group) throws Exception {
        return admin().listConsumerGroupOffsets(group, new ListConsumerGroupOffsetsOptions().requireStable(true))
                .partitionsToOffsetAndMetadata(group)
                .get();
    }

    /** The offsets that the test's group has stored. */
    Map<TopicPartition, Long> committed() throws Exception {
        return committed(group());
    }

    Map<TopicPartition, Long> committed(String group) throws Exception {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        commits(group).forEach((partition, offset) -> {
            if (offset != null) {
                offsets.put(partition, offset.offset());
            }
        });
        return offsets;
    }

    /** The offset that the test's group has stored for a partition; null when it has none. */
    Long committed(int partition) throws Exception {
        return committed().get(partition(partition));
    }
}
