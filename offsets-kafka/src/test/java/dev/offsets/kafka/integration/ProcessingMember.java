package dev.offsets.kafka.integration;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.Handler;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.RecordProcessorBuilder;
import dev.offsets.kafka.TrackedConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;

/** A consumer with a processor, subscribed to the test's topic; its loop is turned by the test's own thread. */
final class ProcessingMember<K, V> implements AutoCloseable {
    private static final Duration TURN = Duration.ofMillis(20);
    private static final int THREADS = 4;
    private static final int MAX_CONCURRENCY = 16;

    private final TrackedConsumer<K, V> consumer;
    private final RecordProcessor<K, V> processor;
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());

    private ProcessingMember(
            TrackedConsumer<K, V> consumer,
            Function<TrackedConsumer<K, V>, RecordProcessorBuilder<K, V>> settings,
            Handler<ConsumerRecord<K, V>> handler) {
        this.consumer = consumer;
        this.processor = settings.apply(consumer).handle(record -> {
            handler.handle(record);
            handled.add(record.partition() + "@" + record.offset());
        });
    }

    /** On a consumer that is wrapped, with a ledger of its commits. */
    static <K, V> ProcessingMember<K, V> wrapping(
            KafkaRig kafka,
            Map<String, Object> configuration,
            Deserializer<K> keys,
            Deserializer<V> values,
            UnaryOperator<RecordProcessorBuilder<K, V>> settings,
            Handler<ConsumerRecord<K, V>> handler) {
        Ledger ledger = new Ledger();
        var consumer = TrackedConsumer.wrap(
                        ledger.observe(new KafkaConsumer<>(configuration, keys, values)), configuration)
                .commitPolicy(CommitPolicy.afterProcessing())
                .build();
        return subscribed(kafka, consumer, ledger, settings, handler);
    }

    /** On a consumer that is built from its configuration. */
    static <K, V> ProcessingMember<K, V> building(
            KafkaRig kafka,
            Map<String, Object> configuration,
            Deserializer<K> keys,
            Deserializer<V> values,
            UnaryOperator<RecordProcessorBuilder<K, V>> settings,
            Handler<ConsumerRecord<K, V>> handler) {
        var consumer = TrackedConsumer.<K, V>builder(configuration)
                .deserializers(keys, values)
                .commitPolicy(CommitPolicy.afterProcessing())
                .build();
        return subscribed(kafka, consumer, new Ledger(), settings, handler);
    }

    private static <K, V> ProcessingMember<K, V> subscribed(
            KafkaRig kafka,
            TrackedConsumer<K, V> consumer,
            Ledger ledger,
            UnaryOperator<RecordProcessorBuilder<K, V>> settings,
            Handler<ConsumerRecord<K, V>> handler) {
        consumer.subscribe(List.of(kafka.topic()));
        ProcessingMember<K, V> member = new ProcessingMember<>(
                consumer, one -> settings.apply(one.processor(kafka.pool(THREADS), MAX_CONCURRENCY)), handler);
        kafka.opened(member, ledger);
        return member;
    }

    TrackedConsumer<K, V> consumer() {
        return consumer;
    }

    RecordProcessor<K, V> processor() {
        return processor;
    }

    void turn() {
        processor.process(consumer.poll(TURN));
    }

    void until(String condition, Callable<Boolean> holds) throws Exception {
        Await.until(condition, this::turn, holds);
    }

    /** Turns until all partitions are committed to their ends. */
    void untilAllIsCommitted(KafkaRig kafka, int partitions) throws Exception {
        Map<TopicPartition, Long> ends = kafka.ends(partitions);
        ends.values().removeIf(end -> end == 0);
        until(
                "all is committed, up to " + ends,
                () -> kafka.committed().entrySet().containsAll(ends.entrySet()));
    }

    /** What the handler has returned for, as {@code partition@offset}, in that order. */
    List<String> handled() {
        synchronized (handled) {
            return List.copyOf(handled);
        }
    }

    @Override
    public void close() {
        consumer.close(Duration.ofSeconds(5));
    }
}
