package dev.offsets.kafka;

import static dev.offsets.Receipt.IGNORED;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What close waits for, commits, answers, and leaves behind. */
class CloseTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    private final Rig rig = Rig.committingOnlyAtTheEnd().subscribed(P0, P1);

    private void deliver() {
        rig.kafka.records(P0, 0, 9);
        rig.kafka.records(P1, 0, 9);
        rig.poll();
    }

    @Test
    void allFinished_closesAtOnceWithOneCommit() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.completeAll(P1, 0, 9);
        Duration before = rig.time.elapsed();
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(rig.time.elapsed()).isEqualTo(before);
        assertThat(rig.kafka.commits).hasSize(1);
        assertThat(rig.sent(SYNC, P0)).containsExactly(10L);
        assertThat(rig.sent(SYNC, P1)).containsExactly(10L);
        assertThat(rig.kafka.isClosed()).isTrue();
        assertThat(closed.drained()).isZero();
        assertThat(closed.abandoned()).isZero();
        assertThat(closed.failures()).isEmpty();
        assertThat(closed.partitions().get(P0).committedOffset()).hasValue(10);
    }

    @Test
    void neverPolled_closes() {
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(closed.partitions()).isEmpty();
        assertThat(closed.failures()).isEmpty();
        assertThat(rig.kafka.isClosed()).isTrue();
    }

    @Test
    void workRuns_itIsWaitedForWhilePollingWithEverythingPaused() {
        deliver();
        rig.kafka.records(P0, 10, 19);
        rig.completeAll(P0, 0, 9);
        rig.time.after(Duration.ofSeconds(2), () -> rig.completeAll(P1, 0, 9));
        rig.kafka.polls.clear();
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(rig.kafka.polls).hasSizeBetween(150, 250);
        assertThat(rig.sent(P0)).containsExactly(10L);
        assertThat(rig.sent(P1)).containsExactly(10L);
        assertThat(closed.drained()).isEqualTo(10);
        assertThat(closed.abandoned()).isZero();
        assertThat(rig.time.elapsed()).isLessThan(Duration.ofMillis(2_020));
    }

    /** Kafka's classic consumer would join again, and be the one that replaces the other. */
    @Test
    void anotherMemberHasItsInstanceId_workIsWaitedForWithoutPolling() {
        deliver();
        rig.kafka.failNextPoll(() -> new FencedInstanceIdException("replaced"));
        assertThatThrownBy(rig::poll).isInstanceOf(FencedInstanceIdException.class);
        rig.time.after(Duration.ofSeconds(2), () -> rig.completeAll(P0, 0, 9));
        rig.time.after(Duration.ofSeconds(3), () -> rig.completeAll(P1, 0, 9));
        rig.kafka.polls.clear();
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(rig.kafka.polls).isEmpty();
        assertThat(closed.drained()).isEqualTo(20);
        assertThat(rig.kafka.isClosed()).isTrue();
    }

    @Test
    void workHangs_theWaitIsBoundedAndLeavesTimeForTheCommit() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.complete(P0, 7, 8);
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(rig.time.elapsed()).isEqualTo(TIMEOUT.minusSeconds(2));
        assertThat(rig.kafka.closeTimeout).isEqualTo(Duration.ofSeconds(2));
        assertThat(rig.sent(P0)).containsExactly(5L);
        assertThat(closed.drained()).isZero();
        assertThat(closed.abandoned()).isEqualTo(13);
        assertThat(closed.partitions().get(P0).incomplete()).isEqualTo(3);
        assertThat(closed.partitions().get(P0).completedAhead()).isEqualTo(2);
        assertThat(rig.record(P0, 5).complete()).isEqualTo(IGNORED);
    }

    @Test
    void commitInFlightThatIsNeverAnswered_theNewestOffsetsAreCommittedInTime() {
        Rig busy = Rig.committingAtOnce().subscribed(P0);
        busy.kafka.records(P0, 0, 9);
        busy.poll();
        busy.kafka.holdAnswers();
        busy.complete(P0, 0);
        busy.tick();
        busy.complete(P0, 1);
        Duration before = busy.time.elapsed();
        busy.completeAll(P0, 2, 9);
        CloseResult closed = busy.consumer.close(TIMEOUT);

        assertThat(busy.time.elapsed()).isEqualTo(before);
        assertThat(busy.sent(P0)).containsExactly(1L, 10L);
        assertThat(busy.sent(SYNC, P0)).containsExactly(10L);
        assertThat(closed.partitions().get(P0).committedOffset()).hasValue(10);
        assertThat(closed.failures()).isEmpty();
    }

    @Test
    void recordsNotHandedOut_areNotWaitedFor() {
        rig.kafka.records(P0, 0, 9);
        rig.pollAndLeaveAfter(2);
        rig.complete(P0, 0, 1);
        Duration before = rig.time.elapsed();
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(rig.time.elapsed()).isEqualTo(before);
        assertThat(rig.stored(P0)).isEqualTo(2);
        assertThat(closed.abandoned()).isEqualTo(8);
    }

    @Test
    void noTimeAtAll_whatFinishedIsStillCommitted() {
        deliver();
        rig.completeAll(P0, 0, 4);
        CloseResult closed = rig.consumer.close(Duration.ZERO);

        assertThat(rig.sent(SYNC, P0)).containsExactly(5L);
        assertThat(closed.abandoned()).isEqualTo(15);
        assertThat(rig.kafka.isClosed()).isTrue();
    }

    @Test
    void withoutATimeout_theDrainTimeoutBounds() {
        deliver();
        rig.consumer.close();

        assertThat(rig.time.elapsed()).isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void closedAgain_doesNothingAndAnswersTheSame() {
        deliver();
        rig.completeAll(P0, 0, 4);
        CloseResult first = rig.consumer.close(Duration.ZERO);
        int commits = rig.kafka.commits.size();

        assertThat(rig.consumer.close(TIMEOUT)).isSameAs(first);
        rig.consumer.close();
        assertThat(rig.kafka.commits).hasSize(commits);
    }

    @Test
    void used_afterClose_isRefused() {
        deliver();
        rig.consumer.close(Duration.ZERO);

        assertThat(rig.record(P0, 5).complete()).isEqualTo(IGNORED);
        assertThat(rig.record(P0, 5).tryStart()).isFalse();
        assertThat(rig.consumer.status()).isEmpty();
        rig.consumer.wakeup();
        for (Executable call : List.<Executable>of(
                () -> rig.consumer.poll(Duration.ZERO),
                () -> rig.consumer.commitSync(),
                () -> rig.consumer.commitSync(Duration.ZERO),
                () -> rig.consumer.seek(P0, 0),
                () -> rig.consumer.seekToBeginning(List.of()),
                () -> rig.consumer.seekToEnd(List.of()),
                () -> rig.consumer.subscribe(List.of("topic")),
                () -> rig.consumer.subscribe(Pattern.compile("t")),
                () -> rig.consumer.assign(List.of(P0)),
                () -> rig.consumer.unsubscribe(),
                () -> rig.consumer.pause(List.of(P0)),
                () -> rig.consumer.resume(List.of(P0)),
                () -> rig.consumer.paused(),
                () -> rig.consumer.assignment(),
                () -> rig.consumer.groupMetadata())) {
            assertThatThrownBy(call::execute)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("this consumer has been closed");
        }
        assertThat(rig.kafka.commits).isEmpty();
    }

    @Test
    void negativeTimeout_isRefusedAndNothingIsClosed() {
        assertThatThrownBy(() -> rig.consumer.close(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeout is PT-0.001S: it must be zero or more");
        assertThatThrownBy(() -> rig.consumer.close(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("timeout");
        assertThat(rig.kafka.isClosed()).isFalse();
    }

    @Test
    void lastCommitFails_isInTheResultAndNotThrown() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.completeAll(P1, 0, 9);
        CommitFailedException failure = new CommitFailedException("no");
        rig.kafka.failNextSync(() -> failure);
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(closed.failures()).containsExactly(failure);
        assertThat(closed.partitions().get(P0).committedOffset()).isEmpty();
        assertThat(closed.partitions().get(P0).committableOffset()).isEqualTo(10);
        assertThat(rig.kafka.isClosed()).isTrue();
    }

    @Test
    void kafkasCloseFails_isInTheResultAndNotThrown() {
        rig.kafka.closeFailure = new KafkaException("close");

        assertThat(rig.consumer.close(TIMEOUT).failures()).containsExactly(rig.kafka.closeFailure);
    }

    @Test
    void pollFailsWhileClosing_theWaitGoesOnWithoutPolling() {
        deliver();
        KafkaException failure = new KafkaException("poll");
        rig.kafka.failNextPoll(() -> failure);
        rig.kafka.polls.clear();
        rig.time.after(Duration.ofSeconds(1), () -> rig.completeAll(P0, 0, 9));
        rig.time.after(Duration.ofSeconds(2), () -> rig.completeAll(P1, 0, 9));
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(rig.kafka.polls).hasSize(1);
        assertThat(closed.failures()).containsExactly(failure);
        assertThat(closed.drained()).isEqualTo(20);
        assertThat(rig.stored(P0)).isEqualTo(10);
        assertThat(rig.stored(P1)).isEqualTo(10);
    }

    @Test
    void failedRecord_isInTheResult() {
        deliver();
        rig.completeAll(P0, 0, 4);
        Exception cause = new Exception("cause");
        rig.record(P0, 5).fail(cause);
        CloseResult closed = rig.consumer.close(Duration.ZERO);

        assertThat(closed.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .isInstanceOf(RecordFailedException.class)
                        .hasCause(cause));
        assertThat(rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void recordFailsWhileClosing_othersAreWaitedForAllTheSame() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.time.after(Duration.ofSeconds(1), () -> rig.record(P1, 5).fail(new Exception()));
        rig.time.after(Duration.ofSeconds(2), () -> {
            rig.completeAll(P1, 0, 4);
            rig.completeAll(P1, 6, 9);
        });
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(rig.stored(P1)).isEqualTo(5);
        assertThat(closed.failures()).hasSize(1);
        assertThat(rig.time.elapsed()).isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void listenerThatThrowsWhileClosing_isInTheResult() {
        Rig listening = Rig.committingOnlyAtTheEnd();
        IllegalStateException failure = new IllegalStateException("listener");
        listening.subscribed(
                new Rig.Quiet() {
                    @Override
                    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                        throw failure;
                    }
                },
                P0);
        listening.tick();

        assertThat(listening.consumer.close(TIMEOUT).failures()).containsExactly(failure);
        assertThat(listening.kafka.isClosed()).isTrue();
    }

    @Test
    void listenerThatClosesOrPollsWhileClosing_isRefused() {
        Rig listening = Rig.committingOnlyAtTheEnd();
        listening.subscribed(
                new Rig.Quiet() {
                    @Override
                    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                        assertThatThrownBy(() -> listening.consumer.poll(Duration.ZERO))
                                .isInstanceOf(IllegalStateException.class);
                        listening.consumer.close();
                    }
                },
                P0);
        listening.tick();

        assertThat(listening.consumer.close(TIMEOUT).failures())
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "close was called from within another call of this consumer, by a listener or a commit policy");
        assertThat(listening.kafka.isClosed()).isTrue();
    }

    @Test
    void listenerInsideClose_isToldAfterTheCommit() {
        Rig listening = Rig.committingOnlyAtTheEnd();
        listening.subscribed(
                new Rig.Quiet() {
                    @Override
                    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                        assertThat(listening.stored(P0)).isEqualTo(1);
                        assertThat(listening.consumer.assignment()).containsExactly(P0);
                        listening.consumer.commitSync();
                    }
                },
                P0);
        listening.kafka.records(P0, 0, 0);
        listening.poll();
        listening.complete(P0, 0);

        assertThat(listening.consumer.close(TIMEOUT).failures()).isEmpty();
        assertThat(listening.kafka.commits).hasSize(1);
    }

    @Test
    void listenerThatFailedBeforeClose_isInTheResult() {
        Rig listening = Rig.committingOnlyAtTheEnd();
        IllegalStateException failure = new IllegalStateException("listener");
        listening.subscribed(
                new Rig.Quiet() {
                    @Override
                    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                        throw failure;
                    }
                },
                P0);
        listening.tick();

        assertThat(listening.consumer.close(TIMEOUT).failures()).containsExactly(failure);
    }

    @Test
    void partitionAssignedWhileClosing_isPausedAndDeliversNothing() {
        deliver();
        var p2 = new TopicPartition("topic", 2);
        rig.kafka.records(p2, 0, 9);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0, P1, p2));
        rig.time.after(Duration.ofSeconds(1), () -> rig.completeAll(P0, 0, 9));
        rig.time.after(Duration.ofSeconds(1), () -> rig.completeAll(P1, 0, 9));
        rig.consumer.close(TIMEOUT);

        assertThat(rig.sent(p2)).isEmpty();
        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void tryWithResources_keepsTheExceptionThatIsOnItsWay() {
        deliver();
        rig.complete(P0, 0);
        rig.kafka.failNextSync(() -> new CommitFailedException("no"));

        assertThatThrownBy(() -> {
                    try (TrackedConsumer<String, String> consumer = rig.consumer) {
                        consumer.wakeup();
                        throw new IllegalStateException("on its way");
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("on its way")
                .hasNoSuppressedExceptions();
    }

    @Test
    void revocationWhileClosing_leavesTimeForTheCommit() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.consumer.close(Duration.ofSeconds(4));

        assertThat(rig.stored(P0)).isEqualTo(5);
        assertThat(rig.kafka.shortestSyncTimeout).isGreaterThan(Duration.ofMillis(900));
        assertThat(rig.time.elapsed()).isLessThanOrEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void partitionRevokedWhileClosing_itsRecordsAreNotCountedAsDrained() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P1, 0, 8);
        rig.kafka.insideNextPoll(() -> rig.kafka.lose(P0));
        rig.time.after(Duration.ofSeconds(1), () -> rig.complete(P1, 9));
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(closed.drained()).isEqualTo(1);
        assertThat(closed.partitions()).containsOnlyKeys(P1);
    }

    @Test
    void partitionRevokedWhileClosing_itsUnfinishedRecordsAreCountedAsAbandoned() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P1, 0, 8);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(closed.abandoned()).isEqualTo(6);
        assertThat(closed.drained()).isZero();
    }

    @Test
    void partitionLostWhileClosing_itsUnfinishedRecordsAreCountedAsAbandoned() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P1, 0, 8);
        rig.kafka.insideNextPoll(() -> rig.kafka.lose(P0));
        rig.time.after(Duration.ofSeconds(1), () -> rig.complete(P1, 9));
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(closed.abandoned()).isEqualTo(5);
        assertThat(closed.drained()).isEqualTo(1);
    }

    @Test
    void partitionRevokedWhileClosing_itsRecordsNotHandedOutAreCountedAsAbandonedToo() {
        rig.kafka.records(P0, 0, 9);
        rig.pollAndLeaveAfter(2);
        rig.kafka.records(P1, 0, 0);
        rig.complete(P0, 0);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(closed.abandoned()).isEqualTo(9);
    }

    @Test
    void partitionRevokedWhileClosing_itsFailedRecordIsCountedAsAbandonedToo() {
        deliver();
        rig.record(P0, 0).fail(new Exception("cause"));
        rig.completeAll(P0, 1, 8);
        rig.completeAll(P1, 0, 9);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        CloseResult closed = rig.consumer.close(TIMEOUT);

        assertThat(closed.abandoned()).isEqualTo(2);
    }
}
