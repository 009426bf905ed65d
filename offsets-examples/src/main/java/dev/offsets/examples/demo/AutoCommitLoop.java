package dev.offsets.examples.demo;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * The same pool of workers with Kafka's auto-commit, for comparison: the consumer commits what it has polled, whether or
 * not it has been processed, and a crash loses the difference.
 */
final class AutoCommitLoop implements ConsumerLoop {
    private static final int MAX_IN_FLIGHT = 10_000;

    private final KafkaConsumer<Long, String> consumer;
    private final ExecutorService workers;
    private final Handler handler;
    private final Semaphore free = new Semaphore(MAX_IN_FLIGHT);
    private volatile boolean running = true;

    AutoCommitLoop(Map<String, Object> config, String topic, int threads, Handler handler) {
        this.handler = handler;
        this.workers = Executors.newFixedThreadPool(threads);
        Map<String, Object> autoCommit = new HashMap<>(config);
        autoCommit.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, true);
        autoCommit.put(ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG, 200);
        this.consumer = new KafkaConsumer<>(autoCommit, new LongDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(topic));
    }

    @Override
    public void run() throws InterruptedException {
        try (consumer) {
            while (running) {
                for (ConsumerRecord<Long, String> record : consumer.poll(Duration.ofMillis(100))) {
                    free.acquire();
                    workers.execute(() -> process(record));
                }
            }
            workers.shutdown();
            workers.awaitTermination(30, TimeUnit.SECONDS);
        } finally {
            workers.shutdownNow();
        }
    }

    private void process(ConsumerRecord<Long, String> record) {
        try {
            handler.handle(record);
        } catch (Exception e) {
            throw new IllegalStateException(record.topic() + "-" + record.partition() + "@" + record.offset(), e);
        } finally {
            free.release();
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    /** A plain consumer knows nothing of what its workers do. */
    @Override
    public List<PartitionStatus> status() {
        return List.of();
    }
}
