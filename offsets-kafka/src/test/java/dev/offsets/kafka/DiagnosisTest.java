package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.Diagnosis.CommitTrouble;
import dev.offsets.kafka.Diagnosis.Inside;
import dev.offsets.kafka.Diagnosis.Loss;
import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.CaughtUp;
import dev.offsets.kafka.PartitionStatus.CommitFailing;
import dev.offsets.kafka.PartitionStatus.DataLoss;
import dev.offsets.kafka.PartitionStatus.FallingBehind;
import dev.offsets.kafka.PartitionStatus.InvalidCommit;
import dev.offsets.kafka.PartitionStatus.Kind;
import dev.offsets.kafka.PartitionStatus.LsoBlocked;
import dev.offsets.kafka.PartitionStatus.Ok;
import dev.offsets.kafka.PartitionStatus.Paused;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Starved;
import dev.offsets.kafka.PartitionStatus.Unknown;
import dev.offsets.kafka.PartitionStatus.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Which status follows from what, each at its threshold and just below, and the worst of several. */
class DiagnosisTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Worker WORKER = new Worker("worker-3", List.of());

    private final Diagnosis diagnosis = new Diagnosis(StatusThresholds.DEFAULTS);
    private final Facts facts = new Facts();
    /** Shortly before the nanoseconds overflow. */
    private long now = Long.MAX_VALUE - 5;

    private PartitionTrend trend;
    private CommitTrouble trouble;
    private Loss loss;
    private InvalidCommit beyondEnd;
    private boolean paused;
    private boolean unreadable;
    private Duration sincePoll = Duration.ZERO;

    private PartitionStatus status() {
        PartitionFacts present = facts.fromInside();
        trend = trend == null
                ? PartitionTrend.beginning(present, now)
                : trend.next(present, now, StatusThresholds.DEFAULTS.fallingBehindWindow());
        Inside inside = new Inside(
                trend,
                trouble,
                loss,
                Optional.ofNullable(beyondEnd),
                paused,
                unreadable,
                sincePoll,
                offset -> Optional.of(WORKER));
        return diagnosis.of(present, inside, now);
    }

    private PartitionStatus statusAfter(Duration passed) {
        now += passed.toNanos();
        return status();
    }

    private PartitionStatus fromOutside() {
        return Diagnosis.fromOutside(facts.fromOutside(), null);
    }

    @Test
    void nothingLeft_isCaughtUp() {
        assertThat(status()).isEqualTo(new CaughtUp());
        assertThat(statusAfter(Duration.ofDays(9))).isEqualTo(new CaughtUp());
    }

    @Test
    void somethingLeft_isOk() {
        facts.end(150).inFlight(90, Duration.ofSeconds(1), 10, 0);

        assertThat(status()).isEqualTo(new Ok(OptionalLong.of(60)));
    }

    @Test
    void endNotKnown_isOkAndTheClientsLagCounts() {
        facts.noEnds();
        assertThat(status()).isEqualTo(new Ok(OptionalLong.empty()));

        facts.clientLag = OptionalLong.of(7);
        assertThat(status()).isEqualTo(new Ok(OptionalLong.of(7)));
        facts.clientLag = OptionalLong.of(0);
        assertThat(status()).isEqualTo(new CaughtUp());
    }

    @Test
    void oneOldRecordBelowMuchThatFinished_isBlocked() {
        facts.position = 1_100;
        facts.end(1_100).inFlight(100, MINUTE, 1, 999);

        assertThat(status()).isEqualTo(new Blocked(100, MINUTE, 999, Optional.of(WORKER)));
        PartitionReport report = facts.fromInside().report(status(), 0);
        assertThat(report.commitLag()).hasValue(1_000);
        assertThat(report.workRemaining()).hasValue(1);
    }

    @Test
    void oneRecordNotYetOld_isNotBlocked() {
        facts.position = 1_100;
        facts.end(1_100).inFlight(100, MINUTE.minusMillis(1), 1, 999);

        assertThat(status().kind()).isEqualTo(Kind.OK);
    }

    @Test
    void nothingFinishesForLong_isStalled() {
        facts.end(100).inFlight(90, Duration.ZERO, 10, 0);
        assertThat(status().kind()).isEqualTo(Kind.OK);
        assertThat(statusAfter(MINUTE.minusMillis(1)).kind()).isEqualTo(Kind.OK);

        assertThat(statusAfter(Duration.ofMillis(1))).isEqualTo(new Stalled(10, MINUTE, 90, Optional.of(WORKER)));
    }

    @Test
    void somethingFinishesNowAndThen_isNotStalled() {
        facts.end(100).inFlight(90, Duration.ZERO, 10, 0);
        status();
        now += MINUTE.minusMillis(1).toNanos();
        facts.inFlight(90, Duration.ZERO, 9, 1);
        status();

        assertThat(statusAfter(MINUTE.minusMillis(1)).kind()).isEqualTo(Kind.OK);
        facts.inFlight(92, Duration.ZERO, 8, 0);
        assertThat(statusAfter(MINUTE.minusMillis(1)).kind()).isEqualTo(Kind.OK);
        assertThat(statusAfter(MINUTE).kind()).isEqualTo(Kind.STALLED);
    }

    @Test
    void workThatBeginsAfterAQuietTime_isNotStalledAtOnce() {
        status();
        statusAfter(MINUTE.multipliedBy(5));
        facts.position = 110;
        facts.end(110).inFlight(100, Duration.ZERO, 10, 0);

        assertThat(statusAfter(Duration.ofMillis(1)).kind()).isEqualTo(Kind.OK);
        assertThat(statusAfter(MINUTE).kind()).isEqualTo(Kind.STALLED);
    }

    @Test
    void whatWaitsWhilePaused_isPausedNotStalled() {
        facts.end(100).inFlight(90, Duration.ZERO, 10, 0);
        paused = true;
        status();

        assertThat(statusAfter(MINUTE.multipliedBy(2))).isEqualTo(new Paused());
    }

    @Test
    void somethingToReadAndNobodyReads_isStarved() {
        facts.end(150);
        assertThat(status().kind()).isEqualTo(Kind.OK);
        assertThat(statusAfter(MINUTE.minusMillis(1)).kind()).isEqualTo(Kind.OK);

        assertThat(statusAfter(Duration.ofMillis(1)))
                .isEqualTo(new Starved(100, OptionalLong.of(150), MINUTE, Duration.ZERO));
    }

    @Test
    void recordThatCanNotBeReadWhereTheEndIsUnknown_isStarvedToo() {
        facts.noEnds();
        unreadable = true;
        assertThat(status().kind()).isEqualTo(Kind.OK);

        assertThat(statusAfter(MINUTE)).isEqualTo(new Starved(100, OptionalLong.empty(), MINUTE, Duration.ZERO));
        paused = true;
        assertThat(status().kind()).isEqualTo(Kind.PAUSED);
    }

    @Test
    void somethingIsReadNowAndThen_isNotStarved() {
        facts.end(150);
        status();
        for (int turn = 1; turn < 10; turn++) {
            facts.idleAt(100 + turn);
            assertThat(statusAfter(MINUTE.minusMillis(1)).kind()).isEqualTo(Kind.OK);
        }
    }

    @Test
    void somethingToReadAfterAQuietTime_isNotStarvedAtOnce() {
        status();
        statusAfter(MINUTE.multipliedBy(5));
        facts.end(150);

        assertThat(statusAfter(Duration.ofMillis(1)).kind()).isEqualTo(Kind.OK);
    }

    @Test
    void somethingToReadWhilePaused_isNotStarved() {
        facts.end(150);
        paused = true;
        status();

        assertThat(statusAfter(MINUTE.multipliedBy(2))).isEqualTo(new Paused());
    }

    @Test
    void endNotKnown_aLoopThatDoesNotPollStarves() {
        facts.noEnds();
        status();
        assertThat(statusAfter(MINUTE).kind()).isEqualTo(Kind.OK);

        sincePoll = MINUTE;
        assertThat(status()).isEqualTo(new Starved(100, OptionalLong.empty(), MINUTE, MINUTE));
        assertThat(status().evidence())
                .isEqualTo("nothing is in flight, and the position 100 has not moved for 1 min; the loop last polled"
                        + " 1 min ago");
    }

    @Test
    void workThatGrows_isFallingBehind() {
        for (int i = 0; i <= 30; i++) {
            facts.end(200 + 10 * i);
            facts.position = 100 + i;
            facts.inFlight(100 + i, Duration.ZERO, 1, 0);
            assertThat(status().kind()).as("after %s looks", i).isEqualTo(i < 30 ? Kind.OK : Kind.FALLING_BEHIND);
            now += Duration.ofSeconds(10).toNanos();
        }
        now -= Duration.ofSeconds(10).toNanos();

        assertThat(status()).isEqualTo(new FallingBehind(101, 371, Duration.ofMinutes(5)));
    }

    @Test
    void workThatGoesUpAndDown_isNotFallingBehind() {
        for (int i = 0; i <= 100; i++) {
            facts.end(1_000 + i + 500 * (i % 7));
            facts.position = 100 + i;
            facts.inFlight(100 + i, Duration.ZERO, 1, 0);
            assertThat(status().kind()).as("after %s looks", i).isEqualTo(Kind.OK);
            now += Duration.ofSeconds(10).toNanos();
        }
    }

    @Test
    void workThatShrinks_isNotFallingBehind() {
        for (int i = 0; i <= 100; i++) {
            facts.end(10_000);
            facts.position = 100 + 10 * i;
            facts.inFlight(100 + 10 * i, Duration.ZERO, 1, 0);
            assertThat(status().kind()).as("after %s looks", i).isEqualTo(Kind.OK);
            now += Duration.ofSeconds(10).toNanos();
        }
    }

    @Test
    void openTransactionForLong_isTold() {
        facts.highWatermark = OptionalLong.of(160);
        assertThat(status()).isEqualTo(new CaughtUp());
        assertThat(statusAfter(MINUTE.minusMillis(1))).isEqualTo(new CaughtUp());

        assertThat(statusAfter(Duration.ofMillis(1))).isEqualTo(new LsoBlocked(100, 160));
        assertThat(status().kind().isHealthy()).isTrue();
    }

    @Test
    void openTransactionForAReaderOfUncommitted_doesNotMatter() {
        facts.isolationLevel = IsolationLevel.READ_UNCOMMITTED;
        facts.highWatermark = OptionalLong.of(160);
        facts.idleAt(160);
        status();

        assertThat(statusAfter(MINUTE.multipliedBy(2))).isEqualTo(new CaughtUp());
    }

    @Test
    void shortTransactionsOneAfterAnother_areNotTold() {
        for (int i = 0; i < 10; i++) {
            facts.end(100);
            facts.highWatermark = OptionalLong.of(160);
            assertThat(status()).isEqualTo(new CaughtUp());
            facts.end(100);
            assertThat(statusAfter(MINUTE.minusMillis(1))).isEqualTo(new CaughtUp());
        }
    }

    @Test
    void commitsFailForLong_isToldWithTheLastCause() {
        trouble = CommitTrouble.after(null, new TimeoutException("first"), now);
        trouble = CommitTrouble.after(trouble, new TimeoutException("last"), now);
        assertThat(statusAfter(Duration.ofSeconds(30).minusMillis(1)).kind()).isEqualTo(Kind.CAUGHT_UP);

        assertThat(statusAfter(Duration.ofMillis(1)))
                .isEqualTo(new CommitFailing(
                        Duration.ofSeconds(30), 2, "org.apache.kafka.common.errors.TimeoutException: last"));
    }

    @Test
    void loss_isShownForAWhile() {
        loss = new Loss(4, 60, now);
        assertThat(status()).isEqualTo(new DataLoss(4, 60));
        assertThat(status().evidence())
                .isEqualTo("offsets 4 to 59 were deleted or passed over before they were read: at most 56 records");
        assertThat(statusAfter(Duration.ofMinutes(5).minusMillis(1)).kind()).isEqualTo(Kind.DATA_LOSS);

        assertThat(statusAfter(Duration.ofMillis(1))).isEqualTo(new CaughtUp());
    }

    @Test
    void positionBelowTheLogStart_isALoss() {
        facts.idleAt(20);
        facts.logStart = OptionalLong.of(60);

        assertThat(status()).isEqualTo(new DataLoss(20, 60));
    }

    @Test
    void workBelowTheLogStart_isNoLoss() {
        facts.end(100).inFlight(20, Duration.ZERO, 1, 0);
        facts.logStart = OptionalLong.of(60);

        assertThat(status().kind()).isEqualTo(Kind.OK);
    }

    @Test
    void beyondTheEnd_isInvalid() {
        beyondEnd = new InvalidCommit(1_000, 10);

        assertThat(status()).isEqualTo(beyondEnd);
    }

    @Test
    void ofSeveral_theWorstIsTold() {
        loss = new Loss(4, 60, now);
        beyondEnd = new InvalidCommit(1_000, 10);
        trouble = CommitTrouble.after(null, new TimeoutException("first"), now - MINUTE.toNanos());
        facts.end(150).inFlight(90, MINUTE, 5, 5);
        assertThat(status().kind()).isEqualTo(Kind.DATA_LOSS);
        loss = null;
        assertThat(status().kind()).isEqualTo(Kind.INVALID_COMMIT);
        beyondEnd = null;
        assertThat(status().kind()).isEqualTo(Kind.COMMIT_FAILING);
        trouble = null;
        assertThat(status().kind()).isEqualTo(Kind.BLOCKED);
        facts.inFlight(90, MINUTE, 5, 0);
        status();
        assertThat(statusAfter(MINUTE).kind()).isEqualTo(Kind.STALLED);
    }

    @Test
    void fromOutside_eachRow() {
        facts.committed = OptionalLong.of(100);
        assertThat(fromOutside()).isEqualTo(new CaughtUp());
        facts.committed = OptionalLong.of(92);
        assertThat(fromOutside()).isEqualTo(new Ok(OptionalLong.of(8)));
        facts.committed = OptionalLong.of(1_000);
        assertThat(fromOutside()).isEqualTo(new InvalidCommit(1_000, 100));
        facts.committed = OptionalLong.of(20);
        facts.logStart = OptionalLong.of(60);
        assertThat(fromOutside()).isEqualTo(new DataLoss(20, 60));
        facts.committed = OptionalLong.empty();
        assertThat(fromOutside()).isEqualTo(new Unknown("nothing was ever committed"));
    }

    @Test
    void fromOutside_atAnOpenTransaction_isTold() {
        facts.highWatermark = OptionalLong.of(160);

        assertThat(fromOutside()).isEqualTo(new LsoBlocked(100, 160));
        facts.committed = OptionalLong.of(130);
        assertThat(fromOutside()).as("by another isolation level").isEqualTo(new LsoBlocked(100, 160));
        facts.committed = OptionalLong.of(99);
        assertThat(fromOutside()).isEqualTo(new Ok(OptionalLong.of(1)));
        facts.committed = OptionalLong.of(160);
        facts.isolationLevel = IsolationLevel.READ_UNCOMMITTED;
        assertThat(fromOutside()).isEqualTo(new CaughtUp());
    }

    @Test
    void fromOutside_nobodyReads_isNotKnownToBeRight() {
        facts.owner = Optional.empty();
        assertThat(fromOutside()).isEqualTo(new CaughtUp());

        facts.committed = OptionalLong.of(92);
        assertThat(fromOutside().kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(fromOutside().evidence()).startsWith("8 offsets to go, and no member of the group reads");
    }

    @Test
    void fromOutside_endNotKnown_saysWhy() {
        facts.noEnds();

        assertThat(Diagnosis.fromOutside(facts.fromOutside(), new TimeoutException("no answer"))
                        .evidence())
                .isEqualTo(
                        "the end of the log is not known: org.apache.kafka.common.errors.TimeoutException: no answer");
        assertThat(fromOutside().evidence()).isEqualTo("the end of the log is not known");
    }

    @Test
    void healthy_areThoseThatNobodyHasToLookAfter() {
        assertThat(List.of(Kind.values()).stream().filter(Kind::isHealthy))
                .containsExactly(Kind.LSO_BLOCKED, Kind.PAUSED, Kind.UNKNOWN, Kind.OK, Kind.CAUGHT_UP);
    }
}
