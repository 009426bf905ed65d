package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Kind.ASYNC;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Commits that fail, come late, or are never answered: what was to be committed stays pending, and nothing goes back. */
class CommitFailureTest {
    private final Rig rig = Rig.committingAtOnce().subscribed(P0);

    private void deliver(int records) {
        rig.kafka.records(P0, 0, records - 1);
        rig.poll();
    }

    @Test
    void failedCommit_isSentAgainAfterABackoff() {
        deliver(5);
        rig.kafka.failNextAsync(new RetriableCommitFailedException("once"));
        rig.complete(P0, 0, 1);
        rig.tick();
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(2L);
        assertThat(rig.status(P0).committedOffset()).isEmpty();

        rig.tick(Duration.ofMillis(99));
        assertThat(rig.sent(P0)).containsExactly(2L);
        rig.tick(Duration.ofMillis(10));
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(2L, 2L);
        assertThat(rig.status(P0).committedOffset()).hasValue(2);
    }

    @Test
    void failedCommit_theNewestOffsetIsSentInItsPlace() {
        deliver(5);
        rig.kafka.failNextAsync(new RetriableCommitFailedException("once"));
        rig.complete(P0, 0);
        rig.tick();
        rig.complete(P0, 1, 2);
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(1L, 3L);
    }

    @Test
    void commitsThatGoOnFailing_areSpacedOutUpToTenSeconds() {
        deliver(1);
        for (int i = 0; i < 1_000; i++) {
            rig.kafka.failNextAsync(new RebalanceInProgressException());
        }
        rig.complete(P0, 0);
        rig.tick(Duration.ofMinutes(1));
        int inTheFirstMinute = rig.kafka.commits.size();
        rig.tick(Duration.ofMinutes(10));

        assertThat(inTheFirstMinute).isBetween(8, 13);
        assertThat(rig.kafka.commits.size() - inTheFirstMinute).isBetween(58, 61);
    }

    @Test
    void commitThatSucceedsAgain_resetsTheBackoff() {
        deliver(3);
        for (int i = 0; i < 5; i++) {
            rig.kafka.failNextAsync(new RetriableCommitFailedException("again"));
        }
        rig.complete(P0, 0);
        rig.tick(Duration.ofSeconds(30));
        rig.kafka.commits.clear();
        rig.kafka.failNextAsync(new RetriableCommitFailedException("again"));
        rig.complete(P0, 1);
        rig.tick(Duration.ofMillis(300));

        assertThat(rig.sent(P0)).containsExactly(2L, 2L);
    }

    @Test
    void commitThatThrowsAtOnce_isSentAgainLater() {
        deliver(2);
        rig.kafka.throwFromNextAsync(() -> new IllegalStateException("thrown"));
        rig.complete(P0, 0);
        rig.tick(Duration.ofMillis(90));
        assertThat(rig.sent(P0)).containsExactly(1L);
        rig.tick(Duration.ofMillis(90));

        assertThat(rig.sent(P0)).containsExactly(1L, 1L);
        assertThat(rig.status(P0).committedOffset()).hasValue(1);
    }

    @Test
    void unansweredCommit_noSecondOneIsSent() {
        deliver(5);
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.tick();
        rig.complete(P0, 1, 2);
        rig.tick(Duration.ofSeconds(59));
        assertThat(rig.sent(ASYNC, P0)).containsExactly(1L);

        rig.kafka.releaseAnswers();
        rig.tick(Duration.ofMillis(50));
        assertThat(rig.sent(ASYNC, P0)).containsExactly(1L, 3L);
    }

    @Test
    void commitHeldBackByTheClient_confirmedAfterThePartitionCameBack_isOvertakenAgain() {
        deliver(2);
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.tick();
        rig.complete(P0, 1);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly(P0));
        rig.poll();
        assertThat(rig.sent(P0)).containsExactly(1L, 2L);

        rig.kafka.storedOffset(P0, 1);
        rig.kafka.releaseAnswers();
        rig.tick();
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(2);
    }

    @Test
    void finishedBetweenSnapshotAndAnswer_isCommittedNext() {
        deliver(5);
        rig.kafka.holdAnswers();
        rig.complete(P0, 0, 1);
        rig.tick();
        rig.complete(P0, 2, 3);
        rig.kafka.releaseAnswers();
        rig.tick();
        assertThat(rig.status(P0).committedOffset()).hasValue(2);
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(2L, 4L);
        assertThat(rig.status(P0).committedOffset()).hasValue(4);
    }

    @Test
    void answerThatNeverComes_isGivenUpAfterTheApiTimeout() {
        deliver(5);
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.tick();
        rig.complete(P0, 1);
        rig.kafka.dropAnswers();
        rig.tick(Duration.ofSeconds(59));
        assertThat(rig.sent(P0)).containsExactly(1L);
        rig.tick(Duration.ofSeconds(2));

        assertThat(rig.sent(P0)).containsExactly(1L, 2L);
        assertThat(rig.status(P0).committedOffset()).hasValue(2);
    }

    @Test
    void apiTimeoutOfTheConfiguration_boundsTheWaitForAnAnswer() {
        Rig shorter = Rig.withConfig(Map.of(
                        "group.id",
                        "group",
                        "enable.auto.commit",
                        false,
                        "auto.offset.reset",
                        "earliest",
                        "default.api.timeout.ms",
                        "5000"))
                .subscribed(P0);
        shorter.kafka.records(P0, 0, 1);
        shorter.poll();
        shorter.kafka.holdAnswers();
        shorter.complete(P0, 0);
        shorter.tick(Duration.ofSeconds(6));

        assertThat(shorter.sent(P0)).containsExactly(1L, 1L);
    }

    @Test
    void answerThatComesAfterItWasGivenUp_theNewestOffsetIsConfirmedOnce() {
        deliver(5);
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.tick(Duration.ofSeconds(61));
        rig.complete(P0, 1);
        rig.kafka.releaseAnswers();
        rig.tick(Duration.ofSeconds(5));

        assertThat(rig.sent(P0)).isSorted();
        assertThat(rig.stored(P0)).isEqualTo(2);
        assertThat(rig.status(P0).committedOffset()).hasValue(2);
    }

    @Test
    void failureThatComesAfterItWasGivenUp_nothingIsSentAgain() {
        deliver(5);
        rig.kafka.holdAnswers();
        rig.kafka.failNextAsync(new RetriableCommitFailedException("late"));
        rig.complete(P0, 0);
        rig.tick(Duration.ofSeconds(61));
        rig.complete(P0, 1);
        rig.consumer.commitSync();
        rig.kafka.releaseAnswers();
        rig.tick(Duration.ofMinutes(5));

        assertThat(rig.sent(P0)).startsWith(1L).isSorted().endsWith(2L);
        assertThat(rig.sent(SYNC, P0)).containsExactly(2L);
        assertThat(rig.stored(P0)).isEqualTo(2);
        int sent = rig.sent(P0).size();
        rig.tick(Duration.ofMinutes(5));
        assertThat(rig.sent(P0)).hasSize(sent);
    }

    @Test
    void commitsThatFailedBeforeOneSucceeded_areNotSentOnRevocation() {
        deliver(5);
        rig.kafka.failNextAsync(new RebalanceInProgressException());
        rig.kafka.failNextAsync(new RetriableCommitFailedException("again"));
        rig.complete(P0, 0);
        rig.tick(Duration.ofMillis(200));
        rig.complete(P0, 1);
        rig.tick(Duration.ofSeconds(2));
        List<Long> sent = rig.sent(P0);
        assertThat(sent).isSorted().endsWith(2L);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());
        rig.tick();

        assertThat(rig.sent(P0)).isEqualTo(sent);
    }

    @Test
    void commitRefusedSinceTheMemberHasLeft_itsRecordsComeAgainAndAreTrackedFromThere() {
        deliver(10);
        rig.completeAll(P0, 0, 9);
        rig.kafka.failNextAsync(new CommitFailedException("left"));
        rig.tick();
        assertThat(rig.status(P0).committedOffset()).isEmpty();

        rig.kafka.insideNextPoll(() -> {
            rig.kafka.lose(P0);
            rig.kafka.rebalanceEagerly(P0);
        });
        assertThat(Rig.offsets(rig.poll())).hasSize(10).startsWith(0L);
        assertThat(rig.status(P0).committableOffset()).isZero();
        rig.complete(P0, 0);
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void olderCommitConfirmedAfterANewerOne_newestIsSentOnceMore() {
        // The client held the older request back, and sent it last.
        deliver(5);
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.tick();
        rig.complete(P0, 1);
        rig.consumer.commitSync();
        assertThat(rig.sent(SYNC, P0)).containsExactly(2L);
        rig.kafka.storedOffset(P0, 1);
        rig.kafka.releaseAnswers();
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(1L, 2L, 2L);
        assertThat(rig.stored(P0)).isEqualTo(2);
    }

    @Test
    void commitSync_whileOneIsInFlight_sendsTheNewestAndConfirmsIt() {
        deliver(5);
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.tick();
        rig.complete(P0, 1);
        rig.kafka.releaseAnswers();
        rig.consumer.commitSync();
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(1L, 2L);
        assertThat(rig.status(P0).committedOffset()).hasValue(2);
    }

    @Test
    void commitSyncThatFails_throwsAndStaysPending() {
        deliver(5);
        rig.complete(P0, 0);
        for (RuntimeException failure : List.of(
                new CommitFailedException("left"),
                new RebalanceInProgressException(),
                new TimeoutException("no answer"))) {
            rig.kafka.failNextSync(() -> failure);
            assertThatThrownBy(() -> rig.consumer.commitSync(Duration.ofSeconds(1)))
                    .isSameAs(failure);
            assertThat(rig.status(P0).committedOffset()).isEmpty();
        }
        rig.consumer.commitSync();

        assertThat(rig.sent(SYNC, P0)).containsExactly(1L, 1L, 1L, 1L);
        assertThat(rig.status(P0).committedOffset()).hasValue(1);
    }

    @Test
    void commitSync_refusesANegativeTimeout() {
        assertThatThrownBy(() -> rig.consumer.commitSync(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeout is PT-0.001S: it must be zero or more");
    }

    @Test
    void revokedWhileACommitIsInFlight_itsLateAnswerIsNotTakenForACommitOfNow() {
        deliver(5);
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.tick();
        rig.completeAll(P0, 1, 4);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());
        rig.tick();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0));
        rig.tick();
        rig.kafka.releaseAnswers();
        rig.tick(Duration.ofMinutes(2));

        // Nothing tells in which order the broker had them: what is right now is sent once more
        assertThat(rig.sent(P0)).containsExactly(1L, 5L, 5L);
        assertThat(rig.status(P0).committedOffset()).hasValue(5);
    }

    @Test
    void soughtWhileACommitIsInFlight_theSoughtPositionIsStoredAtTheEnd() {
        for (boolean confirmed : new boolean[] {true, false}) {
            Rig sought = Rig.committingAtOnce().subscribed(P0);
            sought.kafka.records(P0, 0, 9);
            sought.poll();
            sought.kafka.holdAnswers();
            if (!confirmed) {
                sought.kafka.failNextAsync(new RetriableCommitFailedException("once"));
            }
            sought.completeAll(P0, 0, 4);
            sought.tick();
            sought.consumer.seek(P0, 2);
            sought.kafka.releaseAnswers();
            sought.poll();
            sought.poll(Duration.ofSeconds(1));

            assertThat(sought.sent(P0)).containsExactly(5L, 2L);
            assertThat(sought.stored(P0)).isEqualTo(2);
            assertThat(sought.status(P0).committedOffset()).hasValue(2);
        }
    }

    @Test
    void onePartitionOfTwoHasProgressAfterAFailure_bothArePending() {
        Rig two = Rig.committingAtOnce().subscribed(P0, P1);
        two.kafka.records(P0, 0, 1);
        two.kafka.records(P1, 0, 1);
        two.poll();
        two.kafka.failNextAsync(new RetriableCommitFailedException("once"));
        two.complete(P0, 0);
        two.tick();
        two.complete(P1, 0);
        two.tick(Duration.ofSeconds(1));

        assertThat(two.stored(P0)).isEqualTo(1);
        assertThat(two.stored(P1)).isEqualTo(1);
        assertThat(two.kafka.commits).hasSize(2);
    }

    /** A commit of 10 has no answer yet, one of 50 was stored and its outcome is not known. */
    private void storeWithoutKnowing() {
        deliver(50);
        rig.kafka.holdAnswers();
        rig.completeAll(P0, 0, 9);
        rig.tick();
        rig.completeAll(P0, 10, 49);
        rig.kafka.failNextSync(() -> new TimeoutException("no answer"));
        assertThatThrownBy(() -> rig.consumer.commitSync(Duration.ofSeconds(1))).isInstanceOf(TimeoutException.class);
        assertThat(rig.sent(P0)).containsExactly(10L, 50L);
        assertThat(rig.stored(P0)).isEqualTo(50);
    }

    @Test
    void olderCommitConfirmedWhileANewerOnesOutcomeIsUnknown_newestIsSentAgain() {
        storeWithoutKnowing();
        rig.kafka.releaseAnswers();
        rig.tick();
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(10L, 50L, 50L);
        assertThat(rig.status(P0).committedOffset()).hasValue(50);
    }

    @Test
    void olderCommitConfirmedWhileANewerOnesOutcomeIsUnknown_soughtBack_theSoughtPositionIsStored() {
        storeWithoutKnowing();
        rig.kafka.releaseAnswers();
        rig.tick();
        rig.consumer.seek(P0, 10);
        rig.poll();
        rig.consumer.close(Duration.ZERO);

        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void olderCommitConfirmedWhileANewerOnesOutcomeIsUnknown_truncated_whereReadingWentOnIsStored() {
        storeWithoutKnowing();
        rig.kafka.truncate(P0, 10);
        rig.kafka.records(P0, 10, 60);
        rig.kafka.movePosition(P0, 10);
        assertThat(rig.poll()).hasSize(51);
        rig.kafka.releaseAnswers();
        rig.tick();
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(10L, 50L, 10L);
        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void olderCommitConfirmedInThePollThatFindsTheTruncation_whereReadingWentOnIsStored() {
        storeWithoutKnowing();
        rig.kafka.truncate(P0, 10);
        rig.kafka.records(P0, 10, 60);
        rig.kafka.movePosition(P0, 10);
        rig.kafka.releaseAnswers();
        assertThat(rig.poll()).hasSize(51);
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.stored(P0)).isEqualTo(10);
    }
}
