package dev.offsets.benchmarks.pools;

import dev.offsets.benchmarks.pools.Scenario.Order;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.util.List;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** Confluent's Parallel Consumer, as it comes: asynchronous commits, threads of its own. */
final class ParallelConsumerPool implements Pool {
    private final ParallelStreamProcessor<String, byte[]> processor;

    ParallelConsumerPool(Job job, RecordHandler handler) {
        processor = ParallelStreamProcessor.createEosStreamProcessor(ParallelConsumerOptions.<String, byte[]>builder()
                .consumer(new KafkaConsumer<>(job.consumerConfiguration()))
                .ordering(job.scenario().order() == Order.BY_KEY ? ProcessingOrder.KEY : ProcessingOrder.UNORDERED)
                .maxConcurrency(job.concurrency())
                .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
                .commitInterval(job.commitInterval())
                .build());
        processor.subscribe(List.of(job.topic()));
        processor.poll(context -> {
            try {
                handler.handle(context.getSingleConsumerRecord());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted at work", e);
            }
        });
    }

    @Override
    public void stop() {
        processor.closeDrainFirst();
    }
}
