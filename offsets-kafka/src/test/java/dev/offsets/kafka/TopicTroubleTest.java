package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.SimulatedConsumer.Kind.ASYNC;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A topic whose commits fail does not hold up those of the others. */
class TopicTroubleTest {
    private static final String OTHER = "other";
    private static final TopicPartition O0 = new TopicPartition(OTHER, 0);
    private static final TopicPartition O1 = new TopicPartition(OTHER, 1);

    private final EventLog log = new EventLog();
    private final Rig rig = Rig.with(builder ->
                    builder.commitPolicy(CommitPolicy.afterProcessing()).listener(log))
            .subscribed(P0, O0, O1);

    static Stream<RuntimeException> failuresOfATopic() {
        return Stream.of(
                new TopicAuthorizationException(Set.of(OTHER)),
                new RetriableCommitFailedException(new UnknownTopicOrPartitionException("deleted")),
                new OffsetMetadataTooLarge("too large"),
                new RetriableCommitFailedException("for a reason of its own"));
    }

    static Stream<RuntimeException> failuresOfTheGroup() {
        return Stream.of(
                new RebalanceInProgressException(),
                new CommitFailedException("left"),
                new StaleMemberEpochException("stale"),
                new FencedInstanceIdException("fenced"),
                new GroupAuthorizationException("group"),
                new AuthenticationException("who"),
                new TimeoutException("no answer"),
                new RetriableCommitFailedException(new CoordinatorNotAvailableException("none")),
                new RetriableCommitFailedException(new CoordinatorLoadInProgressException("loading")),
                new RetriableCommitFailedException(new NotCoordinatorException("moved")),
                new RetriableCommitFailedException(new DisconnectException("gone")),
                new RetriableCommitFailedException(new TimeoutException("late")));
    }

    private void deliver(Rig to) {
        to.kafka.records(P0, 0, 99);
        to.kafka.records(O0, 0, 99);
        to.kafka.records(O1, 0, 99);
        to.poll();
    }

    private void completeOneOfEach(Rig in, long offset) {
        in.complete(P0, offset);
        in.complete(O0, offset);
        in.complete(O1, offset);
    }

    @ParameterizedTest
    @MethodSource("failuresOfATopic")
    void oneTopicFails_theOffsetsOfTheOtherAreStored(RuntimeException failure) {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> failure);
        completeOneOfEach(rig, 0);
        rig.tick(Duration.ofMillis(250));

        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(rig.stored(O0)).isNull();
        assertThat(rig.status(P0).committedOffset()).hasValue(1);
        assertThat(rig.status(O0).committedOffset()).isEmpty();
        assertThat(rig.requests(ASYNC).get(0)).isEqualTo(Map.of(P0, 1L, O0, 1L, O1, 1L));
        assertThat(rig.requests(ASYNC).subList(1, 3)).containsExactlyInAnyOrder(Map.of(P0, 1L), Map.of(O0, 1L, O1, 1L));
    }

    @ParameterizedTest
    @MethodSource("failuresOfATopic")
    void oneTopicGoesOnFailing_theOtherIsCommittedInEachTurnAndTheFailingOneBacksOff(RuntimeException failure) {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> failure);
        completeOneOfEach(rig, 0);
        rig.tick(Duration.ofMillis(250));
        for (int offset = 1; offset < 60; offset++) {
            completeOneOfEach(rig, offset);
            rig.tick(Duration.ofSeconds(1));
            assertThat(rig.stored(P0)).isEqualTo(offset + 1);
        }

        assertThat(rig.sent(O0)).hasSizeBetween(9, 14).isSorted();
        assertThat(rig.sent(O0)).isEqualTo(rig.sent(O1));
        assertThat(rig.kafka.commits.stream().skip(1))
                .allMatch(commit ->
                        commit.offsets().containsKey(P0) != commit.offsets().containsKey(O0));
    }

    @Test
    void failingTopicHeals_itsNewestOffsetsAreStoredAndBothGoTogetherAgain() {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> new TopicAuthorizationException(Set.of(OTHER)));
        completeOneOfEach(rig, 0);
        rig.tick(Duration.ofSeconds(5));
        completeOneOfEach(rig, 1);
        rig.kafka.healed(OTHER);
        rig.tick(Duration.ofSeconds(10));
        assertThat(rig.stored(O0)).isEqualTo(2);
        assertThat(rig.stored(O1)).isEqualTo(2);
        rig.kafka.commits.clear();
        completeOneOfEach(rig, 2);
        rig.tick();

        assertThat(rig.requests(ASYNC)).containsExactly(Map.of(P0, 3L, O0, 3L, O1, 3L));
    }

    @Test
    void failingAgainAfterItHealed_backsOffFromTheBeginning() {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> new TopicAuthorizationException(Set.of(OTHER)));
        completeOneOfEach(rig, 0);
        rig.tick(Duration.ofSeconds(30));
        rig.kafka.healed(OTHER);
        rig.tick(Duration.ofSeconds(11));
        rig.kafka.commits.clear();
        rig.kafka.failNextAsync(new TopicAuthorizationException(Set.of(OTHER)));
        rig.complete(O0, 1);
        rig.tick(Duration.ofMillis(150));

        assertThat(rig.sent(O0)).containsExactly(2L, 2L);
        assertThat(rig.stored(O0)).isEqualTo(2);
    }

    @Test
    void failingTopic_isTriedWithoutThePolicy() {
        Rig patient = Rig.committingOnlyAtTheEnd().subscribed(P0, O0);
        patient.kafka.records(P0, 0, 9);
        patient.kafka.records(O0, 0, 9);
        patient.poll();
        patient.kafka.failCommitsOf(OTHER, () -> new TopicAuthorizationException(Set.of(OTHER)));
        patient.complete(P0, 0);
        patient.complete(O0, 0);
        patient.consumer.requestCommit();
        patient.tick(Duration.ofSeconds(1));
        patient.kafka.healed(OTHER);
        patient.tick(Duration.ofSeconds(10));

        assertThat(patient.stored(P0)).isEqualTo(1);
        assertThat(patient.stored(O0)).isEqualTo(1);
    }

    @Test
    void bothTopicsFail_eachIsTriedApart() {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> new TopicAuthorizationException(Set.of(OTHER)));
        rig.kafka.failCommitsOf(P0.topic(), () -> new TopicAuthorizationException(Set.of(P0.topic())));
        completeOneOfEach(rig, 0);
        rig.tick(Duration.ofMinutes(5));
        assertThat(rig.kafka.stored).isEmpty();
        assertThat(rig.sent(P0)).hasSizeBetween(30, 40);
        assertThat(rig.sent(O0)).hasSizeBetween(30, 40);

        rig.kafka.healed(P0.topic());
        rig.tick(Duration.ofSeconds(11));
        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(rig.stored(O0)).isNull();
    }

    @ParameterizedTest
    @MethodSource("failuresOfTheGroup")
    void failureOfTheGroup_isNotSplit(RuntimeException failure) {
        deliver(rig);
        rig.kafka.failNextAsync(failure);
        rig.kafka.failNextAsync(failure);
        completeOneOfEach(rig, 0);
        rig.tick();
        completeOneOfEach(rig, 1);
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.requests(ASYNC))
                .containsExactly(
                        Map.of(P0, 1L, O0, 1L, O1, 1L), Map.of(P0, 2L, O0, 2L, O1, 2L), Map.of(P0, 2L, O0, 2L, O1, 2L));
        assertThat(rig.stored(P0)).isEqualTo(2);
    }

    @Test
    void failingTopicRevokedAndAssignedAgain_itsTroubleIsForgotten() {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> new TopicAuthorizationException(Set.of(OTHER)));
        completeOneOfEach(rig, 0);
        rig.tick(Duration.ofSeconds(30));
        rig.completeAll(O0, 1, 99);
        rig.completeAll(O1, 1, 99);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0));
        rig.tick();
        rig.kafka.healed(OTHER);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0, O0));
        rig.poll();
        rig.kafka.commits.clear();
        rig.complete(P0, 1);
        rig.complete(O0, 0);
        rig.tick();

        assertThat(rig.requests(ASYNC)).containsExactly(Map.of(P0, 2L, O0, 1L));
    }

    @Test
    void commitSync_timesOutForOneTopic_theOtherIsStoredWithinTheBound() {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> new TimeoutException("deleted"));
        completeOneOfEach(rig, 0);
        Duration before = rig.time.elapsed();

        assertThatThrownBy(() -> rig.consumer.commitSync(Duration.ofSeconds(8)))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("deleted");
        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(rig.stored(O0)).isNull();
        assertThat(rig.time.elapsed().minus(before)).isLessThanOrEqualTo(Duration.ofSeconds(8));
        assertThat(rig.requests(SYNC))
                .containsExactly(Map.of(P0, 1L, O0, 1L, O1, 1L), Map.of(O0, 1L, O1, 1L), Map.of(P0, 1L));
    }

    @Test
    void commitSync_bothTopicsFail_theSecondFailureIsSuppressedInTheFirst() {
        deliver(rig);
        RuntimeException others = new TopicAuthorizationException(Set.of(OTHER));
        RuntimeException topics = new TimeoutException("deleted");
        rig.kafka.failCommitsOf(OTHER, () -> others);
        rig.kafka.failCommitsOf(P0.topic(), () -> topics);
        completeOneOfEach(rig, 0);
        Throwable thrown = catchThrowable(() -> rig.consumer.commitSync(Duration.ofSeconds(8)));

        assertThat(thrown).isSameAs(others);
        assertThat(thrown.getSuppressed()).containsExactly(topics);
        assertThat(rig.time.elapsed()).isLessThanOrEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void commitSync_sameFailureForBothTopics_isThrown() {
        deliver(rig);
        RuntimeException same = new TimeoutException("no answer");
        rig.kafka.failCommitsOf(OTHER, () -> same);
        rig.kafka.failCommitsOf(P0.topic(), () -> same);
        completeOneOfEach(rig, 0);

        assertThatThrownBy(() -> rig.consumer.commitSync(Duration.ofSeconds(8))).isSameAs(same);
    }

    @Test
    void commitSync_oneTopicAlone_hasTheWholeTime() {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> new TimeoutException("deleted"));
        rig.complete(O0, 0);
        Duration before = rig.time.elapsed();

        assertThatThrownBy(() -> rig.consumer.commitSync(Duration.ofSeconds(8))).isInstanceOf(TimeoutException.class);
        assertThat(rig.time.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(8));
        assertThat(rig.requests(SYNC)).hasSize(1);
    }

    @Test
    void commitSync_failureOfTheGroup_isNotSplit() {
        for (RuntimeException failure : List.of(
                new RebalanceInProgressException(),
                new CommitFailedException("left"),
                new GroupAuthorizationException("group"))) {
            Rig grouped = Rig.committingOnlyAtTheEnd().subscribed(P0, O0, O1);
            deliver(grouped);
            completeOneOfEach(grouped, 0);
            grouped.kafka.failNextSync(() -> failure);

            assertThatThrownBy(() -> grouped.consumer.commitSync()).isSameAs(failure);
            assertThat(grouped.requests(SYNC)).hasSize(1);
        }
    }

    @Test
    void revoked_timesOutForOneTopic_theOtherIsStoredWithinTheBound() {
        Rig revoked = Rig.with(builder -> builder.commitPolicy(CommitPolicy.timeBounded(Duration.ofDays(1)))
                        .drainTimeout(Duration.ofSeconds(6))
                        .listener(log))
                .subscribed(P0, O0);
        revoked.kafka.records(P0, 0, 9);
        revoked.kafka.records(O0, 0, 9);
        revoked.poll();
        revoked.completeAll(P0, 0, 9);
        revoked.completeAll(O0, 0, 9);
        revoked.kafka.failCommitsOf(OTHER, () -> new TimeoutException("deleted"));
        revoked.kafka.insideNextPoll(() -> revoked.kafka.rebalanceEagerly());
        Duration before = revoked.time.elapsed();
        revoked.tick();

        assertThat(revoked.stored(P0)).isEqualTo(10);
        assertThat(revoked.stored(O0)).isNull();
        assertThat(revoked.time.elapsed().minus(before)).isLessThanOrEqualTo(Duration.ofSeconds(10));
        assertThat(log.events)
                .containsExactly(
                        "failed {other-0=10, topic-0=10} deleted",
                        "failed {other-0=10} deleted",
                        "committed {topic-0=10}",
                        "revoked {other-0=10, topic-0=10} deleted");
    }

    @Test
    void closed_timesOutForOneTopic_theOtherIsStoredWithinTheBound() {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> new TimeoutException("deleted"));
        completeOneOfEach(rig, 0);
        Duration before = rig.time.elapsed();
        CloseResult closed = rig.consumer.close(Duration.ofSeconds(8));

        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(rig.stored(O0)).isNull();
        assertThat(rig.time.elapsed().minus(before)).isLessThanOrEqualTo(Duration.ofSeconds(8));
        assertThat(closed.failures()).hasSize(1);
        assertThat(closed.failures().get(0)).isInstanceOf(TimeoutException.class);
        assertThat(closed.partitions().get(P0).committedOffset()).hasValue(1);
        assertThat(rig.kafka.isClosed()).isTrue();
    }

    @Test
    void closedWithNoTime_theOtherIsStillTried() {
        deliver(rig);
        rig.kafka.failCommitsOf(OTHER, () -> new TimeoutException("deleted"));
        completeOneOfEach(rig, 0);
        rig.consumer.close(Duration.ZERO);

        assertThat(rig.stored(P0)).isEqualTo(1);
    }
}
