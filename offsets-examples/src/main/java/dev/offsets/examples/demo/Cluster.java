package dev.offsets.examples.demo;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** The demo's topic and group, which share a name, as the broker knows them. */
final class Cluster implements AutoCloseable {
    static final int PARTITIONS = 4;

    private static final int DELETE_MILLIS = 10_000;

    private final Map<String, Object> clientConfig;
    private final String name;
    private final Admin admin;

    /** @param clientConfig what every client of the cluster needs, its address at least */
    Cluster(Map<String, Object> clientConfig, String name) {
        this.clientConfig = clientConfig;
        this.name = name;
        this.admin = Admin.create(clientConfig);
    }

    /** The configuration of a client with these settings of its own. */
    Map<String, Object> clientConfig(Map<String, Object> settings) {
        Map<String, Object> config = new HashMap<>(clientConfig);
        config.putAll(settings);
        return config;
    }

    String topic() {
        return name;
    }

    String group() {
        return name;
    }

    void createTopic() throws InterruptedException, ExecutionException {
        NewTopic topic = new NewTopic(name, Optional.of(PARTITIONS), Optional.empty());
        admin.createTopics(List.of(topic)).all().get();
    }

    /** Deletes topic and group when this JVM ends, however it is asked to end. */
    void deleteAtExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::deleteTopicAndGroup));
    }

    private void deleteTopicAndGroup() {
        Map<String, Object> bounded = clientConfig(Map.of(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                DELETE_MILLIS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                DELETE_MILLIS));
        try (Admin own = Admin.create(bounded)) {
            awaitDeletion("topic", own.deleteTopics(List.of(name)).all());
            awaitDeletion("group", own.deleteConsumerGroups(List.of(name)).all());
        }
    }

    private void awaitDeletion(String what, KafkaFuture<Void> deletion) {
        try {
            deletion.get();
        } catch (InterruptedException | ExecutionException e) {
            System.err.println("Could not delete the " + what + " " + name + ": " + e.getMessage());
        }
    }

    /** Committed offset and end of every partition. The end is read last, so that no lag comes out negative. */
    Map<Integer, GroupOffset> offsets() throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(name)
                .partitionsToOffsetAndMetadata()
                .get();
        Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(
                        latest(), new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .all()
                .get();
        Map<Integer, GroupOffset> offsets = new TreeMap<>();
        ends.forEach((partition, end) ->
                offsets.put(partition.partition(), new GroupOffset(offset(committed.get(partition)), end.offset())));
        return offsets;
    }

    private static OptionalLong offset(OffsetAndMetadata committed) {
        return committed == null ? OptionalLong.empty() : OptionalLong.of(committed.offset());
    }

    private Map<TopicPartition, OffsetSpec> latest() {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            specs.put(new TopicPartition(name, partition), OffsetSpec.latest());
        }
        return specs;
    }

    @Override
    public void close() {
        admin.close();
    }
}
