package dev.offsets.benchmarks.pools;

import dev.offsets.CommitPolicy;
import dev.offsets.benchmarks.pools.Scenario.Order;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.TrackedConsumer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** This library's {@link RecordProcessor}, on a fixed pool. */
final class ProcessorPool extends LoopThread {
    private final Job job;
    private final RecordHandler handler;

    ProcessorPool(Job job, RecordHandler handler) {
        this.job = job;
        this.handler = handler;
        start();
    }

    @Override
    void run() {
        ExecutorService workers = Executors.newFixedThreadPool(job.concurrency());
        try (var consumer = TrackedConsumer.<String, byte[]>builder(job.consumerConfiguration())
                .commitPolicy(CommitPolicy.timeBounded(job.commitInterval()))
                .build()) {
            consumer.subscribe(List.of(job.topic()));
            var builder = consumer.processor(workers, job.concurrency());
            if (job.scenario().order() == Order.BY_KEY) {
                builder.orderedByKey();
            }
            RecordProcessor<String, byte[]> processor = builder.handle(handler::handle);
            while (isRunning()) {
                processor.process(consumer.poll(Duration.ofMillis(100)));
            }
        } finally {
            workers.shutdown();
        }
    }
}
