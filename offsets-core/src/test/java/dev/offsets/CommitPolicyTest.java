package dev.offsets;

import static dev.offsets.CommitPolicy.afterProcessing;
import static dev.offsets.CommitPolicy.batched;
import static dev.offsets.CommitPolicy.replayExposure;
import static dev.offsets.CommitPolicy.timeBounded;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** When each policy commits, written as ledgers: what finished at which second, and what was committed when. */
class CommitPolicyTest {
    private static final Optional<Duration> NOW = Optional.of(Duration.ZERO);

    @Test
    void afterProcessing_commitsInTheTurnInWhichTheCommittableOffsetMoved() {
        PolicyLedger ledger = new PolicyLedger(afterProcessing(), "p0");
        ledger.deliver("p0", 0, 3);

        ledger.complete("p0", 1);
        ledger.turn();
        ledger.complete("p0", 0);
        ledger.turn();
        ledger.passSeconds(1);
        ledger.complete("p0", 2, 3);
        ledger.turn();

        assertThat(ledger.commits()).containsExactly("0s p0@2", "1s p0@4");
    }

    @Test
    void afterProcessing_sendsOneCommitATurnAndNoneWithoutProgress() {
        PolicyLedger ledger = new PolicyLedger(afterProcessing(), "p0");
        ledger.deliver("p0", 0, 99);
        ledger.turn();
        ledger.complete("p0", offsets(0, 99));
        ledger.turn();
        ledger.turn();
        ledger.turn();

        assertThat(ledger.commits()).containsExactly("0s p0@100");
    }

    @Test
    void afterProcessing_commitsProgressOverHolesAlone() {
        PolicyLedger ledger = new PolicyLedger(afterProcessing(), "p0");

        ledger.readTo("p0", 303);
        ledger.turn();

        assertThat(ledger.commits()).containsExactly("0s p0@303");
    }

    @Test
    void batched_commitsWhenSoManyRecordsAreCovered() {
        PolicyLedger ledger = new PolicyLedger(batched(10), "p0");
        ledger.deliver("p0", 0, 29);

        for (long offset = 0; offset < 30; offset++) {
            ledger.complete("p0", offset);
            ledger.turn();
            ledger.passSeconds(1);
        }

        assertThat(ledger.commits()).containsExactly("9s p0@10", "19s p0@20", "29s p0@30");
    }

    @Test
    void one_isTheLowestNumberOfRecords() {
        assertThat(batched(1).timeUntilDue(progress(1, 0))).isEqualTo(NOW);
        assertThat(batched(1).timeUntilDue(progress(0, 0))).isEmpty();
        assertThat(replayExposure(1).timeUntilDue(progress(1, 0))).isEmpty();
    }

    @Test
    void replayExposure_countsWhatFinishedBehindAnIncompleteRecordToo() {
        PolicyLedger ledger = new PolicyLedger(replayExposure(4), "p0", "p1");
        ledger.deliver("p0", 0, 9);
        ledger.deliver("p1", 0, 9);

        ledger.complete("p0", 0, 5, 6);
        ledger.turn();
        assertThat(ledger.commits()).isEmpty();

        ledger.complete("p1", 5);
        ledger.turn();
        assertThat(ledger.commits()).containsExactly("0s p0@1");
    }

    @Test
    void batched_countsRecordsAndNotTheHolesBetweenThem() {
        PolicyLedger ledger = new PolicyLedger(batched(3), "p0");
        ledger.deliver("p0", 0, 0);
        ledger.deliver("p0", 100, 101);

        ledger.complete("p0", 0, 100);
        ledger.turn();
        assertThat(ledger.commits()).isEmpty();

        ledger.complete("p0", 101);
        ledger.turn();
        assertThat(ledger.commits()).containsExactly("0s p0@102");
    }

    @Test
    void batched_doesNotCountWhatFinishedAboveAnIncompleteRecord() {
        PolicyLedger ledger = new PolicyLedger(batched(10), "p0");
        ledger.deliver("p0", 0, 31);

        ledger.complete("p0", 0);
        ledger.complete("p0", offsets(2, 31));
        ledger.turn();
        assertThat(ledger.commits()).isEmpty();

        ledger.complete("p0", 1);
        ledger.turn();
        assertThat(ledger.commits()).containsExactly("0s p0@32");
    }

    @Test
    void batched_countsOverAllPartitionsAndCommitsThoseWithProgress() {
        PolicyLedger ledger = new PolicyLedger(batched(10), "p0", "p1");
        ledger.deliver("p0", 0, 30);
        ledger.deliver("p1", 0, 9);

        ledger.complete("p0", offsets(1, 30));
        ledger.complete("p1", offsets(0, 8));
        ledger.turn();
        ledger.turn();
        assertThat(ledger.commits()).isEmpty();

        ledger.complete("p1", 9);
        ledger.turn();
        ledger.turn();
        assertThat(ledger.commits()).containsExactly("0s p1@10");
    }

    @Test
    void batchedWithATailBelowTheCount_isNotDueByTimeAlone() {
        PolicyLedger ledger = new PolicyLedger(batched(100), "p0");
        ledger.deliver("p0", 0, 41);
        ledger.complete("p0", offsets(0, 41));

        ledger.turnEverySecondFor(29);

        assertThat(ledger.commits()).isEmpty();
        assertThat(ledger.timeUntilDue()).isEmpty();
    }

    @Test
    void batchedOrTimeBounded_commitsTheTailAfterTheTime() {
        PolicyLedger ledger = new PolicyLedger(batched(100).or(timeBounded(Duration.ofSeconds(5))), "p0");
        ledger.deliver("p0", 0, 141);
        ledger.complete("p0", offsets(0, 99));
        ledger.turn();
        ledger.passSeconds(1);
        ledger.complete("p0", offsets(100, 141));

        ledger.turnEverySecondFor(60);

        assertThat(ledger.commits()).containsExactly("0s p0@100", "6s p0@142");
    }

    @Test
    void timeBounded_commitsWhileOnlyEmptyPollsFollow() {
        PolicyLedger ledger = new PolicyLedger(timeBounded(Duration.ofSeconds(5)), "p0");
        ledger.deliver("p0", 0, 2);
        ledger.complete("p0", 0, 1, 2);

        ledger.turnEverySecondFor(60);

        assertThat(ledger.commits()).containsExactly("5s p0@3");
    }

    @Test
    void timeBoundedUnderSteadyTraffic_completionsDoNotStartTheTimeAnew() {
        PolicyLedger ledger = new PolicyLedger(timeBounded(Duration.ofSeconds(5)), "p0");
        ledger.deliver("p0", 0, 59);

        for (long second = 0; second < 60; second++) {
            ledger.complete("p0", second);
            ledger.turn();
            ledger.passSeconds(1);
        }

        assertThat(ledger.commits())
                .containsExactly(
                        "5s p0@6",
                        "11s p0@12",
                        "17s p0@18",
                        "23s p0@24",
                        "29s p0@30",
                        "35s p0@36",
                        "41s p0@42",
                        "47s p0@48",
                        "53s p0@54",
                        "59s p0@60");
        assertThat(ledger.longestWait()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void timeBounded_timeRunsFromWhenTheOffsetBecameCommittableAndNotFromTheCompletion() {
        PolicyLedger ledger = new PolicyLedger(timeBounded(Duration.ofSeconds(5)), "p0");
        ledger.deliver("p0", 0, 1);
        ledger.complete("p0", 1);
        ledger.turnEverySecondFor(20);
        ledger.complete("p0", 0);

        ledger.turnEverySecondFor(20);

        assertThat(ledger.commits()).containsExactly("25s p0@2");
    }

    @Test
    void timeBounded_saysHowLongTheLoopMayWait() {
        PolicyLedger ledger = new PolicyLedger(timeBounded(Duration.ofSeconds(5)), "p0");
        ledger.deliver("p0", 0, 0);
        ledger.complete("p0", 0);
        ledger.turn();
        assertThat(ledger.timeUntilDue()).contains(Duration.ofSeconds(5));

        ledger.passSeconds(3);
        assertThat(ledger.timeUntilDue()).contains(Duration.ofSeconds(2));

        ledger.passSeconds(2);
        assertThat(ledger.timeUntilDue()).contains(Duration.ZERO);
    }

    @Test
    void timeBoundedLongOverdue_isZeroOrLess() {
        Optional<Duration> due = timeBounded(Duration.ofSeconds(5)).timeUntilDue(progress(1, 9));

        assertThat(due).contains(Duration.ofSeconds(-4));
    }

    @Test
    void wallClockSteps_commitsGoOnByElapsedTime() {
        PolicyLedger ledger = new PolicyLedger(timeBounded(Duration.ofSeconds(5)), "p0");
        ledger.deliver("p0", 0, 29);
        for (long second = 0; second < 30; second++) {
            if (second == 10) {
                ledger.stepWallClock(Duration.ofHours(-1));
            }
            if (second == 20) {
                ledger.stepWallClock(Duration.ofHours(2));
            }
            ledger.complete("p0", second);
            ledger.turn();
            ledger.passSeconds(1);
        }

        assertThat(ledger.commits()).containsExactly("5s p0@6", "11s p0@12", "17s p0@18", "23s p0@24", "29s p0@30");
    }

    @Test
    void or_isDueWhenTheEarlierOfTheTwoIs() {
        CommitPolicy inTwo = progress -> Optional.of(Duration.ofSeconds(2));
        CommitPolicy inSeven = progress -> Optional.of(Duration.ofSeconds(7));
        CommitPolicy never = progress -> Optional.empty();
        CommitProgress progress = progress(1, 0);

        assertThat(inTwo.or(inSeven).timeUntilDue(progress)).contains(Duration.ofSeconds(2));
        assertThat(inSeven.or(inTwo).timeUntilDue(progress)).contains(Duration.ofSeconds(2));
        assertThat(inSeven.or(never).timeUntilDue(progress)).contains(Duration.ofSeconds(7));
        assertThat(never.or(inSeven).timeUntilDue(progress)).contains(Duration.ofSeconds(7));
        assertThat(never.or(never).timeUntilDue(progress)).isEmpty();
    }

    @Test
    void sameProgressAskedAgain_sameAnswer() {
        CommitPolicy policy = batched(2).or(timeBounded(Duration.ofSeconds(5)));

        for (int i = 0; i < 3; i++) {
            assertThat(policy.timeUntilDue(progress(1, 1))).contains(Duration.ofSeconds(4));
            assertThat(policy.timeUntilDue(progress(2, 1))).isEqualTo(NOW);
        }
    }

    @Test
    void usersOwnPolicy_decidesByWhatProgressSays() {
        CommitPolicy onlyWhenIdle =
                progress -> progress.incomplete() == 0 && progress.completedAhead() == 0 ? NOW : Optional.empty();
        PolicyLedger ledger = new PolicyLedger(onlyWhenIdle, "p0", "p1");
        ledger.deliver("p0", 0, 1);
        ledger.deliver("p1", 0, 0);
        ledger.complete("p0", 0);
        ledger.turn();
        ledger.complete("p0", 1);
        ledger.turn();
        assertThat(ledger.commits()).isEmpty();

        ledger.complete("p1", 0);
        ledger.turn();
        assertThat(ledger.commits()).containsExactly("0s p0@2 p1@1");
    }

    private static CommitProgress progress(long recordsCovered, long secondsCommittable) {
        return new CommitProgress(
                recordsCovered,
                Duration.ofSeconds(secondsCommittable),
                Duration.ofSeconds(secondsCommittable),
                0,
                0,
                0);
    }

    private static long[] offsets(long first, long last) {
        return LongStream.rangeClosed(first, last).toArray();
    }
}
