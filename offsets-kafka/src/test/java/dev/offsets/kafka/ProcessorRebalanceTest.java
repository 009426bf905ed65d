package dev.offsets.kafka;

import static dev.offsets.kafka.ProcessorRig.MANY;
import static dev.offsets.kafka.ProcessorRig.names;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Partitions that are taken away, and the end of the consumer, while records are queued, worked on, or wait for a retry. */
class ProcessorRebalanceTest {
    private final ProcessorRig pool = new ProcessorRig();
    private final Exception cause = new Exception("cause");

    private void revokeP0() {
        pool.kafka.insideNextPoll(() -> pool.kafka.rebalanceCooperatively(P1));
    }

    @Test
    void revoked_runningWorkIsWaitedFor_queuedRecordsAreNotStarted() {
        pool.working(2, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 99);
        pool.turn();
        pool.time.after(Duration.ofMillis(500), () -> pool.done(P0, 0));
        pool.time.after(Duration.ofMillis(700), () -> pool.done(P0, 1));
        revokeP0();
        pool.turn();

        assertThat(pool.starts).containsExactly(names(P0, 0, 1));
        assertThat(pool.time.elapsed()).isBetween(Duration.ofMillis(700), Duration.ofMillis(710));
        assertThat(pool.rig.sent(SYNC, P0)).containsExactly(2L);
        assertThat(pool.processor.status().queued()).isZero();
    }

    @Test
    void revoked_recordsOfABatchThatWereNotStarted_reachTheNextOwner() {
        pool.workingOnBatches(50, 1, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 99);
        pool.turn();
        pool.batchDone(pool.running().get(0));
        pool.time.after(Duration.ofMillis(100), () -> pool.failed(pool.running().get(0), cause));
        revokeP0();
        pool.turn();

        assertThat(pool.rig.stored(P0)).isEqualTo(50);
        assertThat(pool.starts).hasSize(2);
    }

    @Test
    void revoked_waitingRetryIsNotWaitedFor_andNotMade() {
        pool.working(
                MANY,
                processor -> processor.onFailure(failure -> FailureAction.retryAfter(Duration.ofSeconds(1))),
                P0,
                P1);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0, 0, cause);
        revokeP0();
        pool.turn();
        assertThat(pool.time.elapsed()).isZero();

        pool.turn(Duration.ofSeconds(5));
        assertThat(pool.starts).hasSize(1);
        assertThat(pool.rig.sent(P0)).isEmpty();
        assertThat(pool.processor.status().retries()).isEmpty();
    }

    @Test
    void failedWhileItsPartitionIsTakenAway_isNotRetried_andNotWaitedForAnyLonger() {
        pool.working(
                MANY, processor -> processor.onFailure(failure -> FailureAction.retryAfter(Duration.ZERO)), P0, P1);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.time.after(Duration.ofMillis(100), () -> pool.failed(P0, 0, cause));
        revokeP0();
        pool.turn();

        assertThat(pool.starts).hasSize(1);
        assertThat(pool.time.elapsed()).isLessThan(Duration.ofMillis(110));
        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    @Test
    void taskThatStillWaitsInTheExecutor_startsNothingAfterTheRevocation() {
        pool.working(MANY, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 9);
        pool.processor.process(pool.rig.consumer.poll(Duration.ZERO));
        revokeP0();
        pool.rig.consumer.poll(Duration.ZERO);
        pool.executor.runAll();

        assertThat(pool.starts).isEmpty();
    }

    @Test
    void lost_nothingQueuedIsStarted_andLateCompletionsCountForNothing() {
        pool.working(1, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        pool.kafka.insideNextPoll(() -> pool.kafka.lose(P0));
        pool.turn();
        pool.done(P0, 0);
        pool.turn();

        assertThat(pool.starts).containsExactly(names(P0, 0));
        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    @Test
    void lostAndBackWithinOnePoll_waitingRetryOfTheFormerDeliveryHoldsNothingBack() {
        pool.working(
                MANY,
                processor ->
                        processor.orderedByKey().onFailure(failure -> FailureAction.retryAfter(Duration.ofHours(1))),
                P0);
        pool.kafka.records(P0, 0, 1);
        pool.turn();
        pool.failed(P0, 0, cause);
        pool.kafka.insideNextPoll(() -> {
            pool.kafka.lose(P0);
            pool.kafka.rebalanceCooperatively(P0);
        });
        pool.turn();
        pool.turn();

        assertThat(pool.running()).containsExactly(names(P0, 0));
    }

    @Test
    void recordsOfAPartitionThatHasGoneMeanwhile_areNotStarted() {
        pool.working(MANY, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 9);
        TrackedRecords<String, String> polled = pool.rig.consumer.poll(Duration.ZERO);
        revokeP0();
        pool.rig.consumer.poll(Duration.ZERO);
        pool.processor.process(polled);
        pool.executor.runAll();

        assertThat(pool.starts).isEmpty();
    }

    @Test
    void closed_runningWorkIsWaitedFor_theRestIsLeft() {
        pool.working(2, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        pool.time.after(Duration.ofMillis(500), () -> pool.done(P0, 0, 1));
        CloseResult result = pool.rig.consumer.close(Duration.ofSeconds(10));

        assertThat(result.drained()).isEqualTo(2);
        assertThat(result.abandoned()).isEqualTo(8);
        assertThat(pool.rig.stored(P0)).isEqualTo(2);
        assertThat(pool.starts).hasSize(2);
        assertThat(pool.processor.status().queued()).isZero();
    }

    @Test
    void closedWithAnInterrupt_queuedRecordsAreNotStartedDuringTheLastCommit() {
        pool.working(1, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        pool.done(P0, 0);
        pool.kafka.failNextSync(() -> new TimeoutException("no answer"));
        pool.time.after(Duration.ofMillis(1), () -> pool.done(P0, 1));
        Thread.currentThread().interrupt();
        pool.rig.consumer.close(Duration.ofSeconds(10));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(pool.starts).containsExactly(names(P0, 0, 1));
    }

    @Test
    void closedWhileARetryWaits_itIsNotWaitedFor() {
        pool.working(
                MANY, processor -> processor.onFailure(failure -> FailureAction.retryAfter(Duration.ofMinutes(1))), P0);
        pool.kafka.records(P0, 0, 1);
        pool.turn();
        pool.failed(P0, 1, cause);
        pool.done(P0, 0);
        pool.rig.consumer.close(Duration.ofSeconds(10));

        assertThat(pool.time.elapsed()).isZero();
        assertThat(pool.rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void workersInterruptedAtTheEnd_interruptedRecordsAreNotCommitted() {
        pool.working(4, processor -> processor.onFailure(FailurePolicy.skip("whatever")), P0);
        pool.kafka.records(P0, 0, 3);
        pool.turn();
        pool.done(P0, 0, 2);
        pool.failed(P0, 1, new InterruptedException());
        pool.failed(P0, 3, new IllegalStateException(new InterruptedException()));
        pool.rig.consumer.close(Duration.ZERO);

        assertThat(pool.rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void onePartitionFails_theOthersNumberIsItsOwn() {
        pool.working(MANY, processor -> processor.onFailure(FailurePolicy.stopPartition()), P0, P1);
        pool.kafka.storedOffset(P0, 5);
        pool.kafka.records(P0, 5, 8);
        pool.kafka.records(P1, 0, 3);
        pool.turn();
        pool.done(P1, 0, 1, 2, 3);
        pool.failed(P0, 5, cause);
        pool.turn();
        pool.rig.consumer.close(Duration.ZERO);

        assertThat(pool.rig.stored(P0)).isEqualTo(5);
        assertThat(pool.rig.stored(P1)).isEqualTo(4);
    }
}
