package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.CommitProgress;
import dev.offsets.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** When commits are sent, and that what is sent is the next offset to read and nothing else. */
class CommitTimingTest {
    @Test
    void finishedOneByOne_eachCommitIsTheNextOffsetAndIsSentOnce() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.storedOffset(P0, 34);
        rig.kafka.records(P0, 34, 34);
        rig.poll();
        rig.complete(P0, 34);
        rig.tick();
        rig.tick();
        rig.kafka.records(P0, 35, 35);
        rig.poll();
        rig.complete(P0, 35);
        rig.tick();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(35L, 36L);
    }

    @Test
    void restart_beginsWithTheFirstUnfinishedRecord() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.records(P0, 0, 2);
        rig.poll();
        rig.complete(P0, 0, 1);
        rig.tick();

        Rig restarted = Rig.committingAtOnce().subscribed(P0);
        restarted.kafka.stored.putAll(rig.kafka.stored);
        restarted.kafka.records(P0, 0, 2);

        assertThat(rig.stored(P0)).isEqualTo(2);
        assertThat(Rig.offsets(restarted.poll())).containsExactly(2L);
    }

    @Test
    void onlyTheFirstOfManyPolledRecordsFinished_thePositionIsNotCommitted() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.records(P0, 0, 99);
        rig.poll();
        rig.completeAll(P0, 0, 9);
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(10L);
        assertThat(rig.status(P0).position()).isEqualTo(100);
    }

    @Test
    void noProgressSinceTheLastCommit_nothingIsSent() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 9);
        rig.tick();
        for (int i = 0; i < 20; i++) {
            rig.tick(Duration.ofSeconds(10));
        }

        assertThat(rig.sent(P0)).containsExactly(10L);
    }

    @Test
    void emptyPollsAfterACommit_sendNothing() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.storedOffset(P0, 50);
        rig.kafka.records(P0, 50, 59);
        rig.poll();
        rig.completeAll(P0, 50, 59);
        rig.tick();
        rig.tick(Duration.ofSeconds(1));
        rig.tick(Duration.ofSeconds(1));
        rig.tick(Duration.ofSeconds(1));
        rig.consumer.close();

        assertThat(rig.sent(P0)).containsExactly(60L);
    }

    @Test
    void lowerRecordReportedAgainAfterACommit_nothingLowerIsSent() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 9);
        rig.tick();

        assertThat(rig.record(P0, 4).complete()).isEqualTo(Receipt.IGNORED);
        rig.consumer.commitSync();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(10L);
    }

    @Test
    void logThatBeginsLate_isCommittedFromItsBeginning() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.beginning(P0, 833);
        rig.kafka.records(P0, 833, 835);
        rig.poll();
        rig.tick();
        assertThat(rig.sent(P0)).isEmpty();

        rig.kafka.holdAnswers();
        rig.complete(P0, 833, 834, 835);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(836L);
        assertThat(rig.status(P0).committedOffset()).isEmpty();

        rig.kafka.releaseAnswers();
        rig.tick();
        assertThat(rig.status(P0).committedOffset()).hasValue(836);
    }

    @Test
    void everyTopicHasItsOwnOffsets_alsoWithTheSamePartitionNumber() {
        var a = new TopicPartition("a", 0);
        var b = new TopicPartition("b", 0);
        var c = new TopicPartition("c", 0);
        Rig rig = Rig.committingAtOnce().subscribed(a, b);
        rig.kafka.storedOffset(a, 100);
        rig.kafka.storedOffset(b, 7);
        rig.kafka.records(a, 100, 100);
        rig.kafka.records(b, 7, 7);
        rig.kafka.records(c, 0, 0);
        rig.poll();
        rig.complete(b, 7);
        rig.tick();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(b, c));
        assertThat(Rig.names(rig.poll())).containsExactly("c-0@0");
        rig.tick();

        assertThat(rig.sent(a)).isEmpty();
        assertThat(rig.sent(b)).containsExactly(8L);
        assertThat(rig.sent(c)).isEmpty();
        assertThat(rig.stored(a)).isEqualTo(100);
        assertThat(rig.status(c).committableOffset()).isZero();
    }

    @Test
    void twoConsumersInOneProcess_commitOnlyTheirOwn() {
        var x = new TopicPartition("x", 0);
        var y = new TopicPartition("y", 0);
        Rig first = Rig.committingAtOnce().subscribed(x);
        Rig second = Rig.committingAtOnce().subscribed(y);
        first.kafka.records(x, 0, 4);
        second.kafka.records(y, 0, 1);
        first.poll();
        second.poll();
        first.completeAll(x, 0, 4);
        second.complete(y, 0, 1);
        first.tick();
        second.tick();

        assertThat(first.sent(x)).containsExactly(5L);
        assertThat(first.sent(y)).isEmpty();
        assertThat(second.sent(y)).containsExactly(2L);
        assertThat(second.sent(x)).isEmpty();
    }

    @Test
    void topicFoundByAPatternWhileRunning_isTrackedAndCommitted() {
        var old = new TopicPartition("t1", 0);
        var found = new TopicPartition("t2", 0);
        Rig rig = Rig.committingAtOnce();
        rig.consumer.subscribe(Pattern.compile("t.*"));
        rig.kafka.records(old, 0, 1);
        rig.kafka.records(found, 0, 4);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(old));
        rig.poll();
        rig.complete(old, 0);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(old, found));
        rig.poll();
        rig.completeAll(found, 0, 4);
        rig.tick();

        assertThat(rig.sent(old)).containsExactly(1L);
        assertThat(rig.sent(found)).containsExactly(5L);
        assertThat(rig.record(old, 1).complete()).isEqualTo(Receipt.ACCEPTED);
    }

    @Test
    void timeBounded_lastRecordsAreCommittedByEmptyPolls() {
        Rig rig =
                Rig.committing(CommitPolicy.timeBounded(Duration.ofSeconds(5))).subscribed(P0);
        rig.kafka.records(P0, 0, 2);
        rig.poll();
        rig.complete(P0, 0, 1, 2);
        rig.tick();
        for (int i = 0; i < 4; i++) {
            rig.tick(Duration.ofSeconds(1));
            assertThat(rig.sent(P0)).isEmpty();
        }
        rig.tick(Duration.ofMillis(999));
        assertThat(rig.sent(P0)).isEmpty();
        rig.tick(Duration.ofMillis(1));
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(3L);
    }

    @Test
    void timeBounded_insideOneLongPoll_isSentInTime() {
        Rig rig =
                Rig.committing(CommitPolicy.timeBounded(Duration.ofSeconds(5))).subscribed(P0);
        rig.kafka.records(P0, 0, 2);
        rig.poll();
        rig.time.after(Duration.ofSeconds(1), () -> rig.complete(P0, 0, 1, 2));
        List<Duration> sentAt = new ArrayList<>();
        rig.kafka.tampering = offsets -> {
            sentAt.add(rig.time.elapsed());
            return offsets;
        };
        rig.tick(Duration.ofMinutes(1));

        assertThat(rig.sent(P0)).containsExactly(3L);
        assertThat(sentAt.get(0)).isBetween(Duration.ofSeconds(6), Duration.ofMillis(6_010));
        assertThat(rig.time.elapsed()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void timeBounded_steadySlowCompletions_dontStartTheTimeAnew() {
        Rig rig =
                Rig.committing(CommitPolicy.timeBounded(Duration.ofSeconds(5))).subscribed(P0);
        rig.kafka.records(P0, 0, 59);
        rig.poll();
        for (long second = 0; second < 60; second++) {
            rig.complete(P0, second);
            rig.tick(Duration.ofSeconds(1));
            long uncommitted = second
                    + 1
                    - (rig.sent(P0).isEmpty()
                            ? 0
                            : rig.sent(P0).get(rig.sent(P0).size() - 1));
            assertThat(uncommitted).isLessThanOrEqualTo(6);
        }

        assertThat(rig.sent(P0)).hasSizeGreaterThanOrEqualTo(10);
    }

    @Test
    void batched_countsOverAllPartitionsAndOnlyWhatACommitWouldCover() {
        Rig rig = Rig.committing(CommitPolicy.batched(10)).subscribed(P0, P1);
        rig.kafka.records(P0, 0, 30);
        rig.kafka.records(P1, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 30);
        rig.completeAll(P1, 0, 8);
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.kafka.commits).isEmpty();

        rig.complete(P1, 9);
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.kafka.commits).hasSize(1);
        assertThat(rig.sent(P1)).containsExactly(10L);
        assertThat(rig.sent(P0)).isEmpty();
    }

    @Test
    void batched_tailOfABatch_isSentWhenThirtySecondsOld() {
        Rig rig = Rig.committing(CommitPolicy.batched(100)).subscribed(P0);
        rig.kafka.records(P0, 0, 41);
        rig.poll();
        rig.completeAll(P0, 0, 41);
        rig.tick();
        rig.tick(Duration.ofMillis(29_999));
        assertThat(rig.sent(P0)).isEmpty();
        rig.tick(Duration.ofMillis(1));
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(42L);
    }

    @Test
    void batched_tailOfABatch_isSentOnClose() {
        Rig rig = Rig.committing(CommitPolicy.batched(100)).subscribed(P0);
        rig.kafka.records(P0, 0, 41);
        rig.poll();
        rig.completeAll(P0, 0, 41);
        rig.consumer.close();

        assertThat(rig.sent(SimulatedConsumer.Kind.SYNC, P0)).containsExactly(42L);
    }

    @Test
    void batched_tailOfABatch_isSentOnRevocation() {
        Rig rig = Rig.committing(CommitPolicy.batched(100)).subscribed(P0);
        rig.kafka.records(P0, 0, 41);
        rig.poll();
        rig.completeAll(P0, 0, 41);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());
        rig.tick();

        assertThat(rig.sent(SimulatedConsumer.Kind.SYNC, P0)).containsExactly(42L);
    }

    @Test
    void batchedOrTimeBounded_whicheverIsFirst() {
        Rig rig = Rig.committing(CommitPolicy.batched(3).or(CommitPolicy.timeBounded(Duration.ofSeconds(5))))
                .subscribed(P0);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.complete(P0, 0, 1, 2);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(3L);

        rig.complete(P0, 3);
        rig.tick();
        rig.tick(Duration.ofSeconds(5));
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(3L, 4L);
    }

    @Test
    void oneRequestATurn_carriesEveryPartitionWithProgress() {
        Rig rig = Rig.committingAtOnce().subscribed(P0, P1);
        rig.kafka.records(P0, 0, 9);
        rig.kafka.records(P1, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 9);
        rig.completeAll(P1, 0, 4);
        rig.tick();

        assertThat(rig.kafka.commits).hasSize(1);
        assertThat(rig.sent(P0)).containsExactly(10L);
        assertThat(rig.sent(P1)).containsExactly(5L);
    }

    @Test
    void callbackThatRunsInsideTheCommit_loopGoesOn() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.answerAtOnce();
        rig.kafka.records(P0, 0, 2);
        rig.poll();
        rig.complete(P0, 0);
        rig.tick(Duration.ofMillis(100));
        rig.complete(P0, 1);
        rig.tick(Duration.ofMillis(100));

        assertThat(rig.sent(P0)).containsExactly(1L, 2L);
        assertThat(rig.status(P0).committedOffset()).hasValue(2);
    }

    @Test
    void nothingInFlight_pollWaitsInOnePiece() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.tick();
        rig.kafka.polls.clear();
        rig.tick(Duration.ofSeconds(7));

        assertThat(rig.kafka.polls).containsExactly(Duration.ofSeconds(7));
    }

    @Test
    void longestTimeout_isNoOverflow() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.records(P0, 0, 0);

        assertThat(rig.poll(Duration.ofSeconds(Long.MAX_VALUE))).hasSize(1);
    }

    @Test
    void policy_isAskedWithWhatThereIsToCommit() {
        List<CommitProgress> asked = new ArrayList<>();
        Rig rig = Rig.committing(progress -> {
                    asked.add(progress);
                    return Optional.of(Duration.ofDays(1));
                })
                .subscribed(P0, P1);
        rig.kafka.records(P0, 0, 4);
        rig.kafka.records(P1, 0, 4);
        rig.poll();
        rig.tick();
        assertThat(asked).isEmpty();

        rig.complete(P0, 0, 1, 3);
        rig.complete(P1, 4);
        rig.tick();
        rig.time.advance(Duration.ofSeconds(2));
        rig.tick();

        assertThat(asked)
                .containsExactly(
                        new CommitProgress(2, Duration.ZERO, Duration.ZERO, 6, 2, 4),
                        new CommitProgress(2, Duration.ofSeconds(2), Duration.ofSeconds(2), 6, 2, 4));
    }

    @Test
    void policyThatReturnsNull_isNamedByThePoll() {
        CommitPolicy wrong = new CommitPolicy() {
            @Override
            public Optional<Duration> timeUntilDue(CommitProgress progress) {
                return null;
            }

            @Override
            public String toString() {
                return "mine";
            }
        };
        Rig rig = Rig.committing(wrong).subscribed(P0);
        rig.kafka.records(P0, 0, 1);
        rig.poll();
        rig.complete(P0, 0);

        assertThatThrownBy(() -> rig.poll())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the commit policy mine returned null: it must return the time until a commit is due, or an"
                        + " empty Optional");
    }

    @Test
    void policyThatThrows_pollThrowsItBeforeFetching_andCloseStillCommits() {
        Rig rig = Rig.committing(progress -> {
                    throw new IllegalStateException("policy");
                })
                .subscribed(P0);
        rig.kafka.records(P0, 0, 1);
        rig.poll();
        rig.complete(P0, 0);
        int polls = rig.kafka.polls.size();

        assertThatThrownBy(() -> rig.poll()).hasMessage("policy");
        assertThat(rig.kafka.polls).hasSize(polls);
        rig.complete(P0, 1);
        rig.consumer.close();
        assertThat(rig.sent(P0)).containsExactly(2L);
    }

    @Test
    void policyWithANegativeDuration_isDueNow() {
        for (Duration negative : List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            Rig rig = Rig.committing(progress -> Optional.of(negative)).subscribed(P0);
            rig.kafka.records(P0, 0, 1);
            rig.poll();
            rig.complete(P0, 0);
            rig.tick(Duration.ofMillis(100));

            assertThat(rig.sent(P0)).containsExactly(1L);
        }
    }

    @Test
    void policyWithADurationBeyondNanoseconds_isNotDue() {
        Rig rig = Rig.committing(progress -> Optional.of(Duration.ofSeconds(Long.MAX_VALUE)))
                .subscribed(P0);
        rig.kafka.records(P0, 0, 1);
        rig.poll();
        rig.complete(P0, 0, 1);
        rig.tick(Duration.ofHours(1));

        assertThat(rig.sent(P0)).isEmpty();
    }

    @Test
    void commitSync_commitsWhatFinishedWhateverThePolicySays() {
        Rig rig = Rig.committingOnlyAtTheEnd().subscribed(P0);
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.complete(P0, 0, 1, 3);
        rig.consumer.commitSync();
        rig.consumer.commitSync();

        assertThat(rig.sent(SimulatedConsumer.Kind.SYNC, P0)).containsExactly(2L);
        assertThat(rig.status(P0).committedOffset()).hasValue(2);
    }
}
