package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a listener is told, when, and what becomes of what it throws. */
class ListenerTest {
    private static final TopicPartition OTHER = new TopicPartition("other", 0);

    private final EventLog log = new EventLog();
    private final Rig rig = Rig.with(builder ->
                    builder.commitPolicy(CommitPolicy.afterProcessing()).listener(log))
            .subscribed(P0, P1);

    private void deliver() {
        rig.kafka.records(P0, 0, 4);
        rig.kafka.records(P1, 0, 4);
        rig.poll();
        log.events.clear();
    }

    @Test
    void listenerMissing_isRefused() {
        assertThatThrownBy(() -> Rig.with(builder -> builder.listener(null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("listener is null: give one, or leave it out");
    }

    @Test
    void listenerThatOverridesNothing_changesNothing() {
        Rig plain = Rig.with(builder ->
                        builder.commitPolicy(CommitPolicy.afterProcessing()).listener(new TrackedConsumerListener() {}))
                .subscribed(P0);
        plain.kafka.records(P0, 0, 2);
        plain.poll();
        plain.kafka.failNextAsync(new RetriableCommitFailedException("once"));
        plain.complete(P0, 0);
        plain.tick(Duration.ofSeconds(1));
        plain.kafka.insideNextPoll(() -> plain.kafka.lose(P0));
        plain.tick();

        assertThat(plain.stored(P0)).isEqualTo(1);
        assertThat(plain.consumer.close(Duration.ofSeconds(1)).failures()).isEmpty();
    }

    @Test
    void confirmedCommit_itsOffsetsAreTold() {
        deliver();
        rig.complete(P0, 0, 1, 3);
        rig.complete(P1, 0);
        assertThat(log.events).isEmpty();
        rig.tick();

        assertThat(log.events).containsExactly("committed {topic-0=2, topic-1=1}");
    }

    @Test
    void blockingCommit_isToldBeforeItReturns() {
        deliver();
        rig.complete(P0, 0);
        rig.consumer.commitSync();

        assertThat(log.events).containsExactly("committed {topic-0=1}");
    }

    @Test
    void failedCommit_isToldWithItsCauseAndThenTheOneThatSucceeds() {
        deliver();
        rig.kafka.failNextAsync(new RetriableCommitFailedException("once"));
        rig.complete(P0, 0);
        rig.tick();
        rig.complete(P0, 1);
        rig.tick(Duration.ofSeconds(1));
        rig.tick();

        assertThat(log.events).containsExactly("failed {topic-0=1} once", "committed {topic-0=2}");
    }

    @Test
    void commitThatThrowsAtOnce_isToldAsFailed() {
        deliver();
        rig.kafka.throwFromNextAsync(() -> new IllegalStateException("thrown"));
        rig.complete(P0, 0);
        rig.tick();

        assertThat(log.events).containsExactly("failed {topic-0=1} thrown");
    }

    @Test
    void blockingCommitThatFails_isToldAndThrown() {
        deliver();
        CommitFailedException failure = new CommitFailedException("left");
        rig.kafka.failNextSync(() -> failure);
        rig.complete(P0, 0);

        assertThatThrownBy(() -> rig.consumer.commitSync()).isSameAs(failure);
        assertThat(log.events).containsExactly("failed {topic-0=1} left");
    }

    @Test
    void answerThatNeverComes_isToldAsFailedOnce() {
        deliver();
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.tick(Duration.ofSeconds(59));
        assertThat(log.events).isEmpty();
        rig.tick(Duration.ofSeconds(2));
        assertThat(log.events).hasSize(1);
        assertThat(log.events.get(0))
                .startsWith("failed {topic-0=1} no answer to a commit within PT1M")
                .endsWith(": its outcome is unknown");
    }

    @Test
    void answerThatComesAfterItWasGivenUp_confirmationIsToldAndAFailureIsNot() {
        for (boolean confirmed : new boolean[] {true, false}) {
            EventLog late = new EventLog();
            Rig held = Rig.with(builder ->
                            builder.commitPolicy(CommitPolicy.afterProcessing()).listener(late))
                    .subscribed(P0);
            held.kafka.records(P0, 0, 4);
            held.poll();
            held.kafka.holdAnswers();
            if (!confirmed) {
                held.kafka.failNextAsync(new RetriableCommitFailedException("late"));
            }
            held.complete(P0, 0);
            held.tick(Duration.ofSeconds(61));
            late.events.clear();
            held.kafka.releaseAnswers();
            held.tick(Duration.ofSeconds(1));
            held.tick();

            assertThat(late.events).doesNotContain("failed {topic-0=1} late").contains("committed {topic-0=1}");
            assertThat(late.events).hasSize(confirmed ? 2 : 1);
        }
    }

    @Test
    void revoked_isToldAfterTheLastCommitAndBeforeTheUsersRebalanceListener() {
        Rig both = Rig.with(builder ->
                        builder.commitPolicy(CommitPolicy.afterProcessing()).listener(log))
                .subscribed(
                        new Rig.Quiet() {
                            @Override
                            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                                log.events.add("user's " + partitions);
                            }
                        },
                        P0,
                        P1);
        both.kafka.records(P0, 0, 4);
        both.kafka.records(P1, 0, 4);
        both.poll();
        both.complete(P0, 0, 1, 3);
        both.kafka.insideNextPoll(() -> both.kafka.rebalanceCooperatively(P1));
        both.time.after(Duration.ofSeconds(1), () -> both.complete(P0, 2));
        both.kafka.holdAnswers();
        both.tick();

        assertThat(log.events).containsExactly("committed {topic-0=4}", "revoked {topic-0=4}", "user's [topic-0]");
        assertThat(log.stood.get(P0).incomplete()).isEqualTo(1);
        assertThat(log.stood.get(P0).committedOffset()).hasValue(4);
        assertThat(log.stood.get(P0).ended()).isFalse();
    }

    @Test
    void revokedWithAFailedLastCommit_theFailureIsTold() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.kafka.failNextSync(() -> new CommitFailedException("left"));
        rig.kafka.throwFromNextAsync(() -> new IllegalStateException("not now"));
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.tick();

        assertThat(log.events)
                .containsExactly("failed {topic-0=5} not now", "failed {topic-0=5} left", "revoked {topic-0=5} left");
        assertThat(log.stood.get(P0).committedOffset()).isEmpty();
        assertThat(rig.stored(P0)).isNull();
    }

    @Test
    void unsubscribed_isToldAsRevokedOnce() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P1, 0, 4);
        rig.consumer.unsubscribe();

        assertThat(log.events).containsExactly("committed {topic-0=5, topic-1=5}", "revoked {topic-0=5, topic-1=5}");
    }

    @Test
    void assignedByHand_whatIsLeftOutIsToldAsRevoked() {
        EventLog assigned = new EventLog();
        Rig byHand = Rig.with(builder -> builder.listener(assigned));
        byHand.consumer.assign(List.of(P0, P1));
        byHand.tick();
        byHand.consumer.assign(List.of(P1));

        assertThat(assigned.events).containsExactly("revoked {topic-0=0}");
    }

    @Test
    void lost_whereItStoodIsToldAndNothingIsCommitted() {
        deliver();
        rig.complete(P0, 0, 1, 3);
        rig.kafka.throwFromNextAsync(() -> new IllegalStateException("not now"));
        rig.kafka.insideNextPoll(() -> rig.kafka.lose(P0));
        rig.tick();

        assertThat(log.events).containsExactly("failed {topic-0=2} not now", "lost {topic-0=2}");
        assertThat(log.stood.get(P0).incomplete()).isEqualTo(2);
        assertThat(rig.stored(P0)).isNull();
        assertThat(rig.record(P0, 2).complete()).isEqualTo(Receipt.IGNORED);
    }

    @Test
    void closed_isNotToldAsRevoked() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.consumer.close(Duration.ofSeconds(1));

        assertThat(log.events).containsExactly("committed {topic-0=5}");
    }

    @Test
    void revokedWhileClosing_isTold() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.consumer.close(Duration.ofSeconds(4));

        assertThat(log.events).contains("revoked {topic-0=5}");
    }

    @Test
    void positionMovedBack_isTold() {
        deliver();
        rig.completeAll(P0, 0, 4);
        rig.kafka.truncate(P0, 2);
        rig.kafka.movePosition(P0, 1);
        rig.kafka.record(P0, 2, Optional.empty());
        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@1", "topic-0@2");

        assertThat(log.events).contains("jumped topic-0 5 -> 1");
    }

    @Test
    void positionMovedAhead_isTold() {
        rig.kafka.topicInMetrics = topic -> topic;
        deliver();
        rig.kafka.records(P0, 5, 9);
        rig.kafka.delete(P0, 8);
        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@8", "topic-0@9");

        assertThat(log.events).containsExactly("jumped topic-0 5 -> 8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"committed", "failed", "revoked", "lost", "jumped"})
    void whatItThrows_isThrownByTheNextPollBeforeFetching(String event) {
        deliver();
        RuntimeException thrown = new IllegalStateException("by the listener");
        log.toThrow.put(event, thrown);
        makeHappen(event);
        int polls = rig.kafka.polls.size();
        rig.kafka.records(P1, 5, 5);

        assertThatThrownBy(() -> rig.consumer.poll(Duration.ZERO)).isSameAs(thrown);
        assertThat(rig.kafka.polls).hasSize(polls);
        assertThat(Rig.names(rig.poll())).contains("topic-1@5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"committed", "failed", "revoked", "lost", "jumped"})
    void whatItThrows_changesNothingElse(String event) {
        deliver();
        log.toThrow.put(event, new IllegalStateException("by the listener"));
        makeHappen(event);
        assertThatThrownBy(() -> rig.consumer.poll(Duration.ZERO)).hasMessage("by the listener");

        rig.completeAll(P1, 1, 4);
        rig.poll(Duration.ofSeconds(1));
        rig.poll();
        assertThat(rig.stored(P1)).isEqualTo(5);
        assertThat(rig.status(P1).committedOffset()).hasValue(5);
        if (event.equals("revoked") || event.equals("lost")) {
            assertThat(rig.consumer.status()).containsOnlyKeys(P1);
            assertThat(rig.record(P0, 0).complete()).isEqualTo(Receipt.IGNORED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"committed", "failed", "revoked", "lost", "jumped"})
    void whatItThrowsBeforeClosing_isInTheResult(String event) {
        deliver();
        RuntimeException thrown = new IllegalStateException("by the listener");
        log.toThrow.put(event, thrown);
        makeHappen(event);

        CloseResult closed = rig.consumer.close(Duration.ofSeconds(1));
        assertThat(closed.failures()).containsExactly(thrown);
    }

    /** Ends with P1 completed up to 1, and no request in flight. */
    private void makeHappen(String event) {
        switch (event) {
            case "committed" -> {
                rig.complete(P1, 0);
                rig.consumer.commitSync();
            }
            case "failed" -> {
                rig.complete(P1, 0);
                rig.kafka.throwFromNextAsync(() -> new CommitFailedException("left"));
                rig.consumer.poll(Duration.ZERO);
            }
            case "revoked" -> {
                rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
                rig.consumer.poll(Duration.ZERO);
                rig.complete(P1, 0);
            }
            case "lost" -> {
                rig.kafka.insideNextPoll(() -> rig.kafka.lose(P0));
                rig.consumer.poll(Duration.ZERO);
                rig.complete(P1, 0);
            }
            case "jumped" -> {
                rig.complete(P1, 0);
                rig.kafka.movePosition(P0, 2);
                rig.kafka.truncate(P0, 2);
                rig.kafka.record(P0, 2, Optional.empty());
                rig.consumer.poll(Duration.ZERO);
            }
            default -> throw new AssertionError(event);
        }
        assertThat(log.events).anyMatch(line -> line.startsWith(event));
    }

    @Test
    void throwsWhileClosing_isInTheResultAndTheConsumerIsClosed() {
        deliver();
        rig.completeAll(P0, 0, 4);
        RuntimeException thrown = new IllegalStateException("by the listener");
        log.toThrow.put("committed", thrown);
        CloseResult closed = rig.consumer.close(Duration.ofSeconds(1));

        assertThat(closed.failures()).containsExactly(thrown);
        assertThat(rig.stored(P0)).isEqualTo(5);
        assertThat(rig.kafka.isClosed()).isTrue();
    }

    @Test
    void throwsMoreThanOnce_laterOnesAreSuppressedInTheFirst() {
        deliver();
        rig.completeAll(P0, 0, 4);
        RuntimeException first = new IllegalStateException("committed");
        RuntimeException second = new IllegalStateException("revoked");
        log.toThrow.put("committed", first);
        log.toThrow.put("revoked", second);
        rig.kafka.holdAnswers();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.kafka.releaseAnswers();
        rig.tick();

        assertThatThrownBy(() -> rig.consumer.poll(Duration.ZERO)).isSameAs(first);
        assertThat(first.getSuppressed()).containsExactly(second);
        assertThatCode(() -> rig.consumer.poll(Duration.ZERO)).doesNotThrowAnyException();
    }

    /** Two topics of which every commit fails; the first failure that is told has the listener act. */
    private static Rig actingOnTheFirstFailure(Consumer<Rig> action) {
        Rig[] told = new Rig[1];
        AtomicBoolean acted = new AtomicBoolean();
        told[0] = Rig.with(builder -> builder.commitPolicy(CommitPolicy.timeBounded(Duration.ofDays(1)))
                        .listener(new TrackedConsumerListener() {
                            @Override
                            public void onCommitFailed(
                                    Map<TopicPartition, OffsetAndMetadata> offsets, Exception cause) {
                                if (!acted.getAndSet(true)) {
                                    action.accept(told[0]);
                                }
                            }
                        }))
                .subscribed(P0, OTHER);
        told[0].kafka.records(P0, 0, 4);
        told[0].kafka.records(OTHER, 0, 4);
        told[0].poll();
        told[0].completeAll(P0, 0, 4);
        told[0].completeAll(OTHER, 0, 4);
        told[0].kafka.failCommitsOf(P0.topic(), () -> new TimeoutException("no answer"));
        told[0].kafka.failCommitsOf(OTHER.topic(), () -> new TimeoutException("no answer"));
        return told[0];
    }

    @Test
    void unsubscribesWhenToldOfAFailedBlockingCommit_nothingIsSentAfterTheFence() {
        List<Integer> sentBefore = new ArrayList<>();
        Rig failing = actingOnTheFirstFailure(consumer -> {
            consumer.consumer.unsubscribe();
            sentBefore.add(consumer.kafka.commits.size());
        });
        assertThatThrownBy(() -> failing.consumer.commitSync(Duration.ofSeconds(10)))
                .isInstanceOf(TimeoutException.class);
        failing.consumer.close(Duration.ofSeconds(1));

        assertThat(sentBefore).containsExactly(failing.kafka.commits.size());
        assertThat(failing.consumer.status()).isEmpty();
    }

    @Test
    void unsubscribesWhenToldOfAFailedAsynchronousCommit_nothingIsSentAfterTheFence() {
        List<Integer> sentBefore = new ArrayList<>();
        Rig failing = actingOnTheFirstFailure(consumer -> {
            consumer.consumer.unsubscribe();
            sentBefore.add(consumer.kafka.commits.size());
        });
        failing.consumer.requestCommit();
        failing.tick();
        failing.tick(Duration.ofMinutes(1));

        assertThat(sentBefore).containsExactly(failing.kafka.commits.size());
        assertThat(failing.consumer.status()).isEmpty();
    }

    @Test
    void seeksWhenToldOfAFailedBlockingCommit_whatFinishedBeforeIsNotSentAfterIt() {
        List<Integer> sentBefore = new ArrayList<>();
        Rig failing = actingOnTheFirstFailure(consumer -> {
            consumer.consumer.seekToBeginning(List.of(P0, OTHER));
            sentBefore.add(consumer.kafka.commits.size());
        });
        assertThatThrownBy(() -> failing.consumer.commitSync(Duration.ofSeconds(10)))
                .isInstanceOf(TimeoutException.class);
        assertThat(sentBefore).containsExactly(failing.kafka.commits.size());
        failing.kafka.healed();

        assertThat(failing.poll()).hasSize(10);
        failing.complete(P0, 0);
        failing.consumer.commitSync();
        assertThat(failing.stored(P0)).isEqualTo(1);
    }

    @Test
    void pollsWhenToldOfABlockingCommit_isRefused() {
        Rig[] told = new Rig[1];
        told[0] = Rig.with(builder -> builder.commitPolicy(CommitPolicy.timeBounded(Duration.ofDays(1)))
                        .listener(new TrackedConsumerListener() {
                            @Override
                            public void onCommitted(Map<TopicPartition, OffsetAndMetadata> offsets) {
                                told[0].consumer.poll(Duration.ZERO);
                            }
                        }))
                .subscribed(P0);
        told[0].kafka.records(P0, 0, 4);
        told[0].poll();
        told[0].complete(P0, 0);
        int polls = told[0].kafka.polls.size();
        told[0].consumer.commitSync();

        assertThat(told[0].kafka.polls).hasSize(polls);
        assertThatThrownBy(() -> told[0].poll())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("poll was called from within another call of this consumer");
        told[0].tick();
    }
}
