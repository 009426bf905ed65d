package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import dev.offsets.kafka.FailureAction;
import dev.offsets.kafka.RecordProcessorBuilder;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * What stands between the library and the simulated client, and between the workers, or a processor's handler, and the
 * library. This one passes
 * everything on. A known-wrong variant overrides something, so that the whole behaves as a library would that is wrong in
 * that way. One object serves one process.
 */
class Tampering {
    void commitAsync(
            SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        client.commitAsync(offsets, callback);
    }

    void commitSync(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        client.commitSync(offsets, timeout);
    }

    void pause(SimulatedClient client, Collection<TopicPartition> partitions) {
        client.pause(partitions);
    }

    void resume(SimulatedClient client, Collection<TopicPartition> partitions) {
        client.resume(partitions);
    }

    void seek(SimulatedClient client, TopicPartition partition, OffsetAndMetadata to) {
        client.seek(partition, to);
    }

    ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
        return client.poll(timeout);
    }

    void close(SimulatedClient client, Duration timeout) {
        client.close(timeout);
    }

    Map<MetricName, Metric> metrics(SimulatedClient client) {
        return client.metrics();
    }

    void subscribe(SimulatedClient client, Collection<String> topics, ConsumerRebalanceListener listener) {
        client.subscribe(topics, listener);
    }

    Map<TopicPartition, OffsetAndMetadata> committed(
            SimulatedClient client, Set<TopicPartition> partitions, Duration timeout) {
        return client.committed(partitions, timeout);
    }

    /** The library asks which ids topics have. */
    CompletableFuture<Map<String, Uuid>> topicIds(SimulatedTopicIds ids, Set<String> topics) {
        return ids.ask(topics);
    }

    /** A record is about to be given to a worker. */
    void delivered(Delivery delivery) {}

    Receipt complete(Delivery delivery) {
        return delivery.complete();
    }

    Receipt fail(Delivery delivery) {
        return delivery.fail();
    }

    boolean tryStart(Delivery delivery) {
        return delivery.tryStart();
    }

    void order(Processing processing, RecordProcessorBuilder<Long, Entry> builder) {
        processing.order(builder);
    }

    /** A processor calls its user's handler. */
    CompletionStage<?> begin(ProcessorWork work, List<Delivery> deliveries) {
        return work.begin(deliveries);
    }

    /** What a processor takes its user's policy to say. */
    FailureAction afterFailure(Delivery delivery, FailureAction action) {
        return action;
    }
}
