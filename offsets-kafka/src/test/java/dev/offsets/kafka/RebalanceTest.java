package dev.offsets.kafka;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Call.ASSIGN;
import static dev.offsets.kafka.SimulatedConsumer.Kind.ASYNC;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.junit.jupiter.api.Test;

/** Partitions that are revoked, lost, assigned again: what is waited for, committed, fenced, and told to the user. */
class RebalanceTest {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    /** Writes down what it is told, and does what a test wants of it. */
    private static final class Recorder implements ConsumerRebalanceListener {
        final List<String> told = new ArrayList<>();
        Runnable onRevoked = () -> {};
        Runnable onAssigned = () -> {};
        Runnable onLost = () -> {};

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            told.add("revoked " + List.copyOf(partitions));
            onRevoked.run();
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            told.add("assigned " + List.copyOf(partitions));
            onAssigned.run();
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            told.add("lost " + List.copyOf(partitions));
            onLost.run();
        }
    }

    private final Recorder listener = new Recorder();
    private final Rig rig = Rig.committingOnlyAtTheEnd().subscribed(listener, P0, P1);

    private void deliver() {
        rig.kafka.records(P0, 0, 9);
        rig.kafka.records(P1, 0, 9);
        rig.poll();
    }

    private void revokeP0() {
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.tick();
    }

    @Test
    void revoked_whatFinishedIsCommittedAtOnce() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.complete(P1, 0);
        Duration before = rig.time.elapsed();
        revokeP0();

        assertThat(rig.sent(SYNC, P0)).containsExactly(10L);
        assertThat(rig.sent(P1)).isEmpty();
        assertThat(rig.time.elapsed()).isEqualTo(before);
        assertThat(rig.consumer.status()).containsOnlyKeys(P1);
    }

    @Test
    void revokedWhileWorkRuns_itIsWaitedForAndCommitted() {
        deliver();
        rig.completeAll(P0, 0, 7);
        rig.time.after(Duration.ofSeconds(3), () -> rig.complete(P0, 8));
        rig.time.after(Duration.ofSeconds(4), () -> rig.complete(P0, 9));
        Duration before = rig.time.elapsed();
        revokeP0();

        assertThat(rig.sent(SYNC, P0)).containsExactly(10L);
        assertThat(rig.time.elapsed().minus(before)).isBetween(Duration.ofSeconds(4), Duration.ofMillis(4_005));
    }

    @Test
    void revokedWhileWorkHangs_theWaitIsBoundedAndWhatFinishedIsCommitted() {
        deliver();
        rig.complete(P0, 0, 1, 9);
        Duration before = rig.time.elapsed();
        revokeP0();

        assertThat(rig.sent(SYNC, P0)).containsExactly(2L);
        assertThat(rig.time.elapsed().minus(before)).isEqualTo(DRAIN);
        assertThat(rig.record(P0, 2).complete()).isEqualTo(IGNORED);
        assertThat(rig.record(P0, 2).tryStart()).isFalse();
        assertThat(rig.record(P0, 3).fail(new Exception("late"))).isEqualTo(IGNORED);
        assertThat(rig.record(P0, 4).skip("late")).isEqualTo(IGNORED);
        rig.tick(Duration.ofMinutes(5));
        assertThat(rig.sent(P0)).containsExactly(2L);
    }

    @Test
    void revoked_recordsNotYetHandedOutAreNotWaitedFor() {
        rig.kafka.records(P0, 0, 9);
        rig.pollAndLeaveAfter(2);
        rig.complete(P0, 0, 1);
        Duration before = rig.time.elapsed();
        revokeP0();

        assertThat(rig.time.elapsed()).isEqualTo(before);
        assertThat(rig.sent(SYNC, P0)).containsExactly(2L);
    }

    @Test
    void revokedInTheMiddleOfALoop_handedOutRecordsAreWaitedFor() {
        rig.kafka.records(P0, 0, 9);
        rig.pollAndLeaveAfter(2);
        rig.time.after(Duration.ofSeconds(2), () -> rig.complete(P0, 0, 1));
        revokeP0();

        assertThat(rig.sent(SYNC, P0)).containsExactly(2L);
    }

    @Test
    void revokedWithDoubledRecordsNotHandedOut_workOnAnotherPartitionIsWaitedFor() {
        PollResultTest.doubleEveryRecord(rig);
        rig.kafka.records(P0, 0, 0);
        rig.kafka.records(P1, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.time.after(Duration.ofSeconds(1), () -> rig.complete(P0, 0));
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());
        rig.tick();

        assertThat(rig.sent(SYNC, P0)).containsExactly(1L);
    }

    @Test
    void revokedWithFailedRecords_theyAreNotWaitedForNorCommitted() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P0, 6, 9);
        rig.time.after(
                Duration.ofMillis(5),
                () -> rig.record(P0, 5).fail(new Exception("failed while the partition is taken")));
        Duration before = rig.time.elapsed();
        revokeP0();

        assertThat(rig.sent(SYNC, P0)).containsExactly(5L);
        assertThat(rig.time.elapsed().minus(before)).isLessThan(Duration.ofSeconds(1));
        rig.tick();
    }

    @Test
    void explicitStarts_onlyStartedRecordsAreWaitedFor() {
        Rig explicit = Rig.with(builder -> builder.explicitStarts()).subscribed(P0);
        explicit.kafka.records(P0, 0, 9);
        explicit.poll();
        assertThat(explicit.record(P0, 0).tryStart()).isTrue();
        assertThat(explicit.record(P0, 1).tryStart()).isTrue();
        assertThat(explicit.record(P0, 1).tryStart()).isFalse();
        List<Boolean> startedWhileTaken = new ArrayList<>();
        explicit.time.after(
                Duration.ofSeconds(1),
                () -> startedWhileTaken.add(explicit.record(P0, 2).tryStart()));
        explicit.time.after(Duration.ofSeconds(2), () -> explicit.complete(P0, 0, 1));
        Duration before = explicit.time.elapsed();
        explicit.kafka.insideNextPoll(() -> explicit.kafka.rebalanceCooperatively());
        explicit.tick();

        assertThat(explicit.sent(SYNC, P0)).containsExactly(2L);
        assertThat(startedWhileTaken).containsExactly(false);
        assertThat(explicit.time.elapsed().minus(before)).isLessThan(Duration.ofMillis(2_005));
        assertThat(explicit.record(P0, 2).tryStart()).isFalse();
    }

    @Test
    void drainTimeoutOfZero_commitsWithoutWaiting() {
        Rig impatient = Rig.with(builder -> builder.drainTimeout(Duration.ZERO)).subscribed(P0);
        impatient.kafka.records(P0, 0, 9);
        impatient.poll();
        impatient.complete(P0, 0);
        Duration before = impatient.time.elapsed();
        impatient.kafka.insideNextPoll(() -> impatient.kafka.rebalanceCooperatively());
        impatient.tick();

        assertThat(impatient.sent(SYNC, P0)).containsExactly(1L);
        assertThat(impatient.time.elapsed()).isEqualTo(before);
    }

    @Test
    void lastCommitFails_thePartitionIsGoneAllTheSame() {
        for (RuntimeException failure :
                List.of(new RebalanceInProgressException(), new CommitFailedException("generation"))) {
            Rig failing = Rig.committingOnlyAtTheEnd().subscribed(P0);
            failing.kafka.records(P0, 0, 1);
            failing.poll();
            failing.complete(P0, 0);
            failing.kafka.failNextSync(() -> failure);
            failing.kafka.insideNextPoll(() -> failing.kafka.rebalanceCooperatively());
            failing.time.after(DRAIN, () -> {});
            failing.tick();
            failing.consumer.commitSync();

            assertThat(failing.sent(P0)).containsExactly(1L);
            assertThat(failing.record(P0, 1).complete()).isEqualTo(IGNORED);
        }
    }

    @Test
    void listenerOnRevocation_isToldAfterDrainAndCommit() {
        deliver();
        rig.completeAll(P0, 0, 8);
        rig.time.after(Duration.ofSeconds(1), () -> rig.complete(P0, 9));
        List<Object> seen = new ArrayList<>();
        listener.onRevoked = () -> {
            seen.add(rig.stored(P0));
            seen.add(rig.record(P0, 9).complete());
            seen.add(rig.consumer.status().keySet());
        };
        revokeP0();

        assertThat(listener.told).containsExactly("assigned [topic-0, topic-1]", "revoked [topic-0]", "assigned []");
        assertThat(seen).containsExactly(10L, IGNORED, Set.of(P1));
    }

    @Test
    void lost_nothingIsWaitedForNorCommitted() {
        deliver();
        rig.completeAll(P0, 0, 8);
        rig.kafka.insideNextPoll(() -> rig.kafka.lose(P0));
        Duration before = rig.time.elapsed();
        rig.tick();

        assertThat(rig.time.elapsed()).isEqualTo(before);
        assertThat(rig.sent(P0)).isEmpty();
        assertThat(rig.record(P0, 9).complete()).isEqualTo(IGNORED);
        assertThat(listener.told).containsExactly("assigned [topic-0, topic-1]", "lost [topic-0]");
        rig.consumer.close();
        assertThat(rig.sent(P0)).isEmpty();
    }

    @Test
    void revokedAndThenReportedAsLostToo_nothingMoreHappens() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.kafka.insideNextPoll(() -> {
            rig.kafka.rebalanceCooperatively(P1);
            rig.kafka.lose(P0);
        });
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(10L);
        assertThat(rig.consumer.status()).containsOnlyKeys(P1);
    }

    @Test
    void partitionThatComesBack_isANewIncarnation() {
        deliver();
        rig.completeAll(P0, 0, 3);
        TrackedRecord<String, String> late = rig.record(P0, 4);
        revokeP0();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0, P1));
        assertThat(Rig.names(rig.poll()))
                .containsExactly("topic-0@4", "topic-0@5", "topic-0@6", "topic-0@7", "topic-0@8", "topic-0@9");

        assertThat(late.complete()).isEqualTo(IGNORED);
        rig.consumer.commitSync();
        assertThat(rig.sent(P0)).containsExactly(4L);
        assertThat(rig.record(P0, 4).complete()).isEqualTo(ACCEPTED);
        rig.consumer.commitSync();
        assertThat(rig.sent(P0)).containsExactly(4L, 5L);
        assertThat(rig.sent(ASYNC, P0)).isEmpty();
    }

    @Test
    void othersPartitions_goOnThroughACooperativeRebalance() {
        deliver();
        TrackedRecord<String, String> kept = rig.record(P1, 0);
        revokeP0();

        assertThat(kept.complete()).isEqualTo(ACCEPTED);
        rig.consumer.commitSync();
        assertThat(rig.sent(P1)).containsExactly(1L);
    }

    @Test
    void cooperativeCallbacksWithNothing_andRevocationsAlone_neverHoldCommitsBack() {
        Rig atOnce = Rig.committingAtOnce().subscribed(listener, P0, P1);
        atOnce.kafka.records(P0, 0, 9);
        atOnce.kafka.records(P1, 0, 9);
        atOnce.poll();
        atOnce.kafka.insideNextPoll(() -> atOnce.kafka.listener().onPartitionsAssigned(List.of()));
        atOnce.tick();
        atOnce.complete(P1, 0);
        atOnce.tick();
        assertThat(atOnce.sent(P1)).containsExactly(1L);

        atOnce.kafka.insideNextPoll(() -> {
            atOnce.kafka.listener().onPartitionsRevoked(List.of(P0));
            atOnce.kafka.leave(List.of(P0));
        });
        atOnce.tick();
        atOnce.complete(P1, 1);
        atOnce.tick();

        assertThat(atOnce.sent(P1)).containsExactly(1L, 2L);
        assertThat(atOnce.sent(P0)).isEmpty();
    }

    @Test
    void assignedAndRevokedAThousandTimes_nothingIsKeptOfWhatHasGone() {
        Rig churning = Rig.with(builder -> builder.commitPolicy(CommitPolicy.timeBounded(Duration.ofDays(1)))
                        .drainTimeout(Duration.ZERO))
                .subscribed(P0, P1);
        churning.kafka.records(P0, 0, 9);
        churning.kafka.records(P1, 0, 9);
        List<WeakReference<Object>> gone = new ArrayList<>();
        TrackedRecord<String, String> late = null;
        for (int cycle = 0; cycle < 1_000; cycle++) {
            for (TrackedRecord<String, String> record : churning.consumer.poll(Duration.ZERO)) {
                late = record;
                gone.add(new WeakReference<>(record));
            }
            // Objects of their own, so that whatever still mentions the partition shows
            TopicPartition first = new TopicPartition(Rig.TOPIC, 0);
            TopicPartition second = new TopicPartition(Rig.TOPIC, 1);
            gone.add(new WeakReference<>(first));
            gone.add(new WeakReference<>(second));
            churning.kafka.insideNextPoll(() -> churning.kafka.rebalanceEagerly(first, second));
        }
        churning.poll();
        churning.kafka.insideNextPoll(() -> churning.kafka.rebalanceEagerly(P0, P1));
        churning.poll();

        assertThat(late.complete()).isEqualTo(IGNORED);
        TrackedRecord<String, String> kept = late;
        gone.removeIf(reference -> reference.refersTo(kept));
        gone.subList(gone.size() - 100, gone.size()).clear(); // what the kept one, and the test's own rig, may hold
        awaitCollected(gone);
    }

    /** What nobody holds is collected after a few collections at the latest; what is still there then, somebody holds. */
    private static void awaitCollected(List<WeakReference<Object>> gone) {
        for (int collections = 0; collections < 20; collections++) {
            System.gc();
            if (gone.stream().allMatch(reference -> reference.get() == null)) {
                return;
            }
        }
        assertThat(gone).allMatch(reference -> reference.get() == null);
    }

    @Test
    void eagerRebalance_endsEveryIncarnation() {
        deliver();
        rig.complete(P1, 0);
        TrackedRecord<String, String> late = rig.record(P1, 1);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly(P1));
        assertThat(Rig.offsets(rig.poll())).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);

        assertThat(rig.sent(SYNC, P1)).containsExactly(1L);
        assertThat(late.complete()).isEqualTo(IGNORED);
    }

    @Test
    void listenerThatThrows_nextPollThrowsItBeforeFetching() {
        deliver();
        listener.onRevoked = () -> {
            throw new IllegalStateException("revoked");
        };
        listener.onAssigned = () -> {
            throw new IllegalArgumentException("assigned");
        };
        rig.completeAll(P0, 0, 9);
        rig.kafka.records(P1, 10, 10);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        assertThat(Rig.names(rig.poll())).containsExactly("topic-1@10");
        int polls = rig.kafka.polls.size();

        assertThatThrownBy(() -> rig.poll())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("revoked")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(rig.kafka.polls).hasSize(polls);
        assertThat(rig.sent(P0)).containsExactly(10L);
        rig.tick();
    }

    @Test
    void listenerThatThrowsAnError_isKeptToo() {
        listener.onAssigned = () -> {
            throw new AssertionError("assigned");
        };
        rig.tick();

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(AssertionError.class).hasMessage("assigned");
        rig.tick();
    }

    @Test
    void listenerThatThrowsWhileAPollWaits_thatPollThrowsIt() {
        deliver();
        listener.onRevoked = () -> {
            throw new IllegalStateException("revoked");
        };
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.time.after(Duration.ofMillis(1), () -> rig.completeAll(P0, 0, 9));

        assertThatThrownBy(() -> rig.poll(Duration.ofMinutes(1))).hasMessage("revoked");
        assertThat(rig.time.elapsed()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void listenerThatSeeksOnAssignment_wins() {
        rig.kafka.storedOffset(P0, 5);
        rig.kafka.records(P0, 0, 9);
        listener.onAssigned = () -> rig.consumer.seek(P0, 8);

        assertThat(Rig.offsets(rig.poll())).containsExactly(8L, 9L);
        rig.complete(P0, 8);
        rig.consumer.commitSync();
        assertThat(rig.sent(P0)).containsExactly(9L);
    }

    @Test
    void listenerThatSeeksToTheBeginningOnAssignment_theBeginningIsCommittedToo() {
        rig.kafka.storedOffset(P0, 5);
        rig.kafka.records(P0, 0, 9);
        listener.onAssigned = () -> rig.consumer.seekToBeginning(List.of(P0));
        rig.poll();
        rig.consumer.commitSync();

        assertThat(rig.sent(P0)).containsExactly(0L);
    }

    @Test
    void listenerThatSeeksARevokedPartition_leavesNothingBehind() {
        deliver();
        rig.completeAll(P0, 0, 9);
        listener.onRevoked = () -> rig.consumer.seek(P0, 3);
        revokeP0();
        rig.consumer.commitSync();

        assertThat(rig.sent(P0)).containsExactly(10L);
        assertThat(rig.consumer.status()).containsOnlyKeys(P1);
    }

    @Test
    void listenerThatCommits_isServed() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.complete(P1, 0);
        listener.onRevoked = () -> rig.consumer.commitSync();
        revokeP0();

        assertThat(rig.sent(P0)).containsExactly(10L);
        assertThat(rig.sent(P1)).containsExactly(1L);
    }

    @Test
    void missingListener_isRefused() {
        assertThatThrownBy(() -> rig.consumer.subscribe(List.of("topic"), null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("listener");
        assertThatThrownBy(() -> rig.consumer.subscribe(java.util.regex.Pattern.compile("t"), null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("listener");
    }

    @Test
    void unsubscribed_isAsRevoked() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.completeAll(P1, 0, 4);
        rig.consumer.unsubscribe();

        assertThat(rig.sent(SYNC, P0)).containsExactly(10L);
        assertThat(rig.sent(SYNC, P1)).containsExactly(5L);
        assertThat(rig.record(P1, 5).complete()).isEqualTo(IGNORED);
        assertThat(rig.consumer.status()).isEmpty();
    }

    @Test
    void assigned_partitionsThatAreLeftOutAreGivenUpAndOthersGoOn() {
        Rig manual = Rig.committingOnlyAtTheEnd();
        manual.consumer.assign(List.of(P0, P1));
        manual.kafka.records(P0, 0, 9);
        manual.kafka.records(P1, 0, 9);
        manual.poll();
        manual.complete(P0, 0, 1);
        manual.complete(P1, 0);
        manual.consumer.assign(List.of(P1));

        assertThat(manual.consumer.assignment()).containsExactly(P1);
        assertThat(manual.sent(SYNC, P0)).containsExactly(2L);
        assertThat(manual.record(P0, 2).complete()).isEqualTo(IGNORED);
        assertThat(manual.record(P1, 1).complete()).isEqualTo(ACCEPTED);
        manual.consumer.assign(List.of());
        assertThat(manual.sent(SYNC, P1)).containsExactly(2L);
        assertThat(manual.consumer.status()).isEmpty();
    }

    @Test
    void assignedAndUnsubscribed_whatFinishedIsCommitted() {
        Rig manual = Rig.committingOnlyAtTheEnd();
        manual.consumer.assign(List.of(P0));
        manual.kafka.records(P0, 0, 9);
        manual.poll();
        manual.completeAll(P0, 0, 9);
        manual.consumer.unsubscribe();

        assertThat(manual.sent(SYNC, P0)).containsExactly(10L);
        assertThat(manual.consumer.assignment()).isEmpty();
    }

    @Test
    void listenerThatPolls_isRefused() {
        listener.onAssigned = () -> rig.consumer.poll(Duration.ZERO);
        rig.tick();

        assertThatThrownBy(() -> rig.poll())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("poll was called from within another call of this consumer, by a listener or a"
                        + " commit policy");
        rig.tick();
    }

    @Test
    void listenerThatClosesInsidePoll_isRefused_andTheConsumerGoesOn() {
        rig.kafka.records(P0, 0, 0);
        listener.onAssigned = () -> rig.consumer.close();
        assertThat(rig.poll()).hasSize(1);

        assertThatThrownBy(() -> rig.poll())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("close was called from within another call of this consumer, by a listener or a"
                        + " commit policy");
        rig.complete(P0, 0);
        rig.consumer.close();
        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(rig.kafka.isClosed()).isTrue();
    }

    @Test
    void subscribedToNothing_isAsUnsubscribed_alsoAfterAssign() {
        Rig manual = Rig.committingOnlyAtTheEnd();
        manual.consumer.assign(List.of(P0));
        manual.kafka.records(P0, 0, 9);
        manual.poll();
        manual.completeAll(P0, 0, 9);
        manual.consumer.subscribe(List.of());

        assertThat(manual.sent(SYNC, P0)).containsExactly(10L);
        assertThat(manual.consumer.status()).isEmpty();
    }

    @Test
    void assignThatTakesEffectAndThrows_nothingIsCommittedForWhatLeft() {
        Rig manual = Rig.committingAtOnce();
        manual.consumer.assign(List.of(P0));
        manual.kafka.records(P0, 0, 9);
        List<TrackedRecord<String, String>> records = manual.poll();
        manual.kafka.throwAfterNext(ASSIGN, () -> new InterruptException("interrupted"));
        assertThatThrownBy(() -> manual.consumer.assign(List.of(P1))).isInstanceOf(InterruptException.class);
        assertThat(Thread.interrupted()).isTrue();

        assertThat(records).allSatisfy(record -> assertThat(record.complete()).isEqualTo(IGNORED));
        manual.kafka.records(P1, 0, 1);
        assertThat(Rig.names(manual.poll())).containsExactly("topic-1@0", "topic-1@1");
        manual.tick();
        manual.consumer.close(Duration.ZERO);
        assertThat(manual.sent(P0)).isEmpty();
        assertThat(manual.consumer.status()).doesNotContainKey(P0);
    }

    @Test
    void tryStartWithoutExplicitStarts_revokedWorkThatStartsLateIsDoneAndCommitted() {
        deliver();
        rig.completeAll(P1, 0, 9);
        rig.time.after(Duration.ofMillis(5), () -> {
            for (int offset = 0; offset < 10; offset++) {
                TrackedRecord<String, String> record = rig.record(P0, offset);
                if (record.tryStart()) {
                    record.complete();
                }
            }
        });
        Duration before = rig.time.elapsed();
        revokeP0();

        assertThat(rig.time.elapsed().minus(before)).isLessThan(Duration.ofMillis(10));
        assertThat(rig.sent(SYNC, P0)).containsExactly(10L);
    }
}
