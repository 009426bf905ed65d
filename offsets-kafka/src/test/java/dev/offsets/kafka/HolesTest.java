package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** Offsets without a record: never waited for, committed too, with the leader epoch that belongs to them. */
class HolesTest {
    private static final Optional<Integer> NO_EPOCH = Optional.empty();

    @Test
    void emptyPollThatMovesThePosition_isCommitted() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.storedOffset(P0, 20);
        rig.kafka.logEnd(P0, 25, NO_EPOCH);
        rig.tick();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(25L);
    }

    @Test
    void emptyPollThatMovesThePosition_withARecordUnfinished_nothingIsCommitted() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.storedOffset(P0, 19);
        rig.kafka.records(P0, 19, 19);
        rig.poll();
        rig.kafka.logEnd(P0, 25, NO_EPOCH);
        rig.tick(Duration.ofMinutes(1));
        assertThat(rig.sent(P0)).isEmpty();
        assertThat(rig.status(P0).committableOffset()).isEqualTo(19);

        rig.complete(P0, 19);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(25L);
    }

    @Test
    void progressOverHolesAlone_isCommittedWithinTheTimeBound() {
        Rig rig =
                Rig.committing(CommitPolicy.timeBounded(Duration.ofSeconds(5))).subscribed(P0);
        rig.kafka.logEnd(P0, 0, NO_EPOCH);
        rig.tick();
        rig.kafka.logEnd(P0, 300, NO_EPOCH);
        rig.tick();
        rig.tick();
        rig.tick(Duration.ofMillis(4_999));
        assertThat(rig.sent(P0)).isEmpty();
        rig.tick(Duration.ofMillis(1));
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(300L);
    }

    @Test
    void progressOverHolesAlone_isCommittedAfterThirtySecondsWhereThePolicyCountsRecords() {
        Rig rig = Rig.committing(CommitPolicy.batched(1)).subscribed(P0);
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        rig.complete(P0, 0);
        rig.tick();
        rig.kafka.logEnd(P0, 50, NO_EPOCH);
        rig.tick();
        rig.tick();
        rig.tick(Duration.ofMillis(29_999));
        assertThat(rig.sent(P0)).containsExactly(1L);
        rig.tick(Duration.ofMillis(1));
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(1L, 50L);
    }

    @Test
    void commitAtThePosition_hasTheEpochOfThePosition() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.record(P0, 0, Optional.of(3));
        rig.kafka.logEnd(P0, 4, Optional.of(5));
        rig.poll();
        rig.complete(P0, 0);
        rig.tick();

        assertThat(rig.points(P0)).containsExactly(new OffsetAndMetadata(4, Optional.of(5), ""));
    }

    @Test
    void commitAtAnUnfinishedRecordBeyondAHole_hasTheEpochOfThatRecord() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.record(P0, 0, Optional.of(0));
        rig.kafka.record(P0, 8, Optional.of(2));
        rig.kafka.record(P0, 9, Optional.of(2));
        rig.poll();
        rig.complete(P0, 0, 9);
        rig.tick();

        assertThat(rig.points(P0)).containsExactly(new OffsetAndMetadata(8, Optional.of(2), ""));
    }

    @Test
    void epochsThatAreNotKnown_areNotInvented() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.record(P0, 0, Optional.of(3));
        rig.kafka.logEnd(P0, 4, NO_EPOCH);
        rig.poll();
        rig.complete(P0, 0);
        rig.tick();

        assertThat(rig.points(P0)).containsExactly(new OffsetAndMetadata(4, NO_EPOCH, ""));
    }

    @Test
    void interceptorThatRemovesEverything_positionIsCommitted() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.interceptor = records -> new ConsumerRecords<>(Map.of(), records.nextOffsets());
        rig.kafka.records(P0, 0, 499);
        rig.tick();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(500L);
    }

    @Test
    void interceptorThatRemovesEverythingAndTheNextOffsets_positionIsCommitted() {
        Rig rig = withInterceptor(records -> new ConsumerRecords<>(Map.of(), Map.of()));
        rig.kafka.records(P0, 0, 499);
        rig.tick();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(500L);
    }

    @Test
    void interceptorThatRemovesEverything_withARecordUnfinished_nothingIsCommitted() {
        Rig rig = withInterceptor(UnaryOperator.identity());
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        rig.kafka.interceptor = records -> new ConsumerRecords<>(Map.of(), Map.of());
        rig.kafka.records(P0, 1, 499);
        rig.tick();
        rig.tick(Duration.ofMinutes(1));
        assertThat(rig.sent(P0)).isEmpty();

        rig.complete(P0, 0);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(500L);
    }

    @Test
    void interceptorThatRemovesTheLastRecordsAndTheNextOffsets_positionIsCommittedWithoutAnEpoch() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.interceptor = records -> records.isEmpty()
                ? records
                : new ConsumerRecords<>(Map.of(P0, List.of(records.records(P0).get(0))), Map.of());
        rig.kafka.record(P0, 0, Optional.of(4));
        rig.kafka.record(P0, 1, Optional.of(4));
        rig.poll();
        rig.complete(P0, 0);
        rig.tick();

        assertThat(rig.points(P0)).containsExactly(new OffsetAndMetadata(2, NO_EPOCH, ""));
    }

    @Test
    void nextOffsetsMissing_lastRecordsEpochStaysWithThePositionAfterIt() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.nextOffsetsAreMissing = true;
        rig.kafka.record(P0, 0, Optional.of(4));
        rig.poll();
        rig.complete(P0, 0);
        rig.tick();

        assertThat(rig.points(P0)).containsExactly(new OffsetAndMetadata(1, Optional.of(4), ""));
    }

    @Test
    void idlePartitionBesideABusyOne_isInTheStatusAndItsSeekIsCommitted() {
        Rig rig = Rig.committingAtOnce().subscribed(P0, P1);
        rig.kafka.storedOffset(P1, 30);
        rig.kafka.logEnd(P1, 30, NO_EPOCH);
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        assertThat(rig.status(P1).position()).isEqualTo(30);

        rig.consumer.seekToBeginning(List.of(P1));
        rig.kafka.beginning(P1, 10);
        rig.consumer.pause(List.of(P1));
        for (long offset = 1; offset < 5; offset++) {
            rig.kafka.records(P0, offset, offset);
            rig.poll();
        }
        assertThat(rig.sent(P1)).containsExactly(10L);
    }

    private static Rig withInterceptor(UnaryOperator<ConsumerRecords<String, String>> interceptor) {
        Rig rig = Rig.withConfig(Map.of(
                        "group.id",
                        "group",
                        "enable.auto.commit",
                        "false",
                        "auto.offset.reset",
                        "earliest",
                        "interceptor.classes",
                        "any.Interceptor"))
                .subscribed(P0);
        rig.kafka.interceptor = interceptor;
        return rig;
    }
}
