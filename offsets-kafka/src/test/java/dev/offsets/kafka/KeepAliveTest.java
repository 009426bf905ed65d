package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is stored for a partition without progress is stored again from time to time. */
class KeepAliveTest {
    private static final Duration INTERVAL = Duration.ofMinutes(10);

    private final Rig rig = keptAlive(CommitPolicy.afterProcessing()).subscribed(P0, P1);

    private static Rig keptAlive(CommitPolicy policy) {
        return Rig.with(builder -> builder.commitPolicy(policy).commitKeepAlive(INTERVAL));
    }

    /** Both partitions are at 5, which is stored. */
    private void deliverAndCommit() {
        rig.kafka.records(P0, 0, 4);
        rig.kafka.records(P1, 0, 4);
        rig.poll();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P1, 0, 4);
        rig.tick();
        rig.tick();
        rig.kafka.commits.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S"})
    void intervalThatIsNone_isRefused(Duration interval) {
        assertThatThrownBy(() -> Rig.with(builder -> builder.commitKeepAlive(interval)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("commitKeepAlive is " + interval + ": it must be more than zero");
    }

    @Test
    void intervalMissing_isRefused() {
        assertThatThrownBy(() -> Rig.with(builder -> builder.commitKeepAlive(null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("commitKeepAlive is null: it must be more than zero");
    }

    @Test
    void idlePartitions_areCommittedAgainEachInterval() {
        deliverAndCommit();
        rig.tick(INTERVAL.minusSeconds(1));
        assertThat(rig.kafka.commits).isEmpty();

        rig.tick(Duration.ofSeconds(2));
        assertThat(rig.sent(P0)).containsExactly(5L);
        assertThat(rig.sent(P1)).containsExactly(5L);
        assertThat(rig.kafka.commits).hasSize(1);

        rig.tick(INTERVAL.multipliedBy(5));
        assertThat(rig.sent(P0)).hasSize(6).containsOnly(5L);
        assertThat(rig.sent(P1)).hasSize(6).containsOnly(5L);
    }

    @Test
    void withoutAnInterval_itIsOneHour() {
        Rig unset = Rig.committingAtOnce().subscribed(P0);
        unset.kafka.storedOffset(P0, 7);
        unset.tick(Duration.ofMinutes(59));
        assertThat(unset.kafka.commits).isEmpty();
        unset.tick(Duration.ofMinutes(2));

        assertThat(unset.sent(P0)).containsExactly(7L);
    }

    @Test
    void nothingDeliveredYet_whatIsStoredIsCommittedAgain() {
        rig.kafka.storedOffset(P0, 7);
        rig.tick();
        rig.tick(INTERVAL.plusSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(7L);
        assertThat(rig.stored(P0)).isEqualTo(7);
    }

    @Test
    void policyThatIsNeverDue_doesNotHoldItBack() {
        Rig patient = keptAlive(CommitPolicy.timeBounded(Duration.ofDays(30))).subscribed(P0);
        patient.kafka.storedOffset(P0, 7);
        patient.tick();
        patient.tick(INTERVAL.plusSeconds(1));

        assertThat(patient.sent(P0)).containsExactly(7L);
    }

    @Test
    void onePartitionMovesOn_onlyTheOtherIsKeptAlive() {
        deliverAndCommit();
        rig.tick(INTERVAL.dividedBy(2));
        rig.kafka.records(P0, 5, 5);
        rig.poll();
        rig.complete(P0, 5);
        rig.tick();
        rig.tick(INTERVAL.dividedBy(2).plusSeconds(1));
        assertThat(rig.sent(P0)).containsExactly(6L);
        assertThat(rig.sent(P1)).containsExactly(5L);

        rig.tick(INTERVAL.dividedBy(2));
        assertThat(rig.sent(P0)).containsExactly(6L, 6L);
        assertThat(rig.sent(P1)).containsExactly(5L);
    }

    @Test
    void recordUnfinished_neverAboveIt() {
        rig.kafka.storedOffset(P0, 2);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.complete(P0, 3, 4, 9);
        rig.tick(INTERVAL.multipliedBy(3).plusSeconds(1));
        assertThat(rig.sent(P0)).containsExactly(2L, 2L, 2L);

        rig.complete(P0, 2);
        rig.tick(INTERVAL.plusSeconds(1));
        assertThat(rig.sent(P0)).containsExactly(2L, 2L, 2L, 5L, 5L);
    }

    @Test
    void failedAttempt_theNewestOffsetIsSentAfterABackoff() {
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.completeAll(P0, 0, 2);
        rig.tick();
        rig.tick();
        rig.kafka.commits.clear();
        rig.kafka.failNextAsync(new RetriableCommitFailedException("once"));
        rig.time.after(INTERVAL.plusMillis(20), () -> rig.complete(P0, 3));
        rig.tick(INTERVAL.plusSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(3L, 4L);
        assertThat(rig.stored(P0)).isEqualTo(4);
    }

    @Test
    void failedAttempt_policyThatIsNeverDueDoesNotHoldTheNextOneBack() {
        Rig patient = keptAlive(CommitPolicy.timeBounded(Duration.ofDays(30))).subscribed(P0);
        patient.kafka.storedOffset(P0, 7);
        patient.tick();
        patient.kafka.failNextAsync(new RebalanceInProgressException());
        patient.tick(INTERVAL.plusSeconds(1));

        assertThat(patient.sent(P0)).containsExactly(7L, 7L);
        assertThat(patient.status(P0).committedOffset()).hasValue(7);
    }

    @Test
    void revoked_isNotKeptAliveAnyMore() {
        deliverAndCommit();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.tick(INTERVAL.multipliedBy(3).plusSeconds(1));

        assertThat(rig.sent(P0)).isEmpty();
        assertThat(rig.sent(P1)).containsExactly(5L, 5L, 5L);
    }

    @Test
    void lost_isNotKeptAliveAnyMore() {
        deliverAndCommit();
        rig.kafka.insideNextPoll(() -> rig.kafka.lose(P0));
        rig.tick(INTERVAL.multipliedBy(3).plusSeconds(1));

        assertThat(rig.sent(P0)).isEmpty();
    }

    @Test
    void revokedInTheMomentItIsDue_nothingIsSentForNothing() {
        deliverAndCommit();
        rig.time.advance(INTERVAL);
        rig.kafka.holdAnswers();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.tick();

        assertThat(rig.sent(P0)).startsWith(5L).containsOnly(5L);
        int sent = rig.sent(P0).size();
        rig.kafka.releaseAnswers();
        rig.tick(INTERVAL.multipliedBy(2));
        assertThat(rig.sent(P0)).hasSize(sent);
    }

    @Test
    void soughtBack_theNewPositionIsKeptAlive() {
        deliverAndCommit();
        rig.consumer.seek(P0, 2);
        rig.consumer.pause(List.of(P0));
        rig.tick(INTERVAL.plusSeconds(1));

        assertThat(rig.requests(SimulatedConsumer.Kind.ASYNC)).containsExactly(Map.of(P0, 2L), Map.of(P0, 2L, P1, 5L));
    }

    /** Its policy lets progress wait for longer than what is stored lives. */
    private static Rig progressWaiting() {
        Rig patient = keptAlive(CommitPolicy.timeBounded(Duration.ofDays(30))).subscribed(P0);
        patient.kafka.storedOffset(P0, 0);
        patient.kafka.records(P0, 0, 4);
        patient.poll();
        patient.completeAll(P0, 0, 2);
        return patient;
    }

    @Test
    void progressThatThePolicyLetsWait_isCommittedWhenTheIntervalIsOver() {
        Rig patient = progressWaiting();
        patient.tick(INTERVAL.minusSeconds(1));
        assertThat(patient.kafka.commits).isEmpty();
        patient.tick(Duration.ofSeconds(2));

        assertThat(patient.sent(P0)).containsExactly(3L);
    }

    @Test
    void failedAttemptWithProgressThatThePolicyLetsWait_isSentAgainAfterABackoff() {
        Rig patient = progressWaiting();
        patient.kafka.failNextAsync(new CoordinatorLoadInProgressException("loading"));
        patient.tick(INTERVAL.plusSeconds(2));
        assertThat(patient.sent(P0)).containsExactly(3L, 3L);

        patient.tick(INTERVAL.plusSeconds(2));
        assertThat(patient.sent(P0)).containsExactly(3L, 3L, 3L);
    }
}
