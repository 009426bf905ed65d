package dev.offsets.kafka;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Call.POLL;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records that fail, are skipped, or get no outcome at all. */
class FailureTest {
    private final Rig rig = Rig.committingOnlyAtTheEnd().subscribed(P0, P1);
    private final Exception cause = new Exception("cause");

    private void deliver() {
        rig.kafka.records(P0, 0, 9);
        rig.kafka.records(P1, 0, 9);
        rig.poll();
    }

    @Test
    void failed_nextPollCommitsWhatFinishedAndThrowsBeforeFetching() {
        deliver();
        rig.complete(P0, 0, 1, 3);
        rig.complete(P1, 0);
        assertThat(rig.record(P0, 2).fail(cause)).isEqualTo(ACCEPTED);
        int polls = rig.kafka.polls.size();

        assertThatThrownBy(() -> rig.poll())
                .isInstanceOf(RecordFailedException.class)
                .hasMessage("record topic-0@2 failed: the consumer has stopped, nothing at or above this offset is"
                        + " committed. Restart it, or seek the partition, to go on")
                .hasCause(cause)
                .satisfies(e -> {
                    assertThat(((RecordFailedException) e).topicPartition()).isEqualTo(P0);
                    assertThat(((RecordFailedException) e).offset()).isEqualTo(2);
                    assertThat(e.getSuppressed()).isEmpty();
                });
        assertThat(rig.kafka.polls).hasSize(polls);
        assertThat(rig.sent(SYNC, P0)).containsExactly(2L);
        assertThat(rig.sent(SYNC, P1)).containsExactly(1L);
    }

    @Test
    void failed_eachPollThrowsAgain_andCommitsWhatFinishedMeanwhile() {
        deliver();
        rig.record(P0, 2).fail(cause);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(RecordFailedException.class);
        rig.complete(P1, 0);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(RecordFailedException.class);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(RecordFailedException.class);

        assertThat(rig.kafka.commits).hasSize(1);
        assertThat(rig.sent(P1)).containsExactly(1L);
    }

    @Test
    void failedWhileAPollWaits_thatPollThrows() {
        deliver();
        rig.time.after(Duration.ofMillis(500), () -> rig.record(P0, 2).fail(cause));

        assertThatThrownBy(() -> rig.poll(Duration.ofMinutes(1))).isInstanceOf(RecordFailedException.class);
        assertThat(rig.time.elapsed()).isLessThan(Duration.ofMillis(520));
    }

    @Test
    void severalFailed_theOthersAreSuppressedInTheFirst() {
        deliver();
        rig.record(P0, 5).fail(cause);
        rig.record(P0, 2).fail(cause);
        rig.record(P1, 0).fail(cause);

        assertThatThrownBy(() -> rig.poll())
                .hasMessageStartingWith("record topic-0@5")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .satisfiesExactly(
                                one -> assertThat(one).startsWith("record topic-0@2"),
                                two -> assertThat(two).startsWith("record topic-1@0")));
    }

    @Test
    void failedAndTheCommitFailsToo_isSuppressed() {
        deliver();
        rig.complete(P0, 0);
        rig.record(P0, 2).fail(cause);
        CommitFailedException commitFailure = new CommitFailedException("commit");
        rig.kafka.failNextSync(() -> commitFailure);

        assertThatThrownBy(() -> rig.poll())
                .isInstanceOf(RecordFailedException.class)
                .hasSuppressedException(commitFailure);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(RecordFailedException.class);
        assertThat(rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void firstOfFailCompleteAndSkip_wins() {
        deliver();
        assertThat(rig.record(P0, 0).fail(cause)).isEqualTo(ACCEPTED);
        assertThat(rig.record(P0, 0).complete()).isEqualTo(IGNORED);
        assertThat(rig.record(P0, 0).skip("late")).isEqualTo(IGNORED);
        assertThat(rig.record(P0, 1).skip("early")).isEqualTo(ACCEPTED);
        assertThat(rig.record(P0, 1).fail(cause)).isEqualTo(IGNORED);
        assertThat(rig.record(P1, 0).complete()).isEqualTo(ACCEPTED);
        assertThat(rig.record(P1, 0).fail(cause)).isEqualTo(IGNORED);

        assertThatThrownBy(() -> rig.poll()).hasMessageStartingWith("record topic-0@0");
    }

    @Test
    void skipped_isFinished() {
        deliver();
        for (long offset = 0; offset < 10; offset++) {
            assertThat(rig.record(P0, offset).skip("unwanted")).isEqualTo(ACCEPTED);
        }
        rig.consumer.commitSync();

        assertThat(rig.sent(P0)).containsExactly(10L);
    }

    @Test
    void missingReasonOrCause_isRefusedByNameAndChangesNothing() {
        deliver();
        assertThatThrownBy(() -> rig.record(P0, 0).fail(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("cause");
        assertThatThrownBy(() -> rig.record(P0, 0).skip(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("reason");

        rig.complete(P0, 0);
    }

    @Test
    void failed_soughtToItsOffset_isTriedAgain() {
        deliver();
        rig.record(P0, 2).fail(cause);
        assertThatThrownBy(() -> rig.poll()).isInstanceOf(RecordFailedException.class);
        rig.consumer.seek(P0, 2);

        assertThat(Rig.offsets(rig.poll())).hasSize(8).startsWith(2L);
        rig.completeAll(P0, 2, 9);
        rig.consumer.commitSync();
        assertThat(rig.sent(P0)).containsExactly(10L);
    }

    @Test
    void failed_soughtPastIt_isGivenUp() {
        deliver();
        rig.record(P0, 2).fail(cause);
        rig.consumer.seek(P0, 3);

        assertThat(Rig.offsets(rig.poll())).hasSize(7).startsWith(3L);
    }

    @Test
    void failedAndRevoked_isForgotten() {
        deliver();
        rig.complete(P0, 0);
        rig.kafka.insideNextPoll(() -> {
            rig.record(P0, 1).fail(cause);
            rig.kafka.rebalanceCooperatively(P1);
        });
        rig.tick();
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(1L);
    }

    @Test
    void failureOfAnEarlierIncarnation_doesNotStopTheConsumer() {
        deliver();
        TrackedRecord<String, String> late = rig.record(P0, 2);
        rig.consumer.seek(P0, 0);

        assertThat(late.fail(cause)).isEqualTo(IGNORED);
        assertThat(rig.poll()).hasSize(10);
    }

    @Test
    void executorThatRejects_theRecordIsNotCommittedAndTheRestComesAgain() {
        Rig atOnce = Rig.committing(CommitPolicy.afterProcessing()).subscribed(P0);
        atOnce.kafka.records(P0, 0, 4);
        int[] room = {2};
        Executor workers = task -> {
            if (room[0]-- <= 0) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        };
        assertThatThrownBy(() -> {
                    for (TrackedRecord<String, String> record : atOnce.consumer.poll(Duration.ZERO)) {
                        workers.execute(record::complete);
                    }
                })
                .isInstanceOf(RejectedExecutionException.class);

        assertThat(Rig.offsets(atOnce.poll())).containsExactly(3L, 4L);
        atOnce.complete(P0, 3, 4);
        atOnce.tick();
        assertThat(atOnce.sent(P0)).containsExactly(2L);
        CloseResult closed = atOnce.consumer.close(Duration.ofSeconds(1));
        assertThat(closed.abandoned()).isEqualTo(1);
        assertThat(atOnce.stored(P0)).isEqualTo(2);
    }

    @Test
    void handlerThatThrowsWithoutReporting_itsRecordHoldsBackForEver() {
        Rig atOnce = Rig.committing(CommitPolicy.afterProcessing()).subscribed(P0);
        atOnce.kafka.records(P0, 0, 4);
        for (TrackedRecord<String, String> record : atOnce.consumer.poll(Duration.ZERO)) {
            try {
                if (record.offset() == 1) {
                    throw new IllegalStateException("handler");
                }
                record.complete();
            } catch (IllegalStateException e) {
                // nobody reports it
            }
        }
        atOnce.tick(Duration.ofMinutes(1));

        assertThat(atOnce.sent(P0)).containsExactly(1L);
        assertThat(atOnce.status(P0).lowestIncompleteOffset()).hasValue(1);
        assertThat(atOnce.status(P0).completedAhead()).isEqualTo(3);
    }

    @Test
    void internalError_stopsTheConsumerWithoutCommittingPastTheRecords() {
        Rig broken = Rig.committingAtOnce().subscribed(P0, P1);
        broken.kafka.records(P0, 0, 1);
        broken.kafka.records(P1, 0, 1);
        broken.poll();
        broken.complete(P0, 0);
        broken.complete(P1, 0);
        // There is no offset after the one of this record: it can't be registered.
        broken.kafka.interceptor = records -> withLastOffsetThereIs();

        assertThatThrownBy(() -> broken.poll())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("9223372036854775807");
        int commits = broken.kafka.commits.size();
        assertThatThrownBy(() -> broken.poll())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this consumer has stopped after an internal error; close it")
                .hasCauseInstanceOf(IllegalArgumentException.class);
        broken.consumer.commitSync();
        CloseResult closed = broken.consumer.close(Duration.ZERO);
        assertThat(broken.kafka.commits).hasSize(commits);
        assertThat(broken.record(P0, 1).complete()).isEqualTo(IGNORED);
        assertThat(broken.kafka.isClosed()).isTrue();
        assertThat(closed.failures()).isEmpty();
    }

    private static ConsumerRecords<String, String> withLastOffsetThereIs() {
        return new ConsumerRecords<>(
                Map.of(P0, List.of(new ConsumerRecord<>("topic", 0, Long.MAX_VALUE, "k", "v"))), Map.of());
    }

    @Test
    void executorThatRejectsKafkasOwnRecords_theRestStaysIncompleteAndCloseIsBounded() {
        Rig atOnce = Rig.committing(CommitPolicy.afterProcessing()).subscribed(P0);
        atOnce.kafka.records(P0, 0, 4);
        int[] room = {2};
        Executor workers = task -> {
            if (room[0]-- <= 0) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        };
        TrackedRecords<String, String> polled = atOnce.consumer.poll(Duration.ZERO);
        assertThatThrownBy(() -> {
                    for (ConsumerRecord<String, String> record : polled.consumerRecords()) {
                        workers.execute(() -> polled.complete(record));
                    }
                })
                .isInstanceOf(RejectedExecutionException.class);
        atOnce.tick(Duration.ofHours(1));
        assertThat(atOnce.status(P0).incomplete()).isEqualTo(3);
        Duration before = atOnce.time.elapsed();
        CloseResult closed = atOnce.consumer.close(Duration.ofSeconds(4));

        assertThat(atOnce.time.elapsed().minus(before)).isLessThanOrEqualTo(Duration.ofSeconds(4));
        assertThat(closed.abandoned()).isEqualTo(3);
        assertThat(atOnce.stored(P0)).isEqualTo(2);
    }

    static Stream<Throwable> notKafkas() {
        return Stream.of(new StackOverflowError("deserializer"), new IllegalStateException("interceptor"));
    }

    @ParameterizedTest
    @MethodSource("notKafkas")
    void kafkasPollThrowsAfterItTookRecords_theyAreReadAgainAndNotPassed(Throwable thrown) {
        Rig atOnce = Rig.committing(CommitPolicy.afterProcessing()).subscribed(P0, P1);
        atOnce.kafka.records(P0, 0, 4);
        atOnce.poll();
        atOnce.completeAll(P0, 0, 2);
        atOnce.kafka.records(P0, 5, 9);
        atOnce.kafka.throwAfterNext(POLL, () -> thrown);
        assertThatThrownBy(() -> atOnce.poll()).isSameAs(thrown);
        atOnce.kafka.records(P0, 10, 14);

        assertThat(Rig.offsets(atOnce.poll())).containsExactly(5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L, 13L, 14L);
        atOnce.complete(P0, 3, 4);
        atOnce.completeAll(P0, 6, 14);
        atOnce.tick();
        atOnce.tick();
        assertThat(atOnce.stored(P0)).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("notKafkas")
    void kafkasPollThrowsAndTheStartIsNotKnown_stopsTheConsumerWithoutCommitting(Throwable thrown) {
        Rig atOnce = Rig.committing(CommitPolicy.afterProcessing()).subscribed(P0);
        atOnce.kafka.records(P0, 0, 4);
        atOnce.kafka.throwAfterNext(POLL, () -> thrown);
        assertThatThrownBy(() -> atOnce.poll()).isSameAs(thrown);

        assertThatThrownBy(() -> atOnce.poll())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this consumer has stopped after an internal error; close it")
                .hasCause(thrown);
        atOnce.consumer.close(Duration.ofSeconds(1));
        assertThat(atOnce.kafka.commits).isEmpty();
    }

    @Test
    void kafkasPollThrowsAndTheStartWasStored_goesOnFromThere() {
        Rig atOnce = Rig.committing(CommitPolicy.afterProcessing()).subscribed(P0);
        atOnce.kafka.storedOffset(P0, 2);
        atOnce.kafka.records(P0, 0, 4);
        StackOverflowError thrown = new StackOverflowError("deserializer");
        atOnce.kafka.throwAfterNext(POLL, () -> thrown);
        assertThatThrownBy(() -> atOnce.poll()).isSameAs(thrown);

        assertThat(Rig.offsets(atOnce.poll())).containsExactly(2L, 3L, 4L);
    }
}
