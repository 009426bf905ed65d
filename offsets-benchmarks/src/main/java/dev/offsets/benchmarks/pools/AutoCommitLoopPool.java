package dev.offsets.benchmarks.pools;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** A Kafka consumer that commits by itself, without a pool: records are handled on the loop thread. */
final class AutoCommitLoopPool extends LoopThread {
    private final Job job;
    private final RecordHandler handler;

    AutoCommitLoopPool(Job job, RecordHandler handler) {
        this.job = job;
        this.handler = handler;
        start();
    }

    @Override
    void run() throws InterruptedException {
        Map<String, Object> config = new HashMap<>(job.consumerConfiguration());
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "true");
        config.put(
                ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG,
                Long.toString(job.commitInterval().toMillis()));
        try (var consumer = new KafkaConsumer<String, byte[]>(config)) {
            consumer.subscribe(List.of(job.topic()));
            while (isRunning()) {
                for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    handler.handle(record);
                }
            }
        }
    }
}
