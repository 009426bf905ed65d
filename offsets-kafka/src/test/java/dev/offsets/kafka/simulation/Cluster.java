package dev.offsets.kafka.simulation;

import dev.offsets.kafka.TrackedConsumer;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/** What a script acts on: a topic, a group and their clients, simulated or real. */
interface Cluster extends AutoCloseable {
    TopicPartition partition(int partition);

    /** A client, which {@link #close} closes; with an id of its own it is a static member of its group. */
    Consumer<?, ?> client(String name, String staticId);

    /** A client with the library around it, committing as soon as something has finished. */
    TrackedConsumer<?, ?> tracked(String name);

    void append(TopicPartition partition, int records) throws Exception;

    /** So many records, and the marker that ends them. */
    void transaction(TopicPartition partition, int records, boolean commit) throws Exception;

    /** So many records of a transaction that stays open until {@link #close}. */
    void openTransaction(TopicPartition partition, int records) throws Exception;

    void deleteRecords(TopicPartition partition, long below) throws Exception;

    void deleteTopic() throws Exception;

    /** Returns when the group has dropped all its members, since their loops stand still. */
    void standStill() throws Exception;

    /** What the group has stored. */
    Map<TopicPartition, String> stored(Set<TopicPartition> partitions) throws Exception;

    @Override
    void close();
}
