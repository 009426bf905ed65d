package dev.offsets.kafka.simulation;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.broker.LocalBroker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic and a group on a real broker, for a script. */
final class RealCluster implements Cluster {
    /** The broker that all scripts share, and what they write with. */
    static final class Broker implements AutoCloseable {
        private final LocalBroker broker = LocalBroker.builder()
                .property("group.consumer.heartbeat.interval.ms", 200)
                .property("group.consumer.assignment.interval.ms", 0)
                .start();
        private final Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
        private final KafkaProducer<String, String> producer = producer(Map.of());
        private final AtomicInteger clusters = new AtomicInteger();

        KafkaProducer<String, String> producer(Map<String, Object> more) {
            Map<String, Object> configuration = new HashMap<>(more);
            configuration.put("bootstrap.servers", broker.bootstrapServers());
            configuration.put("max.in.flight.requests.per.connection", 1);
            return new KafkaProducer<>(configuration, new StringSerializer(), new StringSerializer());
        }

        @Override
        public void close() {
            producer.close();
            admin.close();
            broker.close();
        }
    }

    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Duration NO_WAIT = Duration.ofMillis(100);

    private final Broker broker;
    private final Protocol protocol;
    private final Setup setup;
    private final String topic;
    private final Deque<Runnable> opened = new ArrayDeque<>();

    RealCluster(Broker broker, Protocol protocol, Setup setup) throws Exception {
        this.broker = broker;
        this.protocol = protocol;
        this.setup = setup;
        this.topic = "topic-" + broker.clusters.incrementAndGet();
        broker.admin
                .createTopics(List.of(new NewTopic(topic, setup.partitions(), (short) 1)))
                .all()
                .get();
        for (int partition = 0; partition < setup.partitions(); partition++) {
            TopicPartition one = partition(partition);
            until("the new topic answers", () -> {
                try {
                    return end(one, IsolationLevel.READ_UNCOMMITTED) == 0;
                } catch (ExecutionException e) {
                    return false; // the broker does not know of it yet
                }
            });
        }
    }

    @Override
    public TopicPartition partition(int partition) {
        return new TopicPartition(topic, partition);
    }

    @Override
    public Consumer<?, ?> client(String name, String staticId) {
        Map<String, Object> configuration = configuration(name);
        if (staticId != null) {
            configuration.put("group.instance.id", staticId);
        }
        return newClient(configuration);
    }

    private Consumer<String, String> newClient(Map<String, Object> configuration) {
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(configuration);
        opened.push(consumer::close);
        return consumer;
    }

    @Override
    public TrackedConsumer<?, ?> tracked(String name) {
        Map<String, Object> configuration = configuration(name);
        TrackedConsumer<String, String> tracked = TrackedConsumer.wrap(newClient(configuration), configuration)
                .commitPolicy(CommitPolicy.afterProcessing())
                .drainTimeout(NO_WAIT)
                .build();
        opened.push(() -> tracked.close(NO_WAIT));
        return tracked;
    }

    private Map<String, Object> configuration(String name) {
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("bootstrap.servers", broker.broker.bootstrapServers());
        configuration.put("client.id", name);
        configuration.put("group.id", topic);
        configuration.put("enable.auto.commit", "false");
        configuration.put("auto.offset.reset", setup.resetPolicy());
        configuration.put("isolation.level", setup.readCommitted() ? "read_committed" : "read_uncommitted");
        configuration.put("max.poll.records", setup.maxPollRecords());
        configuration.put("max.poll.interval.ms", setup.expelsSoon() ? 1_500 : 60_000);
        configuration.put("fetch.max.wait.ms", 50);
        configuration.put("key.deserializer", StringDeserializer.class.getName());
        configuration.put("value.deserializer", StringDeserializer.class.getName());
        if (protocol == Protocol.CONSUMER) {
            configuration.put("group.protocol", "consumer");
        } else {
            configuration.put("group.protocol", "classic");
            configuration.put("heartbeat.interval.ms", 100);
            configuration.put(
                    "partition.assignment.strategy",
                    protocol == Protocol.CLASSIC_COOPERATIVE
                            ? CooperativeStickyAssignor.class.getName()
                            : RangeAssignor.class.getName());
        }
        return configuration;
    }

    @Override
    public void append(TopicPartition partition, int records) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            sent.add(broker.producer.send(record(partition)));
        }
        for (Future<RecordMetadata> one : sent) {
            one.get();
        }
    }

    private static ProducerRecord<String, String> record(TopicPartition partition) {
        return new ProducerRecord<>(partition.topic(), partition.partition(), null, "value");
    }

    @Override
    public void transaction(TopicPartition partition, int records, boolean commit) throws Exception {
        long end = end(partition, IsolationLevel.READ_UNCOMMITTED);
        KafkaProducer<String, String> writer = begin(partition, records);
        if (commit) {
            writer.commitTransaction();
        } else {
            writer.abortTransaction();
        }
        until("the marker is written", () -> end(partition, IsolationLevel.READ_COMMITTED) == end + records + 1);
    }

    @Override
    public void openTransaction(TopicPartition partition, int records) {
        begin(partition, records);
    }

    private KafkaProducer<String, String> begin(TopicPartition partition, int records) {
        KafkaProducer<String, String> writer = broker.producer(Map.of("transactional.id", topic));
        opened.push(() -> writer.close(NO_WAIT));
        writer.initTransactions();
        writer.beginTransaction();
        for (int i = 0; i < records; i++) {
            writer.send(record(partition));
        }
        writer.flush();
        return writer;
    }

    private long end(TopicPartition partition, IsolationLevel isolation) throws Exception {
        return broker.admin
                .listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
                .partitionResult(partition)
                .get()
                .offset();
    }

    @Override
    public void deleteRecords(TopicPartition partition, long below) throws Exception {
        broker.admin
                .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(below)))
                .all()
                .get();
    }

    @Override
    public void deleteTopic() throws Exception {
        broker.admin.deleteTopics(List.of(topic)).all().get();
        // It takes commits until it has heard of it itself
        until("the broker does not know the topic", this::isUnknown);
    }

    private boolean isUnknown() throws Exception {
        try {
            broker.admin.describeTopics(List.of(topic)).allTopicNames().get();
            return false;
        } catch (ExecutionException e) {
            return e.getCause() instanceof UnknownTopicOrPartitionException;
        }
    }

    @Override
    public void standStill() throws Exception {
        until(
                "the group has no members",
                () -> broker.admin
                        .describeConsumerGroups(List.of(topic))
                        .describedGroups()
                        .get(topic)
                        .get()
                        .members()
                        .isEmpty());
    }

    @Override
    public Map<TopicPartition, String> stored(Set<TopicPartition> partitions) throws Exception {
        Map<TopicPartition, String> stored = new HashMap<>();
        broker.admin
                .listConsumerGroupOffsets(topic)
                .partitionsToOffsetAndMetadata()
                .get()
                .forEach((partition, offset) -> {
                    if (offset != null) {
                        stored.put(partition, " " + Trace.show(offset));
                    }
                });
        return stored;
    }

    private static void until(String condition, Callable<Boolean> holds) throws Exception {
        long start = System.nanoTime();
        while (!holds.call()) {
            if (System.nanoTime() - start > BOUND.toNanos()) {
                throw new AssertionError("not within " + BOUND + ": " + condition);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
    }
}
