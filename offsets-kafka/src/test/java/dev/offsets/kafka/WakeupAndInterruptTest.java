package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.SimulatedConsumer.Call.SEEK;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A wakeup ends a poll, never a commit, and is never lost; an interrupt ends waits, not commits, and stays set. */
class WakeupAndInterruptTest {
    private final Rig rig = Rig.committingOnlyAtTheEnd().subscribed(P0);

    @AfterEach
    void leaveNoInterruptBehind() {
        Thread.interrupted();
    }

    private void deliver() {
        rig.kafka.records(P0, 0, 4);
        rig.poll();
    }

    @Test
    void wakeup_isThrownByTheNextPoll_once() {
        rig.tick();
        rig.consumer.wakeup();

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(WakeupException.class);
        rig.tick();
    }

    @Test
    void wakeupThatMeetsAnAssignment_isThrownByTheNextPoll_once() {
        rig.consumer.wakeup();
        rig.tick();

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(WakeupException.class);
        rig.tick();
        assertThat(rig.status(P0)).isNotNull();
    }

    @Test
    void wakeupThatMeetsAnAssignment_whatIsStoredIsStillFound() {
        Rig late = Rig.withConfig(Map.of("group.id", "group", "enable.auto.commit", "false"))
                .subscribed(P0);
        late.kafka.beginning(P0, 5);
        late.kafka.logEnd(P0, 5, Optional.empty());
        late.consumer.wakeup();
        late.tick();
        assertThatThrownBy(() -> late.poll()).isInstanceOf(WakeupException.class);
        late.tick();

        // The next owner must not begin later than this one did.
        assertThat(late.sent(P0)).containsExactly(5L);
    }

    @Test
    void wakeupWhileAPollWaits_endsIt() {
        deliver();
        rig.time.after(Duration.ofSeconds(1), () -> rig.consumer.wakeup());

        assertThatThrownBy(() -> rig.poll(Duration.ofMinutes(1))).isInstanceOf(WakeupException.class);
        assertThat(rig.time.elapsed()).isLessThan(Duration.ofMillis(1_020));
    }

    @Test
    void wakeupThatMeetsABlockingCommit_theCommitIsSentAgainAndTheNextPollThrows() {
        deliver();
        rig.complete(P0, 0, 1);
        rig.consumer.wakeup();
        rig.consumer.commitSync();

        assertThat(rig.sent(SYNC, P0)).containsExactly(2L, 2L);
        assertThat(rig.status(P0).committedOffset()).hasValue(2);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(WakeupException.class);
        rig.tick();
    }

    @Test
    void wakeupThatMeetsTheCommitOfARevocation_aWaitingPollThrowsIt() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.kafka.failNextSync(WakeupException::new);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());
        rig.tick();

        assertThat(rig.sent(SYNC, P0)).containsExactly(5L, 5L);
        assertThatThrownBy(() -> rig.poll(Duration.ofMinutes(1))).isInstanceOf(WakeupException.class);
        rig.tick();
    }

    @Test
    void wakeupThatMeetsThePositionOfAnIdlePartition_isThrownByTheNextPoll() {
        rig.tick();
        rig.kafka.interceptor = records -> {
            rig.consumer.seekToEnd(List.of(P0));
            rig.consumer.wakeup();
            rig.kafka.interceptor = same -> same;
            return records;
        };
        rig.tick();

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(WakeupException.class);
        rig.tick();
    }

    @Test
    void wakeupWithAFailedRecord_neitherIsLost() {
        deliver();
        rig.complete(P0, 0);
        rig.record(P0, 1).fail(new Exception());
        rig.consumer.wakeup();

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(RecordFailedException.class);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(WakeupException.class);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(RecordFailedException.class);
    }

    @Test
    void wakeupWhileClosing_closingGoesOn() {
        deliver();
        rig.consumer.wakeup();
        rig.time.after(Duration.ofSeconds(1), () -> rig.completeAll(P0, 0, 4));
        rig.time.after(Duration.ofMillis(500), () -> rig.consumer.wakeup());
        CloseResult closed = rig.consumer.close(Duration.ofSeconds(10));

        assertThat(closed.failures()).isEmpty();
        assertThat(closed.drained()).isEqualTo(5);
        assertThat(rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void interruptedBeforePoll_pollThrowsAndTheFlagIsSet() {
        deliver();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(InterruptException.class);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void interruptedBeforeABlockingCommit_itIsConfirmedAndTheFlagIsSet() {
        deliver();
        rig.complete(P0, 0);
        Thread.currentThread().interrupt();
        rig.consumer.commitSync();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(rig.sent(SYNC, P0)).containsExactly(1L);
        assertThat(rig.status(P0).committedOffset()).hasValue(1);
    }

    @Test
    void interruptedDuringABlockingCommit_itIsSentAgainAndTheFlagIsSet() {
        deliver();
        rig.complete(P0, 0);
        rig.kafka.failNextSync(() -> new InterruptException("during"));
        rig.consumer.commitSync();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(rig.sent(SYNC, P0)).containsExactly(1L, 1L);
        assertThat(rig.status(P0).committedOffset()).hasValue(1);
    }

    @Test
    void interruptedWhileWaitingForRevokedWork_theWaitEndsAndTheCommitIsMade() {
        deliver();
        rig.complete(P0, 0);
        rig.time.after(Duration.ofSeconds(1), () -> Thread.currentThread().interrupt());
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(InterruptException.class);
        assertThat(rig.time.elapsed()).isLessThan(Duration.ofMillis(1_010));
        assertThat(rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void interruptedBeforeClose_nothingIsWaitedForButTheCommitIsMade() {
        deliver();
        rig.complete(P0, 0);
        Duration before = rig.time.elapsed();
        Thread.currentThread().interrupt();
        CloseResult closed = rig.consumer.close(Duration.ofSeconds(10));

        assertThat(rig.time.elapsed()).isEqualTo(before);
        assertThat(closed.abandoned()).isEqualTo(4);
        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(rig.kafka.closedWithInterruptFlag).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void interruptedWhileClosing_theWaitEndsAndTheCommitIsMade() {
        deliver();
        rig.complete(P0, 0);
        rig.time.after(Duration.ofSeconds(1), () -> Thread.currentThread().interrupt());
        CloseResult closed = rig.consumer.close(Duration.ofSeconds(10));

        assertThat(rig.time.elapsed()).isLessThan(Duration.ofMillis(1_020));
        assertThat(closed.failures()).isEmpty();
        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(rig.kafka.closedWithInterruptFlag).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void wakeupThatMeetsABlockingCommitWithoutTime_isNotThrownByIt() {
        deliver();
        rig.complete(P0, 0, 1);
        rig.consumer.wakeup();

        assertThatThrownBy(() -> rig.consumer.commitSync(Duration.ZERO))
                .isInstanceOf(TimeoutException.class)
                .hasMessage(
                        "a wakeup or an interrupt came before the answer to the commit, and no time was left to send"
                                + " it again: its outcome is unknown");
        assertThat(rig.status(P0).committedOffset()).isEmpty();
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(WakeupException.class);
        rig.tick();
    }

    @Test
    void interruptedDuringABlockingCommitWithoutTime_theOutcomeIsUnknownAndTheFlagIsSet() {
        deliver();
        rig.complete(P0, 0);
        rig.kafka.failNextSync(() -> new InterruptException("during"));

        assertThatThrownBy(() -> rig.consumer.commitSync(Duration.ZERO)).isInstanceOf(TimeoutException.class);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(rig.status(P0).committedOffset()).isEmpty();
    }

    @Test
    void interruptedDuringTheLastCommit_kafkasCloseIsNotCutShortByIt() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.kafka.failNextSync(() -> new InterruptException("during"));
        CloseResult closed = rig.consumer.close(Duration.ofSeconds(10));

        assertThat(closed.failures()).isEmpty();
        assertThat(rig.kafka.closedWithInterruptFlag).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void interruptedWhileTheConsumerSeeksOnItsOwn_theFlagStaysAndTheNextPollGoesOn(boolean takesEffect) {
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 1);
        rig.kafka.truncate(P0, 6);
        rig.kafka.movePosition(P0, 5);
        if (takesEffect) {
            rig.kafka.throwAfterNext(SEEK, () -> new InterruptException("interrupted"));
        } else {
            rig.kafka.throwFromNext(SEEK, () -> new InterruptException("interrupted"));
        }
        rig.tick();
        assertThat(Thread.interrupted()).isTrue();

        assertThat(Rig.offsets(rig.poll())).containsExactly(2L, 3L, 4L, 5L);
    }
}
