package dev.offsets.kafka;

import static dev.offsets.kafka.ProcessorRig.MANY;
import static dev.offsets.kafka.ProcessorRig.names;
import static dev.offsets.kafka.Rig.P0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Executors of all kinds, and what workers do on them. */
class ProcessorExecutorTest {
    private final ProcessorRig pool = new ProcessorRig();

    @Test
    void callingThread_recordsAreWorkedOnInProcess() {
        List<Thread> threads = new ArrayList<>();
        pool.processor =
                pool.rig.consumer.processor(Runnable::run, 1).handle(record -> threads.add(Thread.currentThread()));
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 9);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));

        assertThat(threads).hasSize(10).containsOnly(Thread.currentThread());
    }

    @Test
    void callingThread_longWorkDoesNotNest() {
        List<Integer> depths = new ArrayList<>();
        pool.processor = pool.rig.consumer.processor(Runnable::run, 8).handle(record -> {
            pool.time.advance(Duration.ofMillis(20));
            depths.add(new Throwable().getStackTrace().length);
        });
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 99);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));

        assertThat(depths).hasSize(100);
        assertThat(depths.get(99)).isEqualTo(depths.get(0));
    }

    @Test
    void callingThread_stagesThatLaterHandlersCompleteDoNotNest() {
        List<Integer> depths = new ArrayList<>();
        List<CompletableFuture<Object>> works = new ArrayList<>();
        pool.processor = pool.rig.consumer.processor(Runnable::run, 2).handleAsync(record -> {
            depths.add(new Throwable().getStackTrace().length);
            works.add(new CompletableFuture<>());
            if (works.size() > 1) {
                works.get(works.size() - 2).complete("done");
            }
            return works.get(works.size() - 1);
        });
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 999);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));
        while (depths.size() < 1_000) {
            int before = depths.size();
            pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));
            assertThat(depths.size()).isGreaterThan(before);
        }

        assertThat(depths).allMatch(depth -> depth < depths.get(0) + 20);
    }

    @Test
    void callingThread_completionElsewhereDoesNotRunTheNextHandlerThere() {
        List<CompletableFuture<Object>> works = new ArrayList<>();
        pool.processor = pool.rig.consumer.processor(Runnable::run, 1).handleAsync(record -> {
            works.add(new CompletableFuture<>());
            return works.get(works.size() - 1);
        });
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 1);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));
        works.get(0).complete("done");
        assertThat(works).hasSize(1);

        pool.rig.consumer.poll(Duration.ZERO);
        assertThat(works).hasSize(2);
    }

    @Test
    void callingThread_handlerMayNotPoll() {
        pool.processor =
                pool.rig.consumer.processor(Runnable::run, 1).handle(record -> pool.rig.consumer.poll(Duration.ZERO));
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 0);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));

        assertThatThrownBy(() -> pool.rig.consumer.poll(Duration.ZERO))
                .hasRootCauseMessage(
                        "poll was called from within another call of this consumer, by a listener or a commit"
                                + " policy");
    }

    @Test
    void callingThreadBesideAFullPool_isLetGoWhenItsTurnIsOver() throws InterruptedException {
        var full = new ThreadPoolExecutor(
                1, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy());
        CountDownLatch pooled = new CountDownLatch(1);
        CompletableFuture<Object> busy = new CompletableFuture<>();
        Thread loop = Thread.currentThread();
        AtomicInteger onTheLoopThread = new AtomicInteger();
        pool.processor = pool.rig.consumer.processor(full, 8).handle(record -> {
            if (Thread.currentThread() == loop) {
                onTheLoopThread.incrementAndGet();
                pool.time.advance(Duration.ofMillis(4));
            } else {
                pooled.countDown();
                busy.join();
            }
        });
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 0);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));
        assertThat(pooled.await(1, TimeUnit.MINUTES)).isTrue();
        pool.kafka.records(P0, 1, 99);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));

        assertThat(onTheLoopThread).hasValue(3);
        busy.complete("done");
        full.shutdown();
        assertThat(full.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void shortWork_isDoneByFewWorkers() {
        pool.handling(MANY, RecordProcessorBuilder::unordered, record -> {}, P0);
        pool.kafka.records(P0, 0, 499);
        pool.turn();

        assertThat(pool.starts).hasSize(500);
        assertThat(pool.executor.submitted).isLessThan(5);
    }

    @Test
    void workerThatHasWorkedForAWhile_letsOthersOfTheExecutorWork() {
        List<Integer> startsBefore = new ArrayList<>();
        pool.handling(1, RecordProcessorBuilder::unordered, record -> pool.time.advance(Duration.ofMillis(1)), P0);
        pool.kafka.records(P0, 0, 99);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));
        pool.executor.execute(() -> startsBefore.add(pool.starts.size()));
        pool.executor.runAll();

        assertThat(startsBefore).containsExactly(10);
        assertThat(pool.starts).hasSize(100);
    }

    @Test
    void workerThatCanNotComeBack_goesOn() {
        pool.handling(
                1,
                RecordProcessorBuilder::unordered,
                record -> {
                    pool.time.advance(Duration.ofMillis(20));
                    pool.executor.rejects = true;
                },
                P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();

        assertThat(pool.starts).hasSize(10);
    }

    @Test
    void asynchronousWork_isNeverMoreThanAllowed() {
        pool.working(4, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 0, 99);
        pool.turn();
        for (int offset = 0; offset < 96; offset++) {
            assertThat(pool.running()).hasSize(4);
            pool.done(P0, offset);
        }
        pool.done(P0, 96, 97, 98, 99);
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(100);
    }

    @Test
    void rejected_nothingIsLostOrFinished_andEachTurnTriesAgain() {
        pool.working(MANY, RecordProcessorBuilder::unordered, P0);
        pool.executor.rejects = true;
        pool.kafka.records(P0, 0, 4);
        pool.turn();
        pool.turn();
        assertThat(pool.starts).isEmpty();
        assertThat(pool.processor.status().queued()).isEqualTo(5);

        pool.executor.rejects = false;
        pool.turn();
        assertThat(pool.running()).containsExactly(names(P0, 0, 1, 2, 3, 4));
    }

    @Test
    void rejectedWhileAWorkerRuns_itGoesOnAlone() {
        pool.handling(MANY, RecordProcessorBuilder::unordered, record -> pool.executor.rejects = true, P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        pool.turn();

        assertThat(pool.starts).hasSize(10);
        assertThat(pool.rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void executorThatFailsOtherwise_isTriedAgainToo() {
        boolean[] fails = {true};
        pool.working(
                task -> {
                    if (fails[0]) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    pool.executor.execute(task);
                },
                MANY,
                RecordProcessorBuilder::unordered,
                P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        fails[0] = false;
        pool.turn();

        assertThat(pool.running()).containsExactly(names(P0, 0));
    }

    @Test
    void executorThatRunsWhatItRejected_runsItNotTwice() {
        List<Runnable> rejected = new ArrayList<>();
        boolean[] rejects = {true};
        pool.working(
                task -> {
                    if (rejects[0]) {
                        rejected.add(task);
                        throw new RejectedExecutionException("and kept it");
                    }
                    pool.executor.execute(task);
                },
                1,
                RecordProcessorBuilder::unordered,
                P0);
        pool.kafka.records(P0, 0, 3);
        pool.turn();
        rejects[0] = false;
        rejected.forEach(Runnable::run);
        assertThat(pool.starts).isEmpty();
        pool.turn();

        assertThat(pool.running()).containsExactly(names(P0, 0));
    }

    @Test
    void executorThatIsShutDown_stopsTheConsumerAtTheFirstQueuedRecord() {
        ExecutorService service = Executors.newSingleThreadExecutor();
        service.shutdown();
        pool.working(service, MANY, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 3, 5);
        pool.turn();

        assertThatThrownBy(pool::turn)
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record topic-0@3 failed")
                .hasCauseInstanceOf(RejectedExecutionException.class)
                .hasNoSuppressedExceptions();
        assertThatThrownBy(pool::turn).hasNoSuppressedExceptions();
    }

    @Test
    void executorThatIsShutDownWithAWorkerInItsQueue_stopsTheConsumerToo() throws InterruptedException {
        ExecutorService service = Executors.newSingleThreadExecutor();
        CompletableFuture<Object> busy = new CompletableFuture<>();
        service.execute(busy::join);
        pool.working(service, MANY, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 3, 5);
        pool.turn();
        service.shutdownNow();
        busy.complete("done");
        assertThat(service.awaitTermination(1, java.util.concurrent.TimeUnit.MINUTES))
                .isTrue();

        assertThatThrownBy(pool::turn)
                .isInstanceOf(RecordFailedException.class)
                .cause()
                .hasMessage("the executor was shut down before the consumer was closed");
    }

    @Test
    void interruptedWorker_leavesTheNextRecordToAnother() {
        List<Boolean> interrupted = new ArrayList<>();
        pool.handling(
                1,
                RecordProcessorBuilder::unordered,
                record -> {
                    interrupted.add(Thread.currentThread().isInterrupted());
                    Thread.currentThread().interrupt();
                },
                P0);
        pool.kafka.records(P0, 0, 2);
        for (int turn = 0; turn < 4; turn++) {
            pool.turn();
            Thread.interrupted(); // what a pool does between tasks
        }

        assertThat(interrupted).containsExactly(false, false, false);
        assertThat(pool.rig.stored(P0)).isEqualTo(3);
    }

    /** A key that tells when it is hashed or compared. */
    private record Tattling(String key, Runnable tell) {
        @Override
        public boolean equals(Object other) {
            tell.run();
            return other instanceof Tattling tattling && tattling.key.equals(key);
        }

        @Override
        public int hashCode() {
            tell.run();
            return 1;
        }
    }

    @Test
    void usersCode_isCalledWithoutTheLock() {
        List<Boolean> locked = new ArrayList<>();
        Runnable look = () -> locked.add(pool.processor.isLockedByThisThread());
        pool.processor = pool.rig
                .consumer
                .processor(
                        task -> {
                            look.run();
                            pool.executor.execute(task);
                        },
                        2)
                .orderedBy(record -> {
                    look.run();
                    return new Tattling("key " + record.offset() % 3, look);
                })
                .onFailure(failure -> {
                    look.run();
                    return FailureAction.skip("seen");
                })
                .handle(record -> {
                    look.run();
                    throw new Exception("for the policy to see");
                });
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(10);
        assertThat(locked).hasSizeGreaterThan(50).containsOnly(false);
    }

    @Test
    void secondProcessor_isRefused() {
        pool.working(1, RecordProcessorBuilder::unordered, P0);

        assertThatIllegalStateException()
                .isThrownBy(() -> pool.rig.consumer.processor(Runnable::run, 1).handle(record -> {}))
                .withMessage("this consumer has a processor already: there is one for each consumer");
    }

    @Test
    void processorAfterTheFirstPoll_isRefused() {
        pool.rig.subscribed(P0);
        pool.rig.consumer.poll(Duration.ZERO);

        assertThatIllegalStateException()
                .isThrownBy(() -> pool.rig.consumer.processor(Runnable::run, 1).handle(record -> {}))
                .withMessage(
                        "this consumer has polled already: make its processor before the first poll, since from then"
                                + " on records count as started when it starts them");
    }

    @Test
    void noConcurrency_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.rig.consumer.processor(Runnable::run, 0))
                .withMessage("maxConcurrency is 0: it must be one or more");
    }

    @Test
    void processedAfterTheEnd_isRefused() {
        pool.working(1, RecordProcessorBuilder::unordered, P0);
        TrackedRecords<String, String> polled = pool.rig.consumer.poll(Duration.ZERO);
        pool.rig.consumer.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> pool.processor.process(polled))
                .withMessage("this consumer has been closed");
    }
}
