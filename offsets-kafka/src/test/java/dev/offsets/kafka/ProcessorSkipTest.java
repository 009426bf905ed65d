package dev.offsets.kafka;

import static dev.offsets.kafka.ProcessorRig.MANY;
import static dev.offsets.kafka.ProcessorRig.names;
import static dev.offsets.kafka.Rig.P0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that the user passes over while a processor has them in hand. */
class ProcessorSkipTest {
    private final ProcessorRig pool = new ProcessorRig();
    private final Exception cause = new Exception("cause");

    static List<FailurePolicy> policies() {
        return List.of(
                FailurePolicy.stopConsumer(),
                FailurePolicy.stopPartition(),
                FailurePolicy.skip("bad"),
                FailurePolicy.retry());
    }

    static List<Throwable> errors() {
        return List.of(new Exception("cause"), new InterruptedException());
    }

    private void working(FailurePolicy policy) {
        pool.working(MANY, processor -> processor.orderedByPartition().onFailure(policy), P0);
        pool.kafka.records(P0, 0, 1);
        pool.turn();
    }

    private void assertThatTheRestIsWorkedOn() {
        pool.turn();
        assertThat(pool.running()).containsExactly(names(P0, 1));
        pool.done(P0, 1);
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(2);
        assertThat(pool.processor.status().stopped()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void skippedWhileItIsWorkedOn_itsLaterFailureStopsNothing(FailurePolicy policy) {
        working(policy);
        pool.rig.consumer.skip(P0, 0, "takes too long");
        pool.failed(P0, 0, cause);

        assertThatTheRestIsWorkedOn();
    }

    @ParameterizedTest
    @MethodSource("errors")
    void skippedWhileItIsWorkedOn_neitherDoesAnInterrupt(Throwable error) {
        working(FailurePolicy.stopConsumer());
        pool.rig.consumer.skip(P0, 0, "takes too long");
        pool.failed(P0, 0, error);

        assertThatTheRestIsWorkedOn();
    }

    @Test
    void firstOfABatchSkipped_interruptOfTheBatchStopsTheConsumerAtTheNext() {
        pool.workingOnBatches(3, MANY, processor -> processor.onFailure(FailurePolicy.skip("bad")), P0);
        pool.kafka.records(P0, 0, 2);
        pool.turn();
        pool.rig.consumer.skip(P0, 0, "takes too long");
        pool.failed(P0 + "@0,1,2", new InterruptedException());

        assertThatThrownBy(pool::turn).hasMessageStartingWith("record topic-0@1 failed");
    }

    @Test
    void skippedWhileItWaitsForARetry_whatIsOrderedBehindItGoesOnAtOnce() {
        working(failure -> FailureAction.retryAfter(Duration.ofHours(1)));
        pool.failed(P0, 0, cause);
        pool.rig.consumer.skip(P0, 0, "not worth an hour");

        assertThatTheRestIsWorkedOn();
        assertThat(pool.processor.status().retries()).isEmpty();
    }

    /** At the first reading the retry is planned, at the second it is queued. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void skippedWhileARetryIsPlanned_whatIsOrderedBehindItGoesOnAtOnce(int reading) {
        working(failure -> {
            pool.time.atReading(reading, () -> pool.rig.consumer.skip(P0, 0, "not worth an hour"));
            return FailureAction.retryAfter(Duration.ofHours(1));
        });
        pool.failed(P0, 0, cause);

        assertThatTheRestIsWorkedOn();
        assertThat(pool.processor.status().retries()).isEmpty();
    }

    @Test
    void skippedBeforeItIsProcessed_itsOrderDoesNotMatter() {
        pool.working(
                MANY,
                processor -> processor.orderedBy(record -> {
                    if (record.offset() == 0) {
                        throw new IllegalStateException("no key");
                    }
                    return "key";
                }),
                P0);
        pool.kafka.records(P0, 0, 1);
        TrackedRecords<String, String> polled = pool.rig.consumer.poll(Duration.ZERO);
        pool.rig.consumer.skip(P0, 0, "no key");
        pool.processor.process(polled);
        pool.executor.runAll();

        assertThatTheRestIsWorkedOn();
    }
}
