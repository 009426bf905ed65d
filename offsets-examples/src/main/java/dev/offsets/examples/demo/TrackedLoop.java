package dev.offsets.examples.demo;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedConsumerBuilder;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Hands records to a pool of workers, which finish them in any order, and commits what has finished. */
final class TrackedLoop implements ConsumerLoop {
    private final TrackedConsumer<Long, String> consumer;
    private final ExecutorService workers;
    private final Handler handler;
    private volatile boolean running = true;

    TrackedLoop(Map<String, Object> config, String topic, int threads, Handler handler, boolean resumeMaps) {
        this.handler = handler;
        this.workers = Executors.newFixedThreadPool(threads);
        TrackedConsumerBuilder<Long, String> builder = TrackedConsumer.<Long, String>builder(config)
                .deserializers(new LongDeserializer(), new StringDeserializer())
                .commitPolicy(CommitPolicy.batched(1_000).or(CommitPolicy.timeBounded(Duration.ofSeconds(1))))
                .maxInFlightPerPartition(10_000);
        if (resumeMaps) {
            builder.resumeMaps().resumeMapEvery(Duration.ofMillis(200)).ownAdmin();
        }
        this.consumer = builder.build();
        consumer.subscribe(List.of(topic));
    }

    @Override
    public void run() {
        try (consumer) {
            while (running) {
                for (TrackedRecord<Long, String> record : consumer.poll(Duration.ofMillis(100))) {
                    workers.execute(() -> process(record));
                }
            }
        } finally {
            workers.shutdownNow();
        }
    }

    private void process(TrackedRecord<Long, String> record) {
        try {
            handler.handle(record.consumerRecord());
            record.complete();
        } catch (Throwable t) {
            record.fail(t);
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public List<PartitionStatus> status() {
        return consumer.status().entrySet().stream()
                .map(entry -> PartitionStatus.of(entry.getKey(), entry.getValue()))
                .toList();
    }
}
