package dev.offsets.kafka;

import static dev.offsets.kafka.ProcessorRig.MANY;
import static dev.offsets.kafka.ProcessorRig.names;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which records are worked on at once, and in which order. */
class ProcessorOrderTest {
    private final ProcessorRig pool = new ProcessorRig();

    private static String oneOfThree(long offset) {
        return "key " + offset % 3;
    }

    @Test
    void unordered_asManyAtOnceAsAllowed_inTheOrderOfTheirOffsets() {
        pool.working(3, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        assertThat(pool.running()).containsExactly(names(P0, 0, 1, 2));

        pool.done(P0, 1);
        assertThat(pool.running()).containsExactly(names(P0, 0, 2, 3));
        assertThat(pool.processor.status().queued()).isEqualTo(6);
        assertThat(pool.processor.status().running()).isEqualTo(3);
    }

    @Test
    void orderedByPartition_oneOfEachPartitionAtOnce() {
        pool.working(MANY, RecordProcessorBuilder::orderedByPartition, P0, P1);
        pool.kafka.records(P0, 0, 9);
        pool.kafka.records(P1, 0, 9);
        pool.turn();
        assertThat(pool.running()).containsExactlyInAnyOrder(P0 + "@0", P1 + "@0");

        pool.done(P0, 0, 1);
        assertThat(pool.running()).containsExactlyInAnyOrder(P0 + "@2", P1 + "@0");
    }

    @Test
    void orderedByKey_oneOfEachKeyAtOnce_inTheOrderOfTheirOffsets() {
        pool.kafka.keys = ProcessorOrderTest::oneOfThree;
        pool.working(MANY, RecordProcessorBuilder::orderedByKey, P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        assertThat(pool.running()).containsExactly(names(P0, 0, 1, 2));

        pool.done(P0, 1, 4, 7);
        assertThat(pool.running()).containsExactly(names(P0, 0, 2));
        pool.done(P0, 0);
        assertThat(pool.running()).containsExactly(names(P0, 2, 3));
    }

    @Test
    void orderedByKey_sameKeyInAnotherPartition_isNotOrderedBehindIt() {
        pool.working(MANY, RecordProcessorBuilder::orderedByKey, P0, P1);
        pool.kafka.records(P0, 0, 1);
        pool.kafka.records(P1, 0, 1);
        pool.turn();

        assertThat(pool.running()).containsExactlyInAnyOrder(P0 + "@0", P1 + "@0");
    }

    @Test
    void orderedByKey_recordsOfALaterPollWaitForThoseOfAnEarlierOne() {
        pool.working(MANY, RecordProcessorBuilder::orderedByKey, P0);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.kafka.records(P0, 1, 1);
        pool.turn();
        assertThat(pool.running()).containsExactly(names(P0, 0));

        pool.done(P0, 0);
        assertThat(pool.running()).containsExactly(names(P0, 1));
    }

    @Test
    void orderedByKey_recordsWithoutAKey_areNotOrdered() {
        pool.kafka.keys = offset -> null;
        pool.working(MANY, RecordProcessorBuilder::orderedByKey, P0);
        pool.kafka.records(P0, 0, 4);
        pool.turn();

        assertThat(pool.running()).containsExactly(names(P0, 0, 1, 2, 3, 4));
    }

    static List<Function<ConsumerRecord<String, String>, ?>> equalContents() {
        return List.of(
                record -> record.key().getBytes(StandardCharsets.UTF_8),
                record -> ByteBuffer.wrap(record.key().getBytes(StandardCharsets.UTF_8)),
                record -> List.of(record.key()),
                record -> record.getClass(),
                record -> Thread.State.NEW);
    }

    @ParameterizedTest
    @MethodSource("equalContents")
    void orderedByContent_equalOnesAreOrdered(Function<ConsumerRecord<String, String>, ?> function) {
        pool.working(MANY, processor -> processor.orderedBy(function), P0);
        pool.kafka.records(P0, 0, 2);
        pool.turn();

        assertThat(pool.running()).containsExactly(names(P0, 0));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void bytesThatAHandlerChanges_keepTheirOrder(long offsetOfBytes) {
        byte[] bytes = {1};
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        pool.working(
                MANY,
                processor -> processor.orderedBy(record -> record.offset() == offsetOfBytes ? bytes : buffer),
                P0);
        pool.kafka.records(P0, 0, 1);
        pool.turn();
        buffer.get();
        bytes[0] = 2;
        pool.done(P0, 0);
        pool.done(P0, 1);
        pool.turn();

        assertThat(pool.processor.keysHeld()).isZero();
    }

    static Stream<Arguments> incomparable() {
        return Stream.of(new int[] {1}, new String[] {"1"}, new Object(), new StringBuilder("1"), new EqualsAlone())
                .map(key -> Arguments.of(key));
    }

    @SuppressWarnings("overrides")
    static final class EqualsAlone {
        @Override
        public boolean equals(Object other) {
            return other instanceof EqualsAlone;
        }

        @Override
        public String toString() {
            return "without hashCode";
        }
    }

    @ParameterizedTest
    @MethodSource("incomparable")
    void orderedByWhatHasNoEqualsOfItsOwn_stopsTheConsumerAndNamesTheClass(Object key) {
        pool.working(MANY, processor -> processor.orderedBy(record -> record.offset() < 1 ? "a" : key), P0);
        pool.kafka.records(P0, 0, 5);
        pool.turn();
        assertThat(pool.running()).containsExactly(names(P0, 0));

        assertThatThrownBy(pool::turn)
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record topic-0@1 failed")
                .cause()
                .hasMessage("records can't be ordered by an object of "
                        + key.getClass().getTypeName()
                        + ", which has no equals and hashCode of its own, so that equal keys would not be noticed. Order by"
                        + " something else: orderedBy(record -> ...)");
    }

    @Test
    void functionThatThrows_stopsTheConsumer_andNothingBehindIsStarted() {
        pool.working(
                MANY,
                processor -> processor.orderedBy(record -> {
                    if (record.offset() == 2) {
                        throw new IllegalStateException("no key");
                    }
                    return record.offset();
                }),
                P0,
                P1);
        pool.kafka.records(P0, 0, 5);
        pool.kafka.records(P1, 0, 1);
        pool.turn();

        assertThat(pool.running()).containsExactlyInAnyOrder(P0 + "@0", P0 + "@1", P1 + "@0", P1 + "@1");
        assertThatThrownBy(pool::turn).hasRootCauseMessage("no key").hasMessageStartingWith("record topic-0@2 failed");
    }

    @Test
    void partitionsTakeTurns_soThatAFullOneDoesNotKeepAnotherWaiting() {
        pool.working(2, RecordProcessorBuilder::unordered, P0, P1);
        pool.kafka.records(P0, 0, 99);
        pool.turn();
        pool.kafka.records(P1, 0, 99);
        pool.turn();
        pool.newStarts();
        pool.done(P0, 0, 1);

        assertThat(pool.newStarts()).containsExactlyInAnyOrder(P0 + "@2", P1 + "@0");
    }

    @Test
    void keysTakeTurns_soThatAFullOneDoesNotKeepAnotherWaiting() {
        pool.kafka.keys = offset -> offset < 5 ? "full" : "other";
        pool.working(1, RecordProcessorBuilder::orderedByKey, P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        pool.done(P0, 0, 5, 1, 6);

        assertThat(pool.running()).containsExactly(names(P0, 2));
    }

    /** If each start cost as much as its lane is long, this would take minutes. */
    @Test
    void longLane_costsARecordNoMoreThanAShortOne() {
        int records = 200_000;
        pool.kafka.maxPollRecords = records;
        pool.handling(1, RecordProcessorBuilder::orderedByPartition, record -> {}, P0);
        pool.kafka.records(P0, 0, records - 1);

        assertTimeoutPreemptively(Duration.ofSeconds(20), (Executable) pool::turn);
        assertThat(pool.starts).hasSize(records);
    }

    @Test
    void soughtBack_recordIsNotStartedWhileTheOlderDeliveryIsStillWorkedOn() {
        pool.working(MANY, RecordProcessorBuilder::orderedByKey, P0);
        pool.kafka.records(P0, 5, 7);
        pool.turn();
        pool.rig.consumer.seek(P0, 5);
        pool.turn();
        assertThat(pool.starts).containsExactly(names(P0, 5));

        pool.done(P0, 5);
        assertThat(pool.running()).containsExactly(names(P0, 5));
        pool.done(P0, 5, 6, 7);
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(8);
    }

    @Test
    void leftAndCameBack_recordIsNotStartedWhileTheOlderDeliveryIsStillWorkedOn() {
        pool.working(MANY, RecordProcessorBuilder::orderedByKey, P0, P1);
        pool.kafka.records(P0, 0, 1);
        pool.turn();
        pool.kafka.insideNextPoll(() -> pool.kafka.lose(P0));
        pool.turn();
        pool.kafka.insideNextPoll(() -> pool.kafka.rebalanceCooperatively(P0, P1));
        pool.turn();
        pool.turn();
        assertThat(pool.starts).containsExactly(names(P0, 0));

        pool.done(P0, 0);
        assertThat(pool.starts).containsExactly(names(P0, 0, 0));
    }

    @Test
    void idleKeys_areForgotten() {
        int keys = 100_000;
        ProcessorRig roomy = new ProcessorRig(builder -> builder.maxInFlightPerPartition(keys + 1));
        roomy.kafka.keys = offset -> "key " + offset;
        roomy.kafka.maxPollRecords = keys;
        roomy.handling(1, RecordProcessorBuilder::orderedByKey, record -> {}, P0);
        roomy.kafka.records(P0, 0, keys - 1);
        roomy.turn();
        assertThat(roomy.starts).hasSize(keys);
        roomy.turn();

        assertThat(roomy.processor.keysHeld()).isZero();
    }

    @Test
    void processedTwice_recordsAreQueuedOnce() {
        pool.working(1, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 0, 4);
        TrackedRecords<String, String> polled = pool.rig.consumer.poll(Duration.ZERO);
        pool.processor.process(polled);
        pool.processor.process(polled);

        assertThat(pool.processor.status().queued()).isEqualTo(5);
    }

    @Test
    void recordsThatTheLoopHasTakenItself_areLeftToIt() {
        pool.working(MANY, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 0, 2);
        TrackedRecords<String, String> polled = pool.rig.consumer.poll(Duration.ZERO);
        polled.iterator().next().complete();
        pool.processor.process(polled);
        pool.executor.runAll();

        assertThat(pool.running()).containsExactly(names(P0, 1, 2));
    }

    @Test
    void recordDoubledByAnInterceptor_isWorkedOnOnce() {
        PollResultTest.doubleEveryRecord(pool.rig);
        pool.working(1, processor -> processor.onFailure(failure -> FailureAction.retryAfter(Duration.ofHours(1))), P0);
        pool.kafka.records(P0, 0, 2);
        pool.turn();
        pool.failed(P0, 0, new Exception("waits from now on"));
        pool.done(P0, 1);

        assertThat(pool.starts).containsExactly(names(P0, LongStream.range(0, 3).toArray()));
    }

    @Test
    void recordsOfAnotherConsumer_areRefused() {
        pool.working(MANY, RecordProcessorBuilder::unordered, P0);
        Rig other = Rig.committingAtOnce().subscribed(P0);

        assertThatThrownBy(() -> pool.processor.process(other.consumer.poll(Duration.ZERO)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("these records were polled by another consumer than this processor's");
    }

    @Test
    void filteredRecords_areFinishedByTheHandlerThatDropsThem() {
        pool.kafka.maxPollRecords = 1_000;
        pool.working(MANY, RecordProcessorBuilder::unordered, P0);
        pool.kafka.records(P0, 0, 999);
        pool.turn();
        for (long offset = 0; offset < 1_000; offset++) {
            if (offset != 500) {
                pool.done(P0, offset);
            }
        }
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(500);
        pool.done(P0, 500);
        pool.turn();
        assertThat(pool.rig.stored(P0)).isEqualTo(1_000);
    }
}
