package dev.offsets.kafka;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** Positions that are set by the user, or that move back by themselves: each begins a new incarnation. */
class SeekTest {
    private final Rig rig = Rig.committingAtOnce().subscribed(P0);

    private void deliver() {
        rig.kafka.records(P0, 0, 9);
        rig.poll();
    }

    @Test
    void backward_recordsComeAgainAndLateReportsAreIgnored() {
        deliver();
        rig.completeAll(P0, 0, 5);
        rig.tick();
        TrackedRecord<String, String> late = rig.record(P0, 6);
        rig.consumer.seek(P0, 3);

        assertThat(Rig.offsets(rig.poll())).containsExactly(3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(late.complete()).isEqualTo(IGNORED);
        assertThat(rig.record(P0, 6).complete()).isEqualTo(ACCEPTED);
        rig.completeAll(P0, 3, 5);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(6L, 3L, 7L);
    }

    @Test
    void forward_whatWasUnfinishedDoesNotHoldBack() {
        deliver();
        rig.consumer.seek(P0, 8);
        assertThat(Rig.offsets(rig.poll())).containsExactly(8L, 9L);
        rig.complete(P0, 8);
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(8L, 9L);
    }

    @Test
    void finishedAndNotCommittedBeforeASeek_isNotCommittedAnyMore() {
        Rig late = Rig.committingOnlyAtTheEnd().subscribed(P0);
        late.kafka.records(P0, 0, 9);
        late.poll();
        late.completeAll(P0, 0, 9);
        late.consumer.seek(P0, 4);
        late.poll();
        late.consumer.commitSync();

        assertThat(late.sent(P0)).containsExactly(4L);
    }

    @Test
    void toWhatIsStored_sendsNothing() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.tick();
        rig.consumer.seek(P0, 5);
        rig.poll();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(5L);
    }

    @Test
    void withALeaderEpoch_itIsCommittedWithThePosition() {
        rig.tick();
        rig.consumer.seek(P0, new OffsetAndMetadata(4, Optional.of(7), "ignored"));
        rig.tick();

        assertThat(rig.points(P0)).containsExactly(new OffsetAndMetadata(4, Optional.of(7), ""));
    }

    @Test
    void withoutALeaderEpoch_noneIsCommitted() {
        rig.kafka.record(P0, 0, Optional.of(7));
        rig.poll();
        rig.consumer.seek(P0, 4);
        rig.tick();

        assertThat(rig.points(P0)).containsExactly(new OffsetAndMetadata(4, Optional.empty(), ""));
    }

    @Test
    void toTheBeginning_beginsAtTheFirstRecordThatComes() {
        rig.kafka.storedOffset(P0, 5);
        deliver();
        rig.complete(P0, 5);
        TrackedRecord<String, String> late = rig.record(P0, 6);
        rig.consumer.seekToBeginning(List.of(P0));
        assertThat(late.complete()).isEqualTo(IGNORED);
        assertThat(rig.consumer.status()).isEmpty();

        assertThat(Rig.offsets(rig.poll())).hasSize(10).startsWith(0L);
        rig.complete(P0, 0);
        rig.tick();
        assertThat(rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void toTheEnd_theEndIsCommitted() {
        deliver();
        rig.complete(P0, 1);
        rig.consumer.seekToEnd(List.of(P0));
        rig.tick();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(10L);
    }

    @Test
    void toTheEndOfAllPartitions_byAnEmptyCollection() {
        Rig two = Rig.committingAtOnce().subscribed(P0, P1);
        two.kafka.records(P0, 0, 4);
        two.kafka.records(P1, 0, 6);
        two.poll();
        two.consumer.seekToEnd(List.of());
        two.tick();
        two.tick();

        assertThat(two.sent(P0)).containsExactly(5L);
        assertThat(two.sent(P1)).containsExactly(7L);
    }

    @Test
    void beforeAnythingIsKnown_theSoughtPositionIsCommitted() {
        rig.kafka.storedOffset(P0, 2);
        rig.kafka.records(P0, 0, 9);
        rig.kafka.maxPollRecords = 0;
        rig.tick();
        rig.consumer.seek(P0, 6);
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(6L);
    }

    @Test
    void partitionOfSomebodyElse_isRefusedAndNotOwned() {
        rig.tick();

        assertThatThrownBy(() -> rig.consumer.seek(P1, 3)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> rig.consumer.seekToEnd(List.of(P1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> rig.consumer.seek(P0, -1)).isInstanceOf(IllegalArgumentException.class);
        rig.tick();
        assertThat(rig.consumer.status()).containsOnlyKeys(P0);
        assertThat(rig.sent(P1)).isEmpty();
    }

    @Test
    void positionMovedBackByItself_isANewIncarnation() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.tick();
        rig.kafka.truncate(P0, 4);
        rig.kafka.movePosition(P0, 4);
        rig.kafka.records(P0, 4, 6);

        assertThat(Rig.offsets(rig.poll())).containsExactly(4L, 5L, 6L);
        rig.complete(P0, 4);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(10L, 5L);
        assertThat(rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void positionMovedBackOverHolesAlone_isCommittedToo() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.tick();
        rig.kafka.truncate(P0, 2);
        rig.kafka.logEnd(P0, 4, Optional.empty());
        rig.kafka.movePosition(P0, 2);
        rig.tick();
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(10L, 4L);
    }

    @Test
    void backToWhatWasStoredWhileACommitIsInFlight_isStoredByCloseAndRevocation() {
        for (boolean close : new boolean[] {true, false}) {
            Rig sought = Rig.committingAtOnce().subscribed(P0);
            sought.kafka.storedOffset(P0, 0);
            sought.kafka.records(P0, 0, 9);
            sought.poll();
            sought.kafka.holdAnswers();
            sought.completeAll(P0, 0, 4);
            sought.tick();
            sought.consumer.seek(P0, 0);
            if (close) {
                sought.consumer.close(Duration.ZERO);
            } else {
                sought.kafka.insideNextPoll(() -> sought.kafka.rebalanceCooperatively());
                sought.tick();
            }

            assertThat(sought.sent(P0)).containsExactly(5L, 0L);
            assertThat(sought.stored(P0)).isZero();
        }
    }
}
