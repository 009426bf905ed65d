package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A record that is incomplete for too long stops the consumer, where the user has asked for it. */
class StuckRecordTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final Rig rig = Rig.with(builder -> builder.commitPolicy(CommitPolicy.timeBounded(Duration.ofDays(1)))
                    .stopWhenStuckFor(LIMIT))
            .subscribed(P0, P1);

    /** P0@2 is stuck, and the records around it have finished. */
    private void stick() {
        rig.kafka.records(P0, 0, 4);
        rig.kafka.records(P1, 0, 4);
        rig.poll();
        rig.complete(P0, 0, 1, 3, 4);
        rig.completeAll(P1, 0, 4);
        rig.poll();
        rig.time.advance(LIMIT);
    }

    private RecordStuckException stuck() {
        RecordStuckException stuck =
                catchThrowableOfType(RecordStuckException.class, () -> rig.consumer.poll(Duration.ZERO));
        assertThat(stuck).isNotNull();
        return stuck;
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S"})
    void limitThatIsNone_isRefused(Duration limit) {
        assertThatThrownBy(() -> Rig.with(builder -> builder.stopWhenStuckFor(limit)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("stopWhenStuckFor is " + limit + ": it must be more than zero; leave it out to never stop");
    }

    @Test
    void limitMissing_isRefused() {
        assertThatThrownBy(() -> Rig.with(builder -> builder.stopWhenStuckFor(null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("stopWhenStuckFor is null: it must be more than zero; leave it out to never stop");
    }

    @Test
    void withoutALimit_goesOnForEver() {
        Rig unlimited = Rig.committingAtOnce().subscribed(P0);
        unlimited.kafka.records(P0, 0, 0);
        unlimited.poll();
        unlimited.time.advance(Duration.ofDays(100));
        unlimited.kafka.records(P0, 1, 1);

        assertThat(unlimited.poll()).hasSize(1);
    }

    @Test
    void stuck_throwsWithWhereAndHowLong() {
        stick();
        RecordStuckException stuck = stuck();

        assertThat(stuck)
                .hasMessage(
                        "record topic-0@2 has held its partition back for PT5M, longer than PT5M: the consumer has stopped,"
                                + " nothing at or above this offset is committed");
        assertThat(stuck.topicPartition()).isEqualTo(P0);
        assertThat(stuck.offset()).isEqualTo(2);
    }

    @Test
    void stuck_whatFinishedIsCommittedBeforeAndNothingIsFetched() {
        stick();
        int polls = rig.kafka.polls.size();
        stuck();

        assertThat(rig.sent(SYNC, P0)).containsExactly(2L);
        assertThat(rig.sent(SYNC, P1)).containsExactly(5L);
        assertThat(rig.kafka.polls).hasSize(polls);
    }

    @Test
    void shorterThanTheLimit_goesOn() {
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        rig.tick(LIMIT.minusSeconds(1));

        assertThat(rig.kafka.commits).isEmpty();
    }

    @Test
    void reachedWhileAPollWaits_thatPollThrows() {
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        Duration before = rig.time.elapsed();

        assertThatThrownBy(() -> rig.consumer.poll(Duration.ofHours(1))).isInstanceOf(RecordStuckException.class);
        assertThat(rig.time.elapsed().minus(before)).isBetween(LIMIT, LIMIT.plusMillis(20));
    }

    @Test
    void stuck_eachFurtherPollThrowsAndCommitsWhatFinishedMeanwhile() {
        stick();
        stuck();
        rig.kafka.commits.clear();
        assertThat(stuck().offset()).isEqualTo(2);
        assertThat(rig.kafka.commits).isEmpty();

        rig.time.advance(Duration.ofMinutes(1));
        assertThat(stuck().getMessage()).contains("held its partition back for PT6M, longer than PT5M");
        assertThat(rig.kafka.commits).isEmpty();
    }

    @Test
    void stuckAndTheCommitFails_itsFailureIsSuppressed() {
        stick();
        CommitFailedException failure = new CommitFailedException("left");
        rig.kafka.failNextSync(() -> failure);
        assertThat(stuck().getSuppressed()).containsExactly(failure);

        assertThat(stuck().getSuppressed()).isEmpty();
        assertThat(rig.stored(P0)).isEqualTo(2);
    }

    @Test
    void finishedAfterAll_goesOn() {
        stick();
        stuck();
        rig.complete(P0, 2);
        rig.kafka.records(P0, 5, 5);

        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@5");
        rig.consumer.commitSync();
        assertThat(rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void soughtPast_goesOn() {
        stick();
        stuck();
        rig.consumer.seek(P0, 3);

        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@3", "topic-0@4");
    }

    @Test
    void soughtToItself_goesOnAndItsTimeBeginsAnew() {
        stick();
        stuck();
        rig.consumer.seek(P0, 2);
        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@2", "topic-0@3", "topic-0@4");
        rig.tick(LIMIT.minusSeconds(1));

        assertThatThrownBy(() -> rig.consumer.poll(Duration.ofSeconds(2))).isInstanceOf(RecordStuckException.class);
    }

    @Test
    void revoked_goesOn() {
        Rig byHand = Rig.with(builder -> builder.stopWhenStuckFor(LIMIT).drainTimeout(Duration.ZERO));
        byHand.consumer.assign(List.of(P0, P1));
        byHand.kafka.records(P0, 0, 0);
        byHand.poll();
        byHand.time.advance(LIMIT);
        assertThatThrownBy(() -> byHand.consumer.poll(Duration.ZERO)).isInstanceOf(RecordStuckException.class);
        byHand.consumer.assign(List.of(P1));
        byHand.kafka.records(P1, 0, 0);

        assertThat(byHand.poll()).hasSize(1);
    }

    @Test
    void nothingIncomplete_isNeverStuck() {
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.completeAll(P0, 0, 4);
        rig.tick(LIMIT.multipliedBy(3));

        assertThat(rig.consumer.status().get(P0).incomplete()).isZero();
    }

    @Test
    void laterRecordIncompleteForLess_isNotStuckWhenTheFirstFinishes() {
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        rig.tick(LIMIT.minusMinutes(1));
        rig.kafka.records(P0, 1, 1);
        rig.poll();
        rig.complete(P0, 0);
        rig.tick(LIMIT.minusMinutes(1));

        assertThatThrownBy(() -> rig.consumer.poll(Duration.ofMinutes(2)))
                .isInstanceOf(RecordStuckException.class)
                .hasMessageContaining("topic-0@1");
    }

    @Test
    void recordsThatWaitTheirTurnForLonger_areNotStuckWhileEachIsDoneInTime() {
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        for (int offset = 0; offset < 4; offset++) {
            rig.tick(LIMIT.minusSeconds(1));
            rig.complete(P0, offset);
            rig.poll();
        }
        rig.tick(LIMIT.minusSeconds(1));

        rig.time.advance(Duration.ofSeconds(1));
        assertThat(stuck().offset()).isEqualTo(4);
    }

    @Test
    void failedAndStuck_theFailureIsThrown() {
        stick();
        rig.record(P0, 2).fail(new IllegalStateException("bad"));

        assertThatThrownBy(() -> rig.consumer.poll(Duration.ZERO)).isInstanceOf(RecordFailedException.class);
    }

    @Test
    void stuck_closesWithWhatFinished() {
        stick();
        stuck();
        CloseResult closed = rig.consumer.close(Duration.ZERO);

        assertThat(closed.abandoned()).isEqualTo(1);
        assertThat(closed.failures()).isEmpty();
        assertThat(rig.stored(P0)).isEqualTo(2);
    }

    @Test
    void notHandedOutWhileTheUserHasPausedThePartition_isNotStuck() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.complete(P0, 0, 1);
        rig.consumer.pause(List.of(P0));
        rig.tick(LIMIT.multipliedBy(2));
        rig.consumer.resume(List.of(P0));

        assertThat(Rig.offsets(rig.poll())).containsExactly(2L, 3L, 4L);
    }

    @Test
    void handedOutLongAfterItWasDelivered_itsTimeBeginsThen() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.complete(P0, 0, 1);
        rig.consumer.pause(List.of(P0));
        rig.tick(LIMIT.multipliedBy(2));
        rig.consumer.resume(List.of(P0));
        rig.poll();
        rig.tick(LIMIT.minusSeconds(1));

        assertThat(rig.status(P0).incomplete()).isEqualTo(3);
    }

    @Test
    void handedOutByAPollThatTookLong_itsTimeBeginsThen() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.complete(P0, 0, 1);
        rig.kafka.insideNextPoll(() -> rig.time.advance(LIMIT));
        rig.poll();
        rig.tick(LIMIT.minusSeconds(1));

        assertThat(rig.status(P0).incomplete()).isEqualTo(3);
        rig.time.advance(Duration.ofSeconds(1));
        assertThat(stuck().offset()).isEqualTo(2);
    }

    @Test
    void handedOutLongAfterItWasDelivered_otherRecordsAreNotYet_itsTimeBeginsThen() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.complete(P0, 0, 1);
        rig.consumer.pause(List.of(P0));
        rig.tick(LIMIT.multipliedBy(2));
        rig.consumer.resume(List.of(P0));
        rig.pollAndLeaveAfter(1);
        rig.time.advance(LIMIT.minusSeconds(1));
        rig.pollAndLeaveAfter(0);

        assertThat(rig.status(P0).incomplete()).isEqualTo(3);
        rig.time.advance(Duration.ofSeconds(1));
        assertThat(stuck().offset()).isEqualTo(2);
    }

    @Test
    void handedOutAndStuckBelowRecordsNotHandedOut_throws() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.complete(P0, 0);
        rig.consumer.pause(List.of(P0));
        rig.poll();
        rig.time.advance(LIMIT);

        assertThat(stuck().offset()).isEqualTo(1);
    }
}
