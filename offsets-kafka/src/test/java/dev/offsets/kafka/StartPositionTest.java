package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Call.COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where consuming begins is stored at once where a reset would begin elsewhere later. */
class StartPositionTest {
    /** The policy alone would not commit for a day. */
    private static Rig resetting(String reset) {
        Map<String, Object> config = new HashMap<>(Rig.CONFIG);
        if (reset == null) {
            config.remove("auto.offset.reset");
        } else {
            config.put("auto.offset.reset", reset);
        }
        return Rig.with(config, builder -> builder.commitPolicy(CommitPolicy.timeBounded(Duration.ofDays(1))));
    }

    private static Rig begun(String reset) {
        Rig rig = resetting(reset).subscribed(P0, P1);
        rig.kafka.resetsToLatest = true;
        rig.kafka.records(P0, 0, 9);
        return rig;
    }

    @Test
    void resetLatestAndNothingStored_theStartIsStoredAtOnce() {
        Rig rig = begun("latest");
        rig.tick();
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(10);
        assertThat(rig.stored(P1)).isZero();
        assertThat(rig.kafka.commits).hasSize(1);
    }

    @Test
    void resetLeftOut_isLatest() {
        Rig rig = begun(null);
        rig.tick();
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void resetByDuration_theStartIsStoredAtOnce() {
        Rig rig = begun("by_duration:PT1H");
        rig.tick();
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"earliest", "EARLIEST", "none"})
    void resetThatPassesOverNothing_nothingIsStored(String reset) {
        Rig rig = begun(reset);
        rig.tick();
        rig.tick(Duration.ofSeconds(10));
        rig.consumer.close(Duration.ofSeconds(1));

        assertThat(rig.kafka.commits).isEmpty();
    }

    @Test
    void resetLatestAndSomethingStored_nothingIsSent() {
        Rig rig = begun("latest");
        rig.kafka.storedOffset(P0, 10);
        rig.kafka.storedOffset(P1, 0);
        rig.tick();
        rig.tick(Duration.ofSeconds(10));
        rig.consumer.close(Duration.ofSeconds(1));

        assertThat(rig.kafka.commits).isEmpty();
    }

    @Test
    void onePartitionOfTwoHasSomethingStored_onlyTheOtherIsSent() {
        Rig rig = begun("latest");
        rig.kafka.storedOffset(P1, 0);
        rig.tick();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(10L);
        assertThat(rig.sent(P1)).isEmpty();
    }

    @Test
    void recordsComeAtOnce_theStartIsStoredBelowThem() {
        Rig rig = begun("latest");
        rig.tick();
        rig.kafka.records(P0, 10, 14);
        assertThat(rig.poll()).hasSize(5);
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void storedStart_progressAfterItWaitsForThePolicy() {
        Rig rig = begun("latest");
        rig.tick();
        rig.tick();
        rig.kafka.records(P0, 10, 14);
        rig.poll();
        rig.completeAll(P0, 10, 14);
        rig.tick(Duration.ofHours(1));

        assertThat(rig.sent(P0)).containsExactly(10L);
    }

    @Test
    void firstCommitFails_theStartIsSentAgain() {
        Rig rig = begun("latest");
        rig.kafka.failNextAsync(new RetriableCommitFailedException("once"));
        rig.tick();
        rig.tick();
        assertThat(rig.stored(P0)).isNull();
        rig.tick(Duration.ofMillis(150));

        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void revokedBeforeTheNextTurn_theStartIsStored() {
        Rig rig = begun("latest");
        rig.tick();
        rig.consumer.unsubscribe();

        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void assignedByHand_theStartIsStoredAtOnce() {
        Rig rig = resetting("latest");
        rig.kafka.records(P0, 0, 9);
        rig.consumer.assign(List.of(P0));
        rig.tick();
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void assignedLater_theStartOfThatPartitionIsStoredAtOnce() {
        Rig rig = begun("latest");
        rig.tick();
        rig.tick();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0));
        rig.tick();
        rig.kafka.stored.remove(P1);
        rig.kafka.records(P1, 0, 6);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0, P1));
        rig.tick();
        rig.tick();

        assertThat(rig.stored(P1)).isEqualTo(7);
        assertThat(rig.sent(P0)).containsExactly(10L);
    }

    @Test
    void soughtWhenAssigned_theSoughtPositionIsStoredAtOnceOrNotAtAll() {
        Rig rig = resetting("latest").subscribed(P0);
        rig.kafka.records(P0, 0, 9);
        rig.tick();
        rig.consumer.seek(P0, 4);
        assertThat(rig.poll()).hasSize(6);
        rig.completeAll(P0, 4, 5);
        rig.consumer.commitSync();

        assertThat(rig.stored(P0)).isEqualTo(6);
    }

    @Test
    void recordsComeInTheFirstPoll_theStartIsStoredBelowThem() {
        Rig rig = resetting("by_duration:PT1H").subscribed(P0);
        rig.kafka.records(P0, 0, 9);
        rig.kafka.delete(P0, 4);
        assertThat(rig.poll()).hasSize(6);
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(4);
    }

    @Test
    void whatIsStoredCannotBeRead_isNotTakenForNothing() {
        Rig rig = Rig.committingAtOnce().subscribed(P0);
        rig.kafka.throwFromNext(COMMITTED, () -> new TimeoutException("no answer"));
        storedAboveTheLog(rig);

        assertThat(rig.stored(P0)).isZero();
    }

    @Test
    void drainTimeoutOfZero_whatIsStoredIsStillRead() {
        EventLog log = new EventLog();
        Rig rig = Rig.with(builder -> builder.commitPolicy(CommitPolicy.afterProcessing())
                        .drainTimeout(Duration.ZERO)
                        .listener(log))
                .subscribed(P0);
        storedAboveTheLog(rig);

        assertThat(log.events).startsWith("jumped topic-0 100 -> 0");
        assertThat(rig.stored(P0)).isZero();
    }

    @Test
    void drainTimeoutOfZeroAndWhatIsStoredCannotBeRead_isNotTakenForNothing() {
        Rig rig = Rig.with(builder ->
                        builder.commitPolicy(CommitPolicy.afterProcessing()).drainTimeout(Duration.ZERO))
                .subscribed(P0);
        rig.kafka.throwFromNext(COMMITTED, () -> new TimeoutException("no answer"));
        storedAboveTheLog(rig);

        assertThat(rig.stored(P0)).isZero();
    }

    /** The topic was deleted and created again; its new records are delivered, and none of them finishes. */
    private static void storedAboveTheLog(Rig rig) {
        rig.kafka.checksRange = true;
        rig.kafka.storedOffset(P0, 100);
        rig.kafka.records(P0, 0, 19);
        rig.poll();
        rig.poll();
        rig.kafka.records(P0, 20, 150);
        rig.poll();
        rig.tick(Duration.ofMinutes(1));
        rig.consumer.close(Duration.ZERO);
    }

    @Test
    void nothingStored_soughtBackAndFinishedUpToWhereConsumingBegan_isStored() {
        Rig rig = Rig.committingOnlyAtTheEnd();
        rig.kafka.movePosition(P0, 5);
        rig.subscribed(P0);
        rig.kafka.records(P0, 5, 6);
        rig.poll();
        rig.consumer.seek(P0, 4);
        rig.kafka.records(P0, 4, 6);
        rig.poll();
        rig.complete(P0, 4);
        rig.consumer.close(Duration.ZERO);

        assertThat(rig.stored(P0)).isEqualTo(5);
    }
}
