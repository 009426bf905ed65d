package dev.offsets.kafka;

import static dev.offsets.kafka.ProcessorRig.MANY;
import static dev.offsets.kafka.ProcessorRig.names;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.kafka.ProcessorStatus.StoppedAt;
import dev.offsets.kafka.ProcessorStatus.WaitingRetry;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.errors.InterruptException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attempts that fail: retries, and what comes after them. */
class ProcessorFailureTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ProcessorRig pool = new ProcessorRig();
    private final Exception cause = new Exception("cause");

    @AfterEach
    void leaveNoInterrupt() {
        Thread.interrupted();
    }

    private static FailurePolicy retryAfter(Duration delay) {
        return failure -> FailureAction.retryAfter(delay);
    }

    private static UnaryOperator<RecordProcessorBuilder<String, String>> byKey(FailurePolicy policy) {
        return processor -> processor.orderedByKey().onFailure(policy);
    }

    private static UnaryOperator<RecordProcessorBuilder<String, String>> unordered(FailurePolicy policy) {
        return processor -> processor.onFailure(policy);
    }

    @Test
    void failedWithoutAPolicy_consumerStopsAfterWhatFinishedWasCommitted() {
        pool.working(MANY, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 4);
        pool.kafka.records(P1, 0, 4);
        pool.turn();
        pool.done(P0, 0, 1, 3, 4);
        pool.done(P1, 0);
        pool.failed(P0, 2, cause);

        assertThatThrownBy(pool::turn)
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record topic-0@2 failed")
                .hasCause(cause);
        assertThat(pool.rig.stored(P0)).isEqualTo(2);
        assertThat(pool.rig.stored(P1)).isEqualTo(1);
    }

    @Test
    void stoppedConsumer_noSuccessorOfTheSameKeyStarts_othersMay() {
        pool.kafka.keys = offset -> offset % 2 == 0 ? "even" : "odd";
        pool.working(MANY, byKey(FailurePolicy.stopConsumer()), P0);
        pool.kafka.records(P0, 0, 5);
        pool.turn();
        pool.failed(P0, 0, cause);
        pool.done(P0, 1);
        assertThat(pool.running()).containsExactly(names(P0, 3));

        assertThatThrownBy(pool::turn).hasCause(cause);
        pool.executor.runAll();
        assertThat(pool.starts).containsExactly(names(P0, 0, 1, 3));
        assertThat(pool.processor.status().queued()).isEqualTo(1);
    }

    @Test
    void firstRecordAfterTheStartFails_nothingIsCommittedBelowIt() {
        pool.kafka.storedOffset(P0, 200);
        pool.working(MANY, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 200, 200);
        pool.turn();
        pool.failed(P0, 200, cause);
        assertThatThrownBy(pool::turn).hasCause(cause);
        pool.rig.consumer.close();

        assertThat(pool.rig.sent(P0)).isEmpty();
        assertThat(pool.rig.stored(P0)).isEqualTo(200);
    }

    @Test
    void stoppedConsumer_seekBeginsAnew() {
        pool.working(MANY, byKey(FailurePolicy.stopConsumer()), P0);
        pool.kafka.records(P0, 5, 7);
        pool.turn();
        pool.failed(P0, 5, cause);
        assertThatThrownBy(pool::turn).hasCause(cause);
        pool.rig.consumer.seek(P0, 5);
        pool.turn();
        pool.done(P0, 5, 6, 7);
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(8);
    }

    @Test
    void retry_isMadeWhenItIsDue_andNotBefore() {
        pool.working(MANY, unordered(retryAfter(SECOND)), P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, cause);
        pool.turn(Duration.ofMillis(999));
        assertThat(pool.running()).isEmpty();

        pool.turn(Duration.ofMillis(20));
        assertThat(pool.running()).containsExactly(names(P0, 0));
        pool.done(P0, 0);
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void retryThatBecomesDueWhileAPollWaits_isMadeThen() {
        pool.handling(
                1,
                unordered(retryAfter(SECOND)),
                record -> {
                    if (pool.starts.size() == 1) {
                        throw cause;
                    }
                },
                P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.time.after(Duration.ofMillis(1_020), pool.executor::runAll);
        pool.time.after(Duration.ofMillis(1_040), () -> assertThat(pool.starts).hasSize(2));
        pool.turn(Duration.ofSeconds(5));

        assertThat(pool.rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void waitingRetry_holdsItsKeyBack_andNoOther() {
        pool.kafka.keys = offset -> offset % 2 == 0 ? "even" : "odd";
        pool.working(MANY, byKey(retryAfter(SECOND)), P0);
        pool.kafka.records(P0, 0, 5);
        pool.turn();
        pool.failed(P0, 0, cause);
        pool.done(P0, 1, 3, 5);
        pool.turn();
        assertThat(pool.running()).isEmpty();
        assertThat(pool.rig.stored(P0)).isNull();

        pool.turn(SECOND.plusMillis(10));
        pool.done(P0, 0, 2, 4);
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(6);
    }

    @Test
    void waitingRetry_isInTheStatus() {
        pool.working(MANY, unordered(retryAfter(SECOND)), P0);
        pool.kafka.records(P0, 0, 1);
        pool.turn();
        pool.failed(P0, 1, cause);
        pool.time.advance(Duration.ofMillis(300));
        pool.failed(P0, 0, cause);

        assertThat(pool.processor.status())
                .isEqualTo(new ProcessorStatus(
                        2,
                        0,
                        List.of(
                                new WaitingRetry(P0, 1, 1, Duration.ofMillis(700), cause),
                                new WaitingRetry(P0, 0, 1, SECOND, cause)),
                        Map.of()));
    }

    @Test
    void retry_isMadeAlthoughTheBoundIsReached() {
        ProcessorRig bounded = new ProcessorRig(builder -> builder.maxInFlightPerPartition(10));
        bounded.kafka.maxPollRecords = 3;
        bounded.working(MANY, unordered(retryAfter(SECOND)), P0);
        bounded.kafka.records(P0, 1, 20);
        for (int i = 0; i < 6; i++) {
            bounded.turn();
        }
        assertThat(bounded.running()).hasSize(12);
        bounded.done(P0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
        bounded.failed(P0, 1, cause);
        bounded.turn();
        assertThat(bounded.running()).isEmpty();

        bounded.turn(SECOND.plusMillis(10));
        assertThat(bounded.running()).containsExactly(names(P0, 1));
        bounded.done(P0, 1);
        bounded.turn();
        assertThat(bounded.rig.stored(P0)).isEqualTo(13);
        assertThat(bounded.running()).isNotEmpty();
    }

    @Test
    void policy_isToldOfTheAttempts() {
        List<RecordFailure> told = new ArrayList<>();
        pool.working(
                MANY,
                unordered(failure -> {
                    told.add(failure);
                    return failure.attempts() < 3
                            ? FailureAction.retryAfter(SECOND)
                            : FailureAction.skip("three are enough");
                }),
                P0);
        pool.kafka.records(P0, 7, 7);
        pool.turn();
        for (int attempt = 1; attempt <= 3; attempt++) {
            pool.time.advance(Duration.ofMillis(100));
            pool.failed(P0, 7, cause);
            pool.time.advance(SECOND);
            pool.turn();
        }

        assertThat(told)
                .containsExactly(
                        new RecordFailure(P0, 7, 1, Duration.ofMillis(100), cause),
                        new RecordFailure(P0, 7, 2, Duration.ofMillis(1_200), cause),
                        new RecordFailure(P0, 7, 3, Duration.ofMillis(2_300), cause));
        assertThat(pool.rig.stored(P0)).isEqualTo(8);
    }

    @Test
    void skipped_countsAsFinished_andTheConsumerGoesOn() {
        pool.working(MANY, unordered(FailurePolicy.skip("not worth it")), P0);
        pool.kafka.records(P0, 5, 9);
        pool.turn();
        pool.done(P0, 6, 7, 8, 9);
        pool.failed(P0, 5, cause);
        pool.kafka.records(P0, 10, 14);
        pool.turn();
        pool.done(P0, 10, 11, 12, 13, 14);
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(15);
    }

    @Test
    void delayForEver_isNotDueAtOnce() {
        pool.working(MANY, unordered(retryAfter(Duration.ofSeconds(Long.MAX_VALUE))), P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, cause);
        pool.turn(Duration.ofMinutes(1));

        assertThat(pool.starts).hasSize(1);
    }

    // ---- Stopped partitions ----

    @Test
    void stoppedPartition_nothingMoreOfItIsStartedOrFetched_theOtherGoesOn() {
        pool.working(2, unordered(FailurePolicy.stopPartition()), P0, P1);
        pool.kafka.records(P0, 0, 4);
        pool.turn();
        pool.done(P0, 0);
        pool.failed(P0, 1, cause);
        assertThat(pool.running()).containsExactly(names(P0, 2));
        pool.done(P0, 2);
        pool.kafka.records(P0, 5, 9);
        pool.kafka.records(P1, 0, 1);
        pool.turn();
        assertThat(pool.running()).containsExactly(names(P1, 0, 1));
        pool.done(P1, 0, 1);
        pool.turn();
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(1);
        assertThat(pool.rig.stored(P1)).isEqualTo(2);
        assertThat(pool.kafka.paused()).containsExactly(P0);
        assertThat(pool.rig.consumer.paused()).isEmpty();
        assertThat(pool.rig.status(P0).position()).isEqualTo(5);
        assertThat(pool.events.events).contains("stopped topic-0@1 cause");
        assertThat(pool.processor.status())
                .isEqualTo(new ProcessorStatus(0, 0, List.of(), Map.of(P0, new StoppedAt(1, cause))));
    }

    @Test
    void stoppedPartition_whatItHoldsDoesNotHoldTheOthersBack() {
        ProcessorRig bounded = new ProcessorRig(builder -> builder.maxInFlight(5));
        bounded.working(MANY, unordered(FailurePolicy.stopPartition()), P0, P1);
        bounded.kafka.records(P0, 0, 5);
        bounded.turn();
        bounded.failed(P0, 0, cause);
        bounded.turn();
        bounded.kafka.records(P1, 0, 0);
        bounded.turn();
        bounded.turn();

        assertThat(bounded.kafka.paused()).containsExactly(P0);
    }

    @Test
    void stoppedPartition_isToldOfOnce() {
        pool.working(MANY, unordered(FailurePolicy.stopPartition()), P0);
        pool.kafka.records(P0, 0, 4);
        pool.turn();
        pool.failed(P0, 3, cause);
        pool.failed(P0, 1, new Exception("another"));
        pool.turn();
        pool.turn();

        assertThat(pool.events.events)
                .filteredOn(event -> event.startsWith("stopped"))
                .hasSize(1);
        assertThat(pool.processor.status().stopped()).containsExactly(Map.entry(P0, new StoppedAt(3, cause)));
    }

    @Test
    void stoppedPartition_whatTheUserResumesStaysStopped() {
        pool.working(MANY, unordered(FailurePolicy.stopPartition()), P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, cause);
        pool.turn();
        pool.rig.consumer.resume(List.of(P0));
        pool.kafka.records(P0, 1, 5);
        pool.turn();

        assertThat(pool.starts).containsExactly(names(P0, 0));
    }

    @Test
    void stoppedPartition_sought_beginsAnew() {
        pool.working(MANY, unordered(FailurePolicy.stopPartition()), P0);
        pool.kafka.records(P0, 5, 6);
        pool.turn();
        pool.failed(P0, 5, cause);
        pool.done(P0, 6);
        pool.turn();
        pool.rig.consumer.seek(P0, 5);
        pool.turn();
        pool.done(P0, 5, 6);
        pool.turn();

        assertThat(pool.kafka.paused()).isEmpty();
        assertThat(pool.processor.status().stopped()).isEmpty();
        assertThat(pool.rig.stored(P0)).isEqualTo(7);
    }

    @Test
    void stoppedPartition_leftAndCameBack_beginsAnew() {
        pool.working(MANY, unordered(FailurePolicy.stopPartition()), P0, P1);
        pool.kafka.records(P0, 0, 1);
        pool.turn();
        pool.failed(P0, 0, cause);
        pool.done(P0, 1);
        pool.turn();
        pool.kafka.insideNextPoll(() -> pool.kafka.rebalanceCooperatively(P1));
        pool.turn();
        pool.kafka.insideNextPoll(() -> pool.kafka.rebalanceCooperatively(P0, P1));
        pool.turn();
        pool.turn();

        assertThat(pool.running()).containsExactly(names(P0, 0, 1));
    }

    @Test
    void stoppedPartition_isNotTakenForStuck() {
        ProcessorRig watched = new ProcessorRig(builder -> builder.stopWhenStuckFor(SECOND));
        watched.working(MANY, unordered(FailurePolicy.stopPartition()), P0, P1);
        watched.kafka.records(P0, 0, 0);
        watched.kafka.records(P1, 0, 0);
        watched.turn();
        watched.failed(P0, 0, cause);
        watched.done(P1, 0);
        watched.turn(Duration.ofMinutes(1));

        assertThat(watched.rig.stored(P1)).isEqualTo(1);
    }

    // ---- What handlers throw ----

    @Test
    void stageThatFails_isUnwrapped() {
        List<Throwable> errors = new ArrayList<>();
        pool.working(
                MANY,
                unordered(failure -> {
                    errors.add(failure.error());
                    return FailureAction.skip("seen");
                }),
                P0);
        pool.kafka.records(P0, 0, 1);
        pool.turn();
        pool.failed(P0, 0, new CompletionException(new ExecutionException(cause)));
        CompletionException bare = new CompletionException("bare", null);
        pool.failed(P0, 1, bare);

        assertThat(errors).containsExactly(cause, bare);
    }

    static List<AsyncHandler<Object>> waysToFail() {
        return List.of(
                record -> {
                    throw new IOException("checked");
                },
                record -> {
                    throw new AssertionError("error");
                },
                record -> {
                    throw new StackOverflowError();
                },
                record -> CompletableFuture.failedFuture(new IOException("failed at once")),
                record -> null);
    }

    @ParameterizedTest
    @MethodSource("waysToFail")
    void whateverIsThrown_isThePolicysToDecide(AsyncHandler<Object> handler) {
        pool.processor = pool.rig
                .consumer
                .processor(pool.executor, 1)
                .onFailure(FailurePolicy.skip("whatever"))
                .handleAsync(handler);
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 2);
        pool.turn();
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(3);
    }

    static List<AsyncHandler<Object>> waysToBeInterrupted() {
        return List.of(
                record -> {
                    throw new InterruptedException();
                },
                record -> {
                    throw new InterruptException("Kafka's");
                },
                record -> {
                    throw new IllegalStateException(new IOException(new ClosedByInterruptException()));
                },
                record -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted");
                });
    }

    @ParameterizedTest
    @MethodSource("waysToBeInterrupted")
    void interrupted_stopsTheConsumerWhateverThePolicy_andTheFlagStays(AsyncHandler<Object> handler) {
        pool.processor = pool.rig
                .consumer
                .processor(pool.executor, 1)
                .onFailure(FailurePolicy.skip("whatever"))
                .handleAsync(handler);
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 2);
        pool.turn();

        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(pool::turn)
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record topic-0@0");
        assertThat(pool.rig.stored(P0)).isNull();
    }

    static List<Throwable> noFaultOfTheRecord() {
        return List.of(
                new OutOfMemoryError("simulated"),
                new InternalError("simulated"),
                new IllegalStateException(new OutOfMemoryError("simulated")),
                new CompletionException(new InterruptedException()));
    }

    @ParameterizedTest
    @MethodSource("noFaultOfTheRecord")
    void completedWithNoFaultOfTheRecord_stopsTheConsumerWhateverThePolicy(Throwable error) {
        pool.working(MANY, unordered(FailurePolicy.skip("whatever")), P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, error);

        assertThatThrownBy(pool::turn).isInstanceOf(RecordFailedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(pool.rig.stored(P0)).isNull();
    }

    @Test
    void errorThatIsItsOwnCause_isDealtWith() {
        Exception one = new Exception("one");
        Exception other = new Exception("other", one);
        one.initCause(other);
        pool.working(MANY, unordered(FailurePolicy.skip("whatever")), P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, one);
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(1);
    }

    /** Of a type that futures wrap errors into. */
    private static final class OwnCause extends CompletionException {
        private static final long serialVersionUID = 1;

        @Override
        public Throwable getCause() {
            return this;
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void wrapperThatIsItsOwnCause_isDealtWith() {
        pool.working(MANY, unordered(FailurePolicy.skip("whatever")), P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, new OwnCause());
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(1);
    }

    static List<FailurePolicy> noPolicies() {
        return List.of(failure -> null, failure -> {
            throw new IllegalStateException("policy");
        });
    }

    @ParameterizedTest
    @MethodSource("noPolicies")
    void policyThatDoesNotAnswer_stopsTheConsumer_withThatSuppressed(FailurePolicy policy) {
        pool.working(MANY, unordered(policy), P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, cause);

        assertThatThrownBy(pool::turn).hasCause(cause);
        assertThat(cause.getSuppressed()).hasSize(1);
    }

    @Test
    void policyThatThrowsTheFailureItself_stopsTheConsumer() {
        RuntimeException itself = new RuntimeException("itself");
        pool.working(
                MANY,
                unordered(failure -> {
                    throw itself;
                }),
                P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, itself);

        assertThatThrownBy(pool::turn).hasCause(itself);
    }

    @Test
    void stageThatCompletesAtOnce_theWorkerGoesOn() {
        pool.processor = pool.rig
                .consumer
                .processor(pool.executor, 1)
                .handleAsync(record -> CompletableFuture.completedFuture(record));
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 99);
        pool.turn();
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(100);
        assertThat(pool.executor.submitted).isEqualTo(1);
    }

    @Test
    void stageThatRefusesACallback_isAFailure() {
        CompletionStage<Object> odd = new CompletableFuture<>() {
            @Override
            public CompletableFuture<Object> whenComplete(
                    java.util.function.BiConsumer<? super Object, ? super Throwable> action) {
                action.accept(null, null);
                throw new UnsupportedOperationException("odd");
            }
        };
        pool.processor = pool.rig.consumer.processor(pool.executor, 1).handleAsync(record -> odd);
        pool.rig.subscribed(P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();

        assertThatThrownBy(pool::turn).hasRootCauseMessage("odd");
    }

    @Test
    void soughtWhileARetryWaits_retryIsDropped() {
        pool.working(MANY, byKey(retryAfter(SECOND)), P0);
        pool.kafka.records(P0, 5, 7);
        pool.turn();
        pool.failed(P0, 5, cause);
        pool.rig.consumer.seek(P0, 6);
        pool.turn();
        assertThat(pool.processor.status().retries()).isEmpty();
        pool.done(P0, 6, 7);
        pool.turn(Duration.ofSeconds(5));

        assertThat(pool.starts).containsExactly(names(P0, 5, 6, 7));
        assertThat(pool.rig.stored(P0)).isEqualTo(8);
    }

    @Test
    void failedAfterASeekBack_isNoFailureOfTheNewDelivery() {
        pool.working(MANY, unordered(FailurePolicy.stopConsumer()), P0);
        pool.kafka.records(P0, 5, 7);
        pool.turn();
        pool.rig.consumer.seek(P0, 5);
        pool.failed(P0, 6, cause);
        pool.done(P0, 7, 5);
        pool.turn();
        pool.done(P0, 5, 6, 7);
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(8);
    }
}
