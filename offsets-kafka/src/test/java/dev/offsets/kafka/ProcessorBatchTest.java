package dev.offsets.kafka;

import static dev.offsets.kafka.ProcessorRig.MANY;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Batches: what is in one, and what becomes of one that fails. */
class ProcessorBatchTest {
    private final ProcessorRig pool = new ProcessorRig();
    private final Exception cause = new Exception("cause");

    @Test
    void batch_holdsAsManyAsAllowed_ofOnePartition() {
        pool.workingOnBatches(3, MANY, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 4);
        pool.kafka.records(P1, 7, 8);
        pool.turn();

        assertThat(pool.running()).containsExactlyInAnyOrder(P0 + "@0,1,2", P0 + "@3,4", P1 + "@7,8");
    }

    @Test
    void batches_commitEachPartitionsOwnNumber() {
        pool.workingOnBatches(10, MANY, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.storedOffset(P0, 100);
        pool.kafka.storedOffset(P1, 300);
        pool.kafka.records(P0, 100, 101);
        pool.kafka.records(P1, 300, 301);
        pool.turn();
        pool.batchDone(P1 + "@300,301");
        pool.batchDone(P0 + "@100,101");
        pool.turn();

        assertThat(pool.kafka.commits).hasSize(1);
        assertThat(pool.rig.stored(P0)).isEqualTo(102);
        assertThat(pool.rig.stored(P1)).isEqualTo(302);
    }

    @Test
    void orderedByKey_wholeKeysGoIntoABatch_andWaitUntilItIsDone() {
        pool.kafka.keys = offset -> "key " + offset % 2;
        pool.workingOnBatches(3, MANY, RecordProcessorBuilder::orderedByKey, P0);
        pool.kafka.records(P0, 0, 7);
        pool.turn();
        assertThat(pool.running()).containsExactly(P0 + "@0,2,4", P0 + "@1,3,5");

        pool.batchDone(P0 + "@0,2,4");
        assertThat(pool.running()).containsExactly(P0 + "@1,3,5", P0 + "@6");
    }

    @Test
    void orderedByPartition_oneBatchAtOnce() {
        pool.workingOnBatches(3, MANY, RecordProcessorBuilder::orderedByPartition, P0);
        pool.kafka.records(P0, 0, 4);
        pool.turn();
        assertThat(pool.running()).containsExactly(P0 + "@0,1,2");

        pool.batchDone(P0 + "@0,1,2");
        assertThat(pool.running()).containsExactly(P0 + "@3,4");
    }

    @Test
    void failedBatch_isTriedAgainRecordByRecord_andThePolicyIsAskedOfTheBadOneAlone() {
        List<RecordFailure> told = new ArrayList<>();
        pool.workingOnBatches(
                3,
                MANY,
                processor -> processor.onFailure(failure -> {
                    told.add(failure);
                    return FailureAction.skip("bad");
                }),
                P0);
        pool.kafka.records(P0, 0, 2);
        pool.turn();
        pool.failed(P0 + "@0,1,2", new Exception("batch"));
        assertThat(pool.running()).containsExactly(P0 + "@0", P0 + "@1", P0 + "@2");

        pool.batchDone(P0 + "@0");
        pool.batchDone(P0 + "@2");
        pool.failed(P0 + "@1", cause);
        pool.turn();
        assertThat(told).containsExactly(new RecordFailure(P0, 1, 2, Duration.ZERO, cause));
        assertThat(pool.rig.stored(P0)).isEqualTo(3);
    }

    @Test
    void failedBatch_keepsTheOrderOfItsKeys() {
        pool.kafka.keys = offset -> "key " + offset % 2;
        pool.workingOnBatches(
                4,
                MANY,
                processor ->
                        processor.orderedByKey().onFailure(failure -> FailureAction.retryAfter(Duration.ofSeconds(1))),
                P0);
        pool.kafka.records(P0, 0, 7);
        pool.turn();
        assertThat(pool.running()).containsExactly(P0 + "@0,2,4,6", P0 + "@1,3,5,7");
        pool.failed(P0 + "@0,2,4,6", cause);
        assertThat(pool.running()).containsExactly(P0 + "@1,3,5,7", P0 + "@0");
        pool.failed(P0 + "@0", cause);
        pool.turn();
        assertThat(pool.running()).containsExactly(P0 + "@1,3,5,7");

        pool.turn(Duration.ofMillis(1_010));
        pool.batchDone(P0 + "@0");
        assertThat(pool.running()).containsExactly(P0 + "@1,3,5,7", P0 + "@2");
        pool.batchDone(P0 + "@2");
        pool.batchDone(P0 + "@4");
        pool.batchDone(P0 + "@6");
        pool.batchDone(P0 + "@1,3,5,7");
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(8);
    }

    @Test
    void revoked_noFurtherBatchIsBegun() {
        pool.workingOnBatches(3, 1, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 8);
        pool.turn();
        pool.time.after(Duration.ofMillis(100), () -> pool.batchDone(P0 + "@0,1,2"));
        pool.kafka.insideNextPoll(() -> pool.kafka.rebalanceCooperatively(P1));
        pool.turn();

        assertThat(pool.starts).containsExactly(P0 + "@0,1,2");
        assertThat(pool.rig.stored(P0)).isEqualTo(3);
    }

    @Test
    void batchOfOneThatFails_isThePolicysToDecideAtOnce() {
        pool.workingOnBatches(3, MANY, processor -> processor.onFailure(FailurePolicy.skip("bad")), P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.failed(P0 + "@0", cause);
        pool.turn();

        assertThat(pool.starts).hasSize(1);
        assertThat(pool.rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void interruptedBatch_stopsTheConsumer_andNoneOfItIsFinishedOrTriedAgain() {
        pool.workingOnBatches(3, MANY, processor -> processor.onFailure(FailurePolicy.skip("bad")), P0);
        pool.kafka.records(P0, 0, 2);
        pool.turn();
        pool.failed(P0 + "@0,1,2", new InterruptedException());

        assertThatThrownBy(pool::turn).hasMessageStartingWith("record topic-0@0 failed");
        pool.executor.runAll();
        assertThat(pool.starts).hasSize(1);
        assertThat(pool.rig.stored(P0)).isNull();
    }

    @Test
    void noRecords_areNoBatch() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.workingOnBatches(0, 1, RecordProcessorBuilder::unordered, P0))
                .withMessage("maxRecords is 0: it must be one or more");
    }
}
