package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A processor on a {@link Rig}, with an executor that is turned by hand and work that ends when the test says so. Each turn
 * polls, processes, and lets the executor's tasks run until none waits.
 */
final class ProcessorRig {
    static final int MANY = 1_000;

    final Rig rig;
    final SimulatedConsumer kafka;
    final VirtualTime time;
    final HandTurnedExecutor executor = new HandTurnedExecutor();
    final EventLog events = new EventLog();
    /** Every start, in order: {@code topic-0@3}, or for a batch {@code topic-0@3,4}. */
    final List<String> starts = new ArrayList<>();

    private final Map<String, CompletableFuture<Object>> running = new LinkedHashMap<>();
    RecordProcessor<String, String> processor;

    ProcessorRig() {
        this(builder -> builder);
    }

    ProcessorRig(UnaryOperator<TrackedConsumerBuilder<String, String>> settings) {
        rig = Rig.with(builder -> settings.apply(
                builder.commitPolicy(CommitPolicy.afterProcessing()).listener(events)));
        kafka = rig.kafka;
        time = rig.time;
    }

    /** Work that ends when the test says so, on records one at a time. */
    ProcessorRig working(
            int maxConcurrency,
            UnaryOperator<RecordProcessorBuilder<String, String>> settings,
            TopicPartition... partitions) {
        return working(executor, maxConcurrency, settings, partitions);
    }

    ProcessorRig working(
            Executor workers,
            int maxConcurrency,
            UnaryOperator<RecordProcessorBuilder<String, String>> settings,
            TopicPartition... partitions) {
        processor = settings.apply(rig.consumer.processor(workers, maxConcurrency))
                .handleAsync(record -> begin(List.of(record)));
        rig.subscribed(partitions);
        return this;
    }

    ProcessorRig workingOnBatches(
            int maxRecords,
            int maxConcurrency,
            UnaryOperator<RecordProcessorBuilder<String, String>> settings,
            TopicPartition... partitions) {
        processor = settings.apply(rig.consumer.processor(executor, maxConcurrency))
                .handleBatchesAsync(maxRecords, this::begin);
        rig.subscribed(partitions);
        return this;
    }

    /** A handler of the test's own. */
    ProcessorRig handling(
            int maxConcurrency,
            UnaryOperator<RecordProcessorBuilder<String, String>> settings,
            Handler<ConsumerRecord<String, String>> handler,
            TopicPartition... partitions) {
        processor = settings.apply(rig.consumer.processor(executor, maxConcurrency))
                .handle(record -> {
                    starts.add(name(record));
                    handler.handle(record);
                });
        rig.subscribed(partitions);
        return this;
    }

    private CompletionStage<?> begin(List<ConsumerRecord<String, String>> records) {
        String name = name(records.get(0));
        for (ConsumerRecord<String, String> record : records.subList(1, records.size())) {
            name += "," + record.offset();
        }
        starts.add(name);
        CompletableFuture<Object> work = new CompletableFuture<>();
        assertThat(running.put(name, work)).as("other work on %s", name).isNull();
        return work;
    }

    static String name(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    /** One turn of the loop. */
    void turn() {
        turn(Duration.ZERO);
    }

    void turn(Duration timeout) {
        processor.process(rig.consumer.poll(timeout));
        executor.runAll();
    }

    /** What is being worked on now, in the order begun. */
    List<String> running() {
        return List.copyOf(running.keySet());
    }

    /** The work on a record is done. */
    void done(TopicPartition partition, long... offsets) {
        for (long offset : offsets) {
            take(partition + "@" + offset).complete("done");
            executor.runAll();
        }
    }

    void batchDone(String name) {
        take(name).complete("done");
        executor.runAll();
    }

    void failed(TopicPartition partition, long offset, Throwable error) {
        failed(partition + "@" + offset, error);
    }

    void failed(String name, Throwable error) {
        take(name).completeExceptionally(error);
        executor.runAll();
    }

    private CompletableFuture<Object> take(String name) {
        CompletableFuture<Object> work = running.remove(name);
        assertThat(work)
                .as("%s is being worked on, among %s", name, running.keySet())
                .isNotNull();
        return work;
    }

    /** What has been started since this was last asked. */
    List<String> newStarts() {
        List<String> taken = List.copyOf(starts);
        starts.clear();
        return taken;
    }

    static String[] names(TopicPartition partition, long... offsets) {
        String[] names = new String[offsets.length];
        for (int i = 0; i < offsets.length; i++) {
            names[i] = partition + "@" + offsets[i];
        }
        return names;
    }
}
