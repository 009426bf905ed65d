package dev.offsets.benchmarks.pools;

import dev.offsets.benchmarks.pools.Scenario.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** The loop that everybody writes first: what a poll returned goes to a pool, is waited for, and committed. */
final class PlainLoopPool extends LoopThread {
    private final Job job;
    private final RecordHandler handler;

    PlainLoopPool(Job job, RecordHandler handler) {
        this.job = job;
        this.handler = handler;
        start();
    }

    @Override
    void run() throws InterruptedException, ExecutionException {
        ExecutorService workers = Executors.newFixedThreadPool(job.concurrency());
        try (var consumer = new KafkaConsumer<String, byte[]>(job.consumerConfiguration())) {
            consumer.subscribe(List.of(job.topic()));
            while (isRunning()) {
                ConsumerRecords<String, byte[]> records = consumer.poll(Duration.ofMillis(100));
                if (!records.isEmpty()) {
                    workOn(records, workers);
                    consumer.commitSync();
                }
            }
        } finally {
            workers.shutdown();
        }
    }

    private void workOn(ConsumerRecords<String, byte[]> records, ExecutorService workers)
            throws InterruptedException, ExecutionException {
        List<Future<?>> batch = new ArrayList<>();
        if (job.scenario().order() == Order.UNORDERED) {
            for (ConsumerRecord<String, byte[]> record : records) {
                batch.add(workers.submit(() -> handle(List.of(record))));
            }
        } else {
            for (List<ConsumerRecord<String, byte[]>> ofOneKey : byKey(records)) {
                batch.add(workers.submit(() -> handle(ofOneKey)));
            }
        }
        for (Future<?> task : batch) {
            task.get();
        }
    }

    private Void handle(List<ConsumerRecord<String, byte[]>> records) throws InterruptedException {
        for (ConsumerRecord<String, byte[]> record : records) {
            handler.handle(record);
        }
        return null;
    }

    private static Collection<List<ConsumerRecord<String, byte[]>>> byKey(ConsumerRecords<String, byte[]> records) {
        Map<String, List<ConsumerRecord<String, byte[]>>> byKey = new LinkedHashMap<>();
        for (ConsumerRecord<String, byte[]> record : records) {
            byKey.computeIfAbsent(record.key(), key -> new ArrayList<>()).add(record);
        }
        return byKey.values();
    }
}
