package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Call.PAUSE;
import static dev.offsets.kafka.SimulatedConsumer.Call.RESUME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pauses at the bound and pauses of the user's, and that neither undoes the other. */
class BackpressureTest {
    private static final int BOUND = 5;

    private final Rig rig =
            Rig.with(builder -> builder.maxInFlightPerPartition(BOUND)).subscribed(P0, P1);

    /** P0 is at its bound, P1 has one record. */
    private void fillP0() {
        rig.kafka.records(P0, 0, 9);
        rig.kafka.records(P1, 0, 0);
        rig.kafka.maxPollRecords = 11;
        rig.poll();
        rig.tick();
    }

    @Test
    void partitionAtItsBound_isPausedAloneAndResumedByItself() {
        fillP0();
        assertThat(rig.kafka.paused()).containsExactly(P0);
        rig.kafka.records(P1, 1, 3);
        assertThat(Rig.names(rig.poll())).containsExactly("topic-1@1", "topic-1@2", "topic-1@3");

        rig.completeAll(P0, 0, 4);
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactly(P0);
        rig.complete(P0, 5);
        rig.kafka.records(P0, 10, 11);
        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@10", "topic-0@11");
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void belowItsBound_isNotPaused() {
        rig.kafka.records(P0, 0, 3);
        rig.poll();
        rig.tick();

        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void completedAhead_countsAsHeld() {
        fillP0();
        rig.completeAll(P0, 1, 9);
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactly(P0);

        rig.complete(P0, 0);
        rig.tick();
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void freedWhileAPollWaits_isResumedWithoutReturning() {
        fillP0();
        rig.time.after(Duration.ofMillis(500), () -> rig.completeAll(P0, 0, 9));
        rig.kafka.records(P0, 10, 10);
        Duration before = rig.time.elapsed();

        assertThat(Rig.names(rig.poll(Duration.ofMinutes(1)))).containsExactly("topic-0@10");
        assertThat(rig.time.elapsed().minus(before)).isBetween(Duration.ofMillis(500), Duration.ofMillis(510));
    }

    @Test
    void userPausesAFreePartition_nothingComesUntilTheUserResumes() {
        rig.poll();
        rig.consumer.pause(List.of(P0));
        rig.kafka.records(P0, 0, 1);
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.consumer.paused()).containsExactly(P0);

        rig.consumer.resume(List.of(P0));
        assertThat(rig.poll()).hasSize(2);
        assertThat(rig.consumer.paused()).isEmpty();
    }

    @Test
    void boundThenUser_freedAtTheBound_staysPausedByTheUser() {
        fillP0();
        rig.consumer.pause(List.of(P0));
        rig.completeAll(P0, 0, 9);
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactly(P0);

        rig.consumer.resume(List.of(P0));
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void boundThenUser_userResumesFirst_staysPausedByTheBound() {
        fillP0();
        rig.consumer.pause(List.of(P0));
        rig.consumer.resume(List.of(P0));
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactly(P0);
        assertThat(rig.consumer.paused()).isEmpty();

        rig.completeAll(P0, 0, 9);
        rig.tick();
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void userThenBound_userResumesFirst_staysPausedByTheBound() {
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.consumer.pause(List.of(P0));
        rig.tick();
        rig.consumer.resume(List.of(P0));
        assertThat(rig.kafka.paused()).containsExactly(P0);

        rig.completeAll(P0, 0, 9);
        rig.tick();
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void userThenBound_freedAtTheBound_staysPausedByTheUser() {
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.consumer.pause(List.of(P0));
        rig.tick();
        rig.completeAll(P0, 0, 9);
        rig.tick();

        assertThat(rig.kafka.paused()).containsExactly(P0);
    }

    @Test
    void userPausesBetweenTwoTurns_atTheBoundOrNot_theirsIsKept() {
        fillP0();
        rig.completeAll(P0, 0, 9);
        rig.consumer.pause(List.of(P0));
        rig.tick();

        assertThat(rig.kafka.paused()).containsExactly(P0);
        assertThat(rig.consumer.paused()).containsExactly(P0);
    }

    @Test
    void cooperativeRebalance_keptPartitionsKeepBothPauses() {
        fillP0();
        rig.consumer.pause(List.of(P1));
        var p2 = new TopicPartition("topic", 2);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0, P1, p2));
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactlyInAnyOrder(P0, P1);

        rig.completeAll(P0, 0, 9);
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactly(P1);
        rig.consumer.resume(List.of(P1));
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void eagerRebalance_forgetsBothPauses_asKafkaDoes() {
        fillP0();
        rig.consumer.pause(List.of(P1));
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly(P0, P1));
        rig.poll();

        assertThat(rig.consumer.paused()).isEmpty();
        assertThat(rig.kafka.paused()).isEmpty();
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactly(P0);
    }

    @Test
    void partitionThatLeftAndCameBack_isNotPaused() {
        fillP0();
        rig.consumer.pause(List.of(P0, P1));
        rig.kafka.insideNextPoll(() -> rig.kafka.lose(P0));
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0, P1));
        assertThat(rig.poll()).hasSize(10);

        assertThat(rig.consumer.paused()).containsExactly(P1);
    }

    @Test
    void pauseOnRevocation_byTheListener_isForgottenWithThePartition() {
        Rig listening = Rig.committingAtOnce();
        listening.subscribed(
                new Rig.Quiet() {
                    @Override
                    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                        listening.consumer.pause(partitions);
                    }
                },
                P0,
                P1);
        listening.tick();
        listening.kafka.insideNextPoll(() -> listening.kafka.rebalanceCooperatively(P1));
        listening.tick();

        assertThat(listening.consumer.paused()).isEmpty();
    }

    @Test
    void pauseOfAForeignPartition_isRefusedAndForgotten() {
        var foreign = new TopicPartition("topic", 9);
        rig.tick();

        assertThatThrownBy(() -> rig.consumer.pause(List.of(foreign))).isInstanceOf(IllegalStateException.class);
        assertThat(rig.consumer.paused()).isEmpty();
    }

    @Test
    void soughtAtTheBound_isResumed() {
        fillP0();
        rig.consumer.seek(P0, 9);

        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@9");
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void soughtToTheBeginningAtTheBound_isResumed() {
        fillP0();
        rig.consumer.seekToBeginning(List.of(P0));

        assertThat(rig.poll()).hasSize(10);
    }

    @Test
    void givenUpByAssign_pauseIsForgotten() {
        Rig manual = Rig.committingAtOnce();
        manual.consumer.assign(Set.of(P0, P1));
        manual.consumer.pause(List.of(P0));
        manual.consumer.assign(Set.of(P1));
        manual.consumer.assign(Set.of(P0, P1));
        manual.kafka.records(P0, 0, 0);

        assertThat(manual.poll()).hasSize(1);
        manual.consumer.pause(List.of(P0));
        manual.consumer.unsubscribe();
        assertThat(manual.consumer.paused()).isEmpty();
    }

    @Test
    void restOfAResult_waitsWhileTheUserHasPausedItsPartition() {
        rig.kafka.records(P0, 0, 3);
        rig.pollAndLeaveAfter(1);
        rig.consumer.pause(List.of(P0));
        rig.kafka.records(P1, 0, 0);
        assertThat(Rig.names(rig.poll())).containsExactly("topic-1@0");
        rig.tick();

        rig.consumer.resume(List.of(P0));
        assertThat(Rig.offsets(rig.poll())).containsExactly(1L, 2L, 3L);
    }

    @Test
    void restHeldBackByAPause_isNotWaitedForNorDeliveredTwice() {
        rig.kafka.records(P0, 0, 3);
        rig.pollAndLeaveAfter(1);
        rig.complete(P0, 0);
        rig.consumer.pause(List.of(P0));
        rig.tick();
        Duration before = rig.time.elapsed();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly(P0, P1));

        assertThat(Rig.offsets(rig.poll())).containsExactly(1L, 2L, 3L);
        assertThat(rig.time.elapsed()).isEqualTo(before);
    }

    @Test
    void restHeldBackByAPause_comesBeforeNewRecordsOnceResumed() {
        rig.kafka.records(P0, 0, 3);
        rig.pollAndLeaveAfter(1);
        rig.consumer.pause(List.of(P0));
        rig.kafka.records(P0, 4, 5);
        rig.tick(Duration.ofSeconds(1));
        rig.consumer.resume(List.of(P0));

        assertThat(Rig.offsets(rig.poll())).containsExactly(1L, 2L, 3L, 4L, 5L);
        rig.completeAll(P0, 0, 5);
        rig.consumer.commitSync();
        assertThat(rig.sent(P0)).containsExactly(6L);
    }

    /** P1 is paused at its bound and free now; P0 is at its bound and not paused yet. */
    private void freeP1AndFillP0() {
        rig.kafka.records(P1, 0, 4);
        rig.poll();
        rig.tick();
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        assertThat(rig.kafka.paused()).containsExactly(P1);
        rig.completeAll(P1, 0, 4);
        rig.kafka.records(P1, 5, 6);
    }

    private void throwOnce(SimulatedConsumer.Call call, boolean takesEffect) {
        if (takesEffect) {
            rig.kafka.throwAfterNext(call, () -> new TimeoutException(call.name()));
        } else {
            rig.kafka.throwFromNext(call, () -> new TimeoutException(call.name()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pauseThatThrowsOnce_theFreedOneGoesOnAndTheFullOneIsPaused(boolean takesEffect) {
        freeP1AndFillP0();
        throwOnce(PAUSE, takesEffect);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(TimeoutException.class);

        assertThat(Rig.names(rig.poll())).containsExactly("topic-1@5", "topic-1@6");
        assertThat(rig.kafka.paused()).containsExactly(P0);
        rig.completeAll(P0, 0, 4);
        rig.tick();
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void resumeThatThrowsOnce_theFreedOneGoesOn(boolean takesEffect) {
        freeP1AndFillP0();
        throwOnce(RESUME, takesEffect);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(TimeoutException.class);

        assertThat(Rig.names(rig.poll())).containsExactly("topic-1@5", "topic-1@6");
        rig.completeAll(P0, 0, 4);
        rig.tick();
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void usersPauseThatThrowsOnce_resumedByTheUser_goesOn(boolean takesEffect) {
        rig.poll();
        throwOnce(PAUSE, takesEffect);
        assertThatThrownBy(() -> rig.consumer.pause(List.of(P0))).isInstanceOf(TimeoutException.class);
        rig.consumer.resume(List.of(P0));
        rig.kafka.records(P0, 0, 1);

        assertThat(rig.poll()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void usersResumeThatThrowsOnce_resumedByTheUserAgain_goesOn(boolean takesEffect) {
        rig.poll();
        rig.consumer.pause(List.of(P0));
        throwOnce(RESUME, takesEffect);
        assertThatThrownBy(() -> rig.consumer.resume(List.of(P0))).isInstanceOf(TimeoutException.class);
        rig.consumer.resume(List.of(P0));
        rig.kafka.records(P0, 0, 1);

        assertThat(rig.poll()).hasSize(2);
        assertThat(rig.consumer.paused()).isEmpty();
    }
}
