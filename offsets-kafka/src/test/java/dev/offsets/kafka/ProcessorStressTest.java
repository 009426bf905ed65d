package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The processor on real threads: records of a key one after another and each once, never more at once than allowed, none
 * forgotten, whoever completes the work. The checker catches a processor without an order.
 */
class ProcessorStressTest {
    private static final int RECORDS = 20_000;
    private static final int KEYS = 13;
    private static final int MAX_CONCURRENCY = 6;
    private static final Duration STUCK = Duration.ofMinutes(2);

    private final ExecutorService workers = Executors.newFixedThreadPool(MAX_CONCURRENCY + 2);
    private final ExecutorService elsewhere = Executors.newFixedThreadPool(2);
    private final Checker checker = new Checker();

    @AfterEach
    void shutDown() {
        workers.shutdownNow();
        elsewhere.shutdownNow();
    }

    /** Looks at each start and end, on whatever thread. */
    private static final class Checker {
        final AtomicReference<String> violation = new AtomicReference<>();
        private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        private final Map<String, Long> lastFinished = new ConcurrentHashMap<>();
        private final AtomicInteger together = new AtomicInteger();

        void started(ConsumerRecord<String, String> record) {
            String lane = record.partition() + record.key();
            if (running.computeIfAbsent(lane, none -> new AtomicInteger()).incrementAndGet() > 1) {
                violated("two of " + lane + " at once");
            }
            if (together.incrementAndGet() > MAX_CONCURRENCY) {
                violated("more at once than allowed");
            }
            long last = lastFinished.getOrDefault(lane, -1L);
            if (record.offset() <= last) {
                violated(lane + ": " + record.offset() + " after " + last);
            }
        }

        void ended(ConsumerRecord<String, String> record, boolean finished) {
            String lane = record.partition() + record.key();
            if (finished) {
                lastFinished.put(lane, record.offset());
            }
            running.get(lane).decrementAndGet();
            together.decrementAndGet();
        }

        private void violated(String what) {
            violation.compareAndSet(null, what);
        }
    }

    /** Every seventh record fails the first time it is tried. */
    private final Map<String, Boolean> failedOnce = new ConcurrentHashMap<>();

    private boolean failsNow(ConsumerRecord<String, String> record) {
        return record.offset() % 7 == 0 && failedOnce.putIfAbsent(ProcessorRig.name(record), true) == null;
    }

    private void work(ConsumerRecord<String, String> record) throws Exception {
        checker.started(record);
        if (record.offset() % 64 == 0) {
            Thread.yield();
        }
        boolean fails = failsNow(record);
        checker.ended(record, !fails);
        if (fails) {
            throw new Exception("for once");
        }
    }

    private CompletableFuture<Object> workElsewhere(ConsumerRecord<String, String> record) {
        checker.started(record);
        CompletableFuture<Object> work = new CompletableFuture<>();
        Runnable end = () -> {
            boolean fails = failsNow(record);
            checker.ended(record, !fails);
            if (fails) {
                work.completeExceptionally(new Exception("for once"));
            } else {
                work.complete("done");
            }
        };
        if (record.offset() % 3 == 0) {
            end.run();
        } else {
            elsewhere.execute(end);
        }
        return work;
    }

    /** In turns it works here, rejects, works elsewhere, rejects what it has worked on, works on it twice. */
    private final class Unsteady implements Executor {
        private final AtomicInteger tasks = new AtomicInteger();

        @Override
        public void execute(Runnable task) {
            switch (tasks.getAndIncrement() % 5) {
                case 0 -> task.run();
                case 1 -> throw new RejectedExecutionException("for once");
                case 2 -> {
                    task.run();
                    throw new RejectedExecutionException("too late");
                }
                case 3 -> {
                    workers.execute(task);
                    workers.execute(task);
                }
                default -> workers.execute(task);
            }
        }
    }

    private Rig play(
            UnaryOperator<RecordProcessorBuilder<String, String>> settings,
            java.util.function.Function<RecordProcessorBuilder<String, String>, RecordProcessor<String, String>>
                    handling) {
        return play(workers, settings, handling);
    }

    private Rig play(
            Executor executor,
            UnaryOperator<RecordProcessorBuilder<String, String>> settings,
            java.util.function.Function<RecordProcessorBuilder<String, String>, RecordProcessor<String, String>>
                    handling) {
        Rig rig = rig();
        rig.kafka.keys = offset -> "key " + offset % KEYS;
        RecordProcessor<String, String> processor = handling.apply(settings.apply(rig.consumer
                .processor(executor, MAX_CONCURRENCY)
                .onFailure(failure -> FailureAction.retryAfter(Duration.ofMillis(failure.offset() % 2)))));
        rig.subscribed(P0, P1);
        rig.kafka.records(P0, 0, RECORDS / 2 - 1);
        rig.kafka.records(P1, 0, RECORDS / 2 - 1);
        long begin = System.nanoTime();
        while (!isAllStored(rig) && checker.violation.get() == null) {
            if (System.nanoTime() - begin > STUCK.toNanos()) {
                checker.violated("stuck: " + processor.status() + " " + rig.consumer.status());
            }
            processor.process(rig.consumer.poll(Duration.ofMillis(10)));
            Thread.yield();
        }
        return rig;
    }

    private static Rig rig() {
        return Rig.with(
                builder -> builder.commitPolicy(CommitPolicy.afterProcessing()).time(Time.SYSTEM));
    }

    private static boolean isAllStored(Rig rig) {
        Long end = (long) RECORDS / 2;
        return end.equals(rig.stored(P0)) && end.equals(rig.stored(P1));
    }

    @Test
    void blockingHandlers_keepTheOrderOfTheirKeys() {
        Rig rig = play(RecordProcessorBuilder::orderedByKey, processor -> processor.handle(this::work));

        assertThat(checker.violation.get()).isNull();
        assertThat(isAllStored(rig)).isTrue();
    }

    @Test
    void workThatCompletesElsewhere_keepsTheOrderOfItsKeys() {
        Rig rig = play(RecordProcessorBuilder::orderedByKey, processor -> processor.handleAsync(this::workElsewhere));

        assertThat(checker.violation.get()).isNull();
        assertThat(isAllStored(rig)).isTrue();
    }

    @Test
    void unsteadyExecutor_forgetsNothing() {
        Rig rig = play(new Unsteady(), RecordProcessorBuilder::orderedByKey, processor -> processor.handle(this::work));

        assertThat(checker.violation.get()).isNull();
        assertThat(isAllStored(rig)).isTrue();
    }

    @Test
    void unsteadyExecutor_workThatCompletesElsewhere_forgetsNothing() {
        Rig rig = play(
                new Unsteady(),
                RecordProcessorBuilder::orderedByKey,
                processor -> processor.handleAsync(this::workElsewhere));

        assertThat(checker.violation.get()).isNull();
        assertThat(isAllStored(rig)).isTrue();
    }

    @Test
    void batches_keepTheOrderOfTheirKeys() {
        Rig rig = play(
                RecordProcessorBuilder::orderedByKey,
                processor -> processor.handleBatches(5, records -> {
                    // One after another: as many at once as batches.
                    for (ConsumerRecord<String, String> record : records) {
                        checker.started(record);
                        checker.ended(record, false);
                    }
                    if (records.stream().anyMatch(this::failsNow)) {
                        throw new Exception("for once");
                    }
                    records.forEach(
                            record -> checker.lastFinished.put(record.partition() + record.key(), record.offset()));
                }));

        assertThat(checker.violation.get()).isNull();
        assertThat(isAllStored(rig)).isTrue();
    }

    @Test
    void unordered_isAccused() {
        play(RecordProcessorBuilder::unordered, processor -> processor.handle(this::work));

        assertThat(checker.violation.get()).isNotNull();
    }

    @Test
    void closedInTheMiddle_nothingStartsAnyMore() throws InterruptedException {
        Rig rig = rig();
        AtomicInteger lateStarts = new AtomicInteger();
        AtomicInteger finished = new AtomicInteger();
        boolean[] closed = {false};
        RecordProcessor<String, String> processor = rig.consumer
                .processor(workers, MAX_CONCURRENCY)
                .handle(record -> {
                    synchronized (closed) {
                        if (closed[0]) {
                            lateStarts.incrementAndGet();
                        }
                    }
                    finished.incrementAndGet();
                });
        rig.subscribed(P0);
        rig.kafka.records(P0, 0, RECORDS - 1);
        while (finished.get() < RECORDS / 10) {
            processor.process(rig.consumer.poll(Duration.ZERO));
        }
        CloseResult result = rig.consumer.close(Duration.ofSeconds(10));
        synchronized (closed) {
            closed[0] = true;
        }
        workers.shutdown();
        assertThat(workers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();

        assertThat(lateStarts).hasValue(0);
        assertThat(result.failures()).isEmpty();
        TrackerStatus stood = result.partitions().get(P0);
        assertThat(stood.started()).isZero();
        assertThat(stood.incomplete() + finished.get()).isEqualTo(stood.position());
    }
}
