package dev.offsets.benchmarks.pools;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;

/** This library without a pool: records are handled on the loop thread. */
final class TrackedLoopPool extends LoopThread {
    private final Job job;
    private final RecordHandler handler;

    TrackedLoopPool(Job job, RecordHandler handler) {
        this.job = job;
        this.handler = handler;
        start();
    }

    @Override
    void run() throws InterruptedException {
        try (var consumer = TrackedConsumer.<String, byte[]>builder(job.consumerConfiguration())
                .commitPolicy(CommitPolicy.timeBounded(job.commitInterval()))
                .build()) {
            consumer.subscribe(List.of(job.topic()));
            while (isRunning()) {
                for (TrackedRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    handler.handle(record.consumerRecord());
                    record.complete();
                }
            }
        }
    }
}
