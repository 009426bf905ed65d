package dev.offsets.kafka;

import static dev.offsets.kafka.ProcessorRig.MANY;
import static dev.offsets.kafka.ProcessorRig.names;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.kafka.ProcessorStatus.StoppedAt;
import dev.offsets.kafka.ProcessorStatus.WaitingRetry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that can't be deserialized, and what a processor's failure policy makes of them. */
class UndecodableTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final FailurePolicy RETRY_AFTER_A_SECOND = failure -> FailureAction.retryAfter(SECOND);

    private final ProcessorRig pool = new ProcessorRig();
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final FailurePolicy deadLetter = FailurePolicy.deadLetter(DeadLetters.to(producer, "dead"));

    @AfterEach
    void leaveNoInterrupt() {
        Thread.interrupted();
    }

    private void working(FailurePolicy policy, TopicPartition... partitions) {
        pool.working(MANY, processor -> processor.onFailure(policy), partitions);
    }

    private void turns(int turns) {
        for (int i = 0; i < turns; i++) {
            pool.turn();
        }
    }

    private long position(TopicPartition partition) {
        return pool.kafka.knownPosition(partition).orElseThrow();
    }

    // ---- Skipped ----

    @Test
    void skipped_theRestGoesOn_andWorkInFlightBelowHoldsTheCommitBack() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.records(P0, 5, 9);
        pool.kafka.undecodable(P0, 6);
        turns(3);
        assertThat(pool.newStarts()).containsExactly(names(P0, 5, 7, 8, 9));

        pool.done(P0, 7, 8, 9);
        turns(2);
        assertThat(pool.rig.sent(P0)).isEmpty();

        pool.done(P0, 5);
        turns(2);
        assertThat(pool.rig.stored(P0)).isEqualTo(10);
        assertThat(pool.events.events).containsExactly("committed {topic-0=10}");
    }

    @Test
    void skippedFirstAndLast_areCommittedPast_andNotSeenAgain() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.storedOffset(P0, 5);
        pool.kafka.records(P0, 5, 7);
        pool.kafka.undecodable(P0, 5, 7);
        turns(4);
        pool.done(P0, 6);
        pool.rig.consumer.close();

        assertThat(pool.rig.stored(P0)).isEqualTo(8);
    }

    @Test
    void skippedAlone_isCommittedAtClose_withoutAnythingElse() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.storedOffset(P0, 6);
        pool.kafka.records(P0, 6, 6);
        pool.kafka.undecodable(P0, 6);
        pool.turn();
        pool.rig.consumer.close();

        assertThat(pool.rig.stored(P0)).isEqualTo(7);
    }

    @Test
    void skippedBehindHoles_holesArePassedToo() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.records(P0, 0, 1);
        pool.kafka.records(P0, 5, 6);
        pool.kafka.undecodable(P0, 5);
        turns(3);
        pool.done(P0, 0, 1, 6);
        turns(2);

        assertThat(pool.rig.stored(P0)).isEqualTo(7);
    }

    @Test
    void severalInARow_allInOnePoll() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.records(P0, 0, 99);
        for (long offset = 0; offset < 99; offset++) {
            pool.kafka.undecodable(P0, offset);
        }
        pool.turn(SECOND);

        assertThat(pool.running()).containsExactly(names(P0, 99));
        assertThat(pool.time.elapsed()).isLessThan(SECOND);
    }

    @Test
    void holesOfOtherPartitionsPassedByThePollThatThrew_areNoJump() {
        working(FailurePolicy.skip("no schema"), P0, P1);
        pool.kafka.records(P0, 0, 0);
        pool.turn();
        pool.kafka.logEnd(P0, 10, Optional.empty());
        pool.kafka.records(P1, 0, 0);
        pool.kafka.undecodable(P1, 0);
        turns(2);
        pool.done(P0, 0);
        turns(2);

        assertThat(pool.rig.stored(P0)).isEqualTo(10);
        assertThat(pool.events.events).noneMatch(event -> event.startsWith("jumped"));
    }

    // ---- Tried again ----

    @Test
    void retry_holdsThatPartitionAlone_andGoesOnWhenItCanBeDeserialized() {
        working(RETRY_AFTER_A_SECOND, P0, P1);
        pool.kafka.records(P0, 0, 2);
        pool.kafka.undecodable(P0, 0);
        pool.kafka.records(P1, 0, 0);
        turns(3);
        assertThat(pool.kafka.paused()).containsExactly(P0);
        assertThat(pool.newStarts()).containsExactly(names(P1, 0));
        assertThat(pool.rig.consumer.paused()).isEmpty();

        pool.kafka.decodable(P0, 0);
        pool.turn(Duration.ofMillis(900));
        assertThat(pool.newStarts()).isEmpty();
        pool.turn(Duration.ofMillis(200));

        assertThat(pool.newStarts()).containsExactly(names(P0, 0, 1, 2));
        assertThat(pool.kafka.paused()).isEmpty();
    }

    @Test
    void retry_pollWaitsUntilItIsDue_andNoLonger() {
        working(RETRY_AFTER_A_SECOND, P0);
        pool.kafka.records(P0, 0, 0);
        pool.kafka.undecodable(P0, 0);
        pool.turn();
        pool.kafka.decodable(P0, 0);
        pool.turn(Duration.ofHours(1));

        assertThat(pool.running()).containsExactly(names(P0, 0));
        assertThat(pool.time.elapsed()).isEqualTo(SECOND);
    }

    @Test
    void retry_isInTheStatus() {
        working(RETRY_AFTER_A_SECOND, P0);
        pool.kafka.records(P0, 3, 3);
        pool.kafka.undecodable(P0, 3);
        pool.turn(Duration.ofMillis(1_200));

        assertThat(pool.processor.status().retries()).satisfiesExactly(waiting -> {
            assertThat(waiting.topicPartition()).isEqualTo(P0);
            assertThat(waiting.offset()).isEqualTo(3);
            assertThat(waiting.attempts()).isEqualTo(2);
            assertThat(waiting.nextAttemptIn()).isEqualTo(Duration.ofMillis(800));
            assertThat(waiting.lastError()).isInstanceOf(RecordDeserializationException.class);
        });
    }

    @Test
    void retryAfterTheEnd_isNotInTheStatus() {
        working(RETRY_AFTER_A_SECOND, P0);
        pool.kafka.records(P0, 3, 3);
        pool.kafka.undecodable(P0, 3);
        turns(2);
        assertThat(pool.processor.status().retries()).hasSize(1);
        pool.rig.consumer.close();

        assertThat(pool.processor.status().retries()).isEmpty();
    }

    @Test
    void attempts_areCountedPerRecord_andLimitedByThePolicy() {
        List<String> failures = new ArrayList<>();
        FailurePolicy policy =
                FailurePolicy.retry().attempts(3).backoff(SECOND, SECOND).thenSkip("never");
        working(
                failure -> {
                    failures.add(failure.topicPartition() + "@" + failure.offset() + " " + failure.attempts()
                            + " after " + failure.sinceFirstAttempt().toSeconds() + " s");
                    return failure.attempts() < 3 ? FailureAction.retryAfter(SECOND) : policy.onFailure(failure);
                },
                P0);
        pool.kafka.records(P0, 0, 2);
        pool.kafka.undecodable(P0, 0, 1);
        pool.turn(Duration.ofMinutes(1));

        assertThat(failures)
                .containsExactly(
                        "topic-0@0 1 after 0 s",
                        "topic-0@0 2 after 1 s",
                        "topic-0@0 3 after 2 s",
                        "topic-0@1 1 after 0 s",
                        "topic-0@1 2 after 1 s",
                        "topic-0@1 3 after 2 s");
        assertThat(pool.running()).containsExactly(names(P0, 2));
    }

    @Test
    void retryWhileThePartitionLeavesAndComesBack_beginsAnew() {
        working(RETRY_AFTER_A_SECOND, P0);
        pool.kafka.records(P0, 0, 0);
        pool.kafka.undecodable(P0, 0);
        pool.turn(Duration.ofMillis(1_200));
        pool.kafka.insideNextPoll(() -> pool.kafka.rebalanceEagerly(P1));
        pool.turn();
        pool.turn();
        assertThat(pool.processor.status().retries()).isEmpty();
        pool.kafka.insideNextPoll(() -> pool.kafka.rebalanceEagerly(P0));
        pool.turn();

        assertThat(pool.processor.status().retries())
                .extracting(WaitingRetry::attempts)
                .containsExactly(1);
    }

    @Test
    void retryOfWhatTheUserSeeksPast_isForgotten() {
        working(failure -> FailureAction.retryAfter(Duration.ofDays(1)), P0);
        pool.kafka.records(P0, 0, 1);
        pool.kafka.undecodable(P0, 0);
        pool.turn();
        pool.rig.consumer.seek(P0, 1);
        pool.turn();

        assertThat(pool.running()).containsExactly(names(P0, 1));
        assertThat(pool.kafka.paused()).isEmpty();
    }

    @Test
    void retryOfAPartitionThatTheUserHasPaused_waitsForTheUser() {
        working(RETRY_AFTER_A_SECOND, P0);
        pool.kafka.records(P0, 0, 0);
        pool.kafka.undecodable(P0, 0);
        pool.turn();
        pool.rig.consumer.pause(List.of(P0));
        pool.kafka.decodable(P0, 0);
        pool.turn(Duration.ofSeconds(3));
        assertThat(pool.starts).isEmpty();
        pool.rig.consumer.resume(List.of(P0));
        pool.turn();

        assertThat(pool.running()).containsExactly(names(P0, 0));
    }

    // ---- Sent as a dead letter ----

    @Test
    void deadLetter_hasTheRawBytes_andIsFinishedWhenConfirmed() {
        working(deadLetter, P0);
        pool.kafka.records(P0, 0, 2);
        pool.kafka.undecodable(P0, 1);
        turns(3);
        pool.done(P0, 0, 2);
        turns(2);
        assertThat(pool.rig.stored(P0)).isEqualTo(1);

        assertThat(producer.completeNext()).isTrue();
        pool.executor.runAll();
        turns(2);

        assertThat(pool.rig.stored(P0)).isEqualTo(3);
        assertThat(pool.starts).containsExactly(names(P0, 0, 2));
        ProducerRecord<byte[], byte[]> sent = producer.history().get(0);
        assertThat(producer.history()).hasSize(1);
        assertThat(sent.topic()).isEqualTo("dead");
        assertThat(sent.key()).asString(StandardCharsets.UTF_8).isEqualTo("key");
        assertThat(sent.value()).asString(StandardCharsets.UTF_8).isEqualTo("value 1");
    }

    @Test
    void deadLetterThatIsNotConfirmed_restartDeliversTheRecordAgain() {
        working(deadLetter, P0);
        pool.kafka.storedOffset(P0, 5);
        pool.kafka.records(P0, 5, 6);
        pool.kafka.undecodable(P0, 5);
        turns(3);
        pool.done(P0, 6);
        pool.rig.consumer.close();
        producer.completeNext();

        assertThat(pool.rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void deadLettersSendFails_isTriedAgainWithABackoff_thenTheConsumerStops() {
        DeadLetters letters = DeadLetters.to(producer, "dead")
                .ifSendFails(FailurePolicy.retry()
                        .attempts(3)
                        .backoff(SECOND, SECOND)
                        .thenStopConsumer());
        working(FailurePolicy.deadLetter(letters), P0);
        pool.kafka.records(P0, 5, 5);
        pool.kafka.undecodable(P0, 5);
        RuntimeException refused = new RuntimeException("refused");
        pool.turn();
        pool.turn();
        producer.errorNext(refused);
        pool.executor.runAll();
        pool.turn(Duration.ofMillis(500));
        assertThat(producer.history()).hasSize(1);
        pool.turn(SECOND);
        producer.errorNext(refused);
        pool.turn(Duration.ofSeconds(2));
        producer.errorNext(refused);

        assertThatThrownBy(pool::turn)
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record topic-0@5 failed")
                .hasCause(refused);
        assertThat(producer.history()).hasSize(3);
        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    @Test
    void manyDeadLettersInFlight_areBoundedAsRecordsAre() {
        ProcessorRig bounded = new ProcessorRig(builder -> builder.maxInFlightPerPartition(10));
        bounded.working(MANY, processor -> processor.onFailure(deadLetter), P0);
        bounded.kafka.records(P0, 0, 99);
        for (long offset = 0; offset < 99; offset++) {
            bounded.kafka.undecodable(P0, offset);
        }
        bounded.turn(SECOND);
        bounded.turn(SECOND);

        assertThat(producer.history()).hasSize(10);
        assertThat(bounded.kafka.paused()).containsExactly(P0);
    }

    // ---- Stopped ----

    @Test
    void stopConsumer_withTheOffset_afterWhatFinishedWasCommitted() {
        working(FailurePolicy.stopConsumer(), P0, P1);
        pool.kafka.records(P0, 5, 7);
        pool.kafka.undecodable(P0, 6);
        pool.turn();
        pool.done(P0, 5);

        assertThatThrownBy(() -> turns(2))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record topic-0@6 failed")
                .hasCauseInstanceOf(RecordDeserializationException.class);
        assertThatThrownBy(pool::turn).isInstanceOf(RecordFailedException.class);
        assertThat(pool.rig.stored(P0)).isEqualTo(6);
        assertThat(position(P0)).isEqualTo(6);
    }

    @Test
    void stoppedConsumer_goesOnAfterASkip() {
        working(FailurePolicy.stopConsumer(), P0);
        pool.kafka.records(P0, 5, 7);
        pool.kafka.undecodable(P0, 6);
        pool.turn();
        assertThatThrownBy(() -> turns(2)).isInstanceOf(RecordFailedException.class);
        pool.rig.consumer.skip(P0, 6, "not worth it");
        pool.done(P0, 5);
        pool.turn();
        pool.done(P0, 7);
        turns(2);

        assertThat(pool.rig.stored(P0)).isEqualTo(8);
    }

    @Test
    void stopPartition_othersGoOn() {
        working(FailurePolicy.stopPartition(), P0, P1);
        pool.kafka.records(P0, 5, 7);
        pool.kafka.undecodable(P0, 6);
        pool.turn();
        pool.done(P0, 5);
        turns(2);
        pool.kafka.records(P1, 0, 0);
        turns(2);
        pool.done(P1, 0);
        turns(2);

        assertThat(pool.starts).containsExactly("topic-0@5", "topic-1@0");
        assertThat(pool.rig.stored(P0)).isEqualTo(6);
        assertThat(pool.rig.stored(P1)).isEqualTo(1);
        assertThat(pool.events.events).anyMatch(event -> event.startsWith("stopped topic-0@6"));
        Map<TopicPartition, StoppedAt> stopped = pool.processor.status().stopped();
        assertThat(stopped).containsOnlyKeys(P0);
        assertThat(stopped.get(P0).offset()).isEqualTo(6);
    }

    @Test
    void stoppedPartition_isNotHealthy_untilItIsSought() {
        working(FailurePolicy.stopPartition(), P0);
        pool.kafka.records(P0, 0, 2);
        pool.kafka.undecodable(P0, 1);
        turns(2);
        pool.done(P0, 0);
        turnsForSeconds(40);
        assertThat(pool.rig.consumer.report().isHealthy()).isTrue();
        turnsForSeconds(40);
        assertThat(statusOfP0()).isInstanceOf(PartitionStatus.Starved.class);
        assertThat(pool.rig.consumer.report().isHealthy()).isFalse();

        pool.rig.consumer.seek(P0, 2);
        turns(2);
        pool.done(P0, 2);
        turnsForSeconds(120);
        assertThat(pool.rig.consumer.report().isHealthy()).isTrue();
    }

    @Test
    void longRetry_isNotHealthy() {
        working(failure -> FailureAction.retryAfter(Duration.ofHours(1)), P0);
        pool.kafka.records(P0, 0, 2);
        pool.kafka.undecodable(P0, 0);
        turnsForSeconds(80);

        assertThat(statusOfP0()).isInstanceOf(PartitionStatus.Starved.class);
    }

    /** The loop looks at its partitions every ten seconds. */
    private void turnsForSeconds(int seconds) {
        for (int i = 0; i < seconds / 10; i++) {
            pool.turn(Duration.ofSeconds(10));
        }
    }

    private PartitionStatus statusOfP0() {
        return pool.rig.consumer.report().partitions().get(0).status();
    }

    @Test
    void policyThatThrows_stopsTheConsumer() {
        RuntimeException wrong = new RuntimeException("wrong");
        working(
                failure -> {
                    throw wrong;
                },
                P0);
        pool.kafka.records(P0, 0, 0);
        pool.kafka.undecodable(P0, 0);

        assertThatThrownBy(() -> turns(2))
                .isInstanceOf(RecordFailedException.class)
                .satisfies(e -> assertThat(e.getCause()).hasSuppressedException(wrong));
    }

    @Test
    void causedByAnInterrupt_isNeverSkipped() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.records(P0, 0, 0);
        pool.kafka.undecodable(
                P0,
                0,
                DeserializationExceptionOrigin.VALUE,
                new SerializationException("registry", new InterruptedException()));

        assertThatThrownBy(() -> turns(2)).isInstanceOf(RecordFailedException.class);
        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    @Test
    void whileInterrupted_pollThrowsTheInterrupt_andTheRecordIsNotGivenUp() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.records(P0, 0, 0);
        pool.kafka.undecodable(P0, 0);
        pool.kafka.beforeDeserializationFails = () -> Thread.currentThread().interrupt();

        assertThatThrownBy(pool::turn)
                .isInstanceOf(InterruptException.class)
                .satisfies(e ->
                        assertThat(e.getSuppressed()).hasExactlyElementsOfTypes(RecordDeserializationException.class));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(pool.rig.sent(P0)).isEmpty();
    }

    // ---- Positions ----

    @Test
    void positionMovedBackToIt_whatWasIncompleteFurtherBackIsReadFirst() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.records(P0, 0, 9);
        pool.turn();
        pool.done(P0, 0, 1);
        pool.kafka.undecodable(P0, 5);
        pool.kafka.movePosition(P0, 5);
        pool.turn();
        pool.newStarts();
        pool.done(P0, 2, 3, 4, 5, 6, 7, 8, 9); // void by now
        turns(3);

        assertThat(pool.newStarts()).containsExactly(names(P0, 2, 3, 4, 6, 7, 8, 9));
    }

    @Test
    void soughtBeforeItsPositionIsSet_userWins() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.records(P0, 0, 9);
        pool.kafka.undecodable(P0, 5);
        pool.turn();
        pool.kafka.throwFromNext(SimulatedConsumer.Call.SEEK, () -> new TimeoutException("seek"));
        pool.turn();
        pool.rig.consumer.seek(P0, 2);
        pool.newStarts();
        pool.turn();

        assertThat(pool.newStarts()).startsWith("topic-0@2");
    }

    @Test
    void positionCannotBeSetAtOnce_isSetBeforeTheNextPoll() {
        working(FailurePolicy.skip("no schema"), P0);
        pool.kafka.records(P0, 0, 2);
        pool.kafka.undecodable(P0, 1);
        pool.turn();
        pool.kafka.throwFromNext(SimulatedConsumer.Call.SEEK, () -> new TimeoutException("seek"));
        pool.turn();
        assertThat(position(P0)).isEqualTo(1);
        turns(2);

        assertThat(pool.starts).containsExactly(names(P0, 0, 2));
        assertThat(pool.events.events).noneMatch(event -> event.startsWith("jumped"));
    }
}
