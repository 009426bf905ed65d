package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumerListener;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class CommitSyncIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void commitSync_isVisibleToOthersWhenItReturns(Protocol protocol) throws Exception {
        Member member = sevenOfTenFinished(protocol);
        member.received().get(8).complete();
        assertThat(kafka.committed(0)).isNull();

        member.consumer().commitSync();

        assertThat(kafka.committed(0)).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void commitSync_onAFrozenBroker_fails_andIsMadeUpForLater(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member(protocol).subscribe();
        member.receive(10);
        member.received().subList(0, 7).forEach(TrackedRecord::complete);

        kafka.broker().pause();
        try {
            assertThatThrownBy(() -> member.consumer().commitSync(Duration.ofMillis(500)))
                    .isInstanceOf(TimeoutException.class);
            assertThat(member.consumer().status().get(kafka.partition(0)).committedOffset())
                    .isEmpty();
        } finally {
            kafka.broker().resume();
        }

        member.until("committed", () -> Long.valueOf(7).equals(kafka.committed(0)));
        member.until(
                "and known to be so",
                () -> member.consumer()
                                .status()
                                .get(kafka.partition(0))
                                .committedOffset()
                                .orElse(-1)
                        == 7);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void commitSync_withNothingNew_asksTheBrokerNothing(Protocol protocol) throws Exception {
        Member member = sevenOfTenFinished(protocol);
        member.consumer().commitSync();
        member.consumer().commitSync();

        assertThat(member.ledger().commits(Set.of(kafka.partition(0)))).isEqualTo(1);
    }

    /** Thrown into Kafka's callback it would come out of the commit, and what that was to commit would not be stored. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void listenerThatThrows_breaksNoCommit_andIsHeardInTheNextPoll(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        IllegalStateException thrown = new IllegalStateException("no");
        AtomicBoolean throwing = new AtomicBoolean(true);
        Member member = kafka.member(protocol)
                .set(builder -> builder.listener(new TrackedConsumerListener() {
                    @Override
                    public void onCommitted(Map<TopicPartition, OffsetAndMetadata> offsets) {
                        if (throwing.getAndSet(false)) {
                            throw thrown;
                        }
                    }
                }))
                .subscribe();
        member.receive(10);
        member.completeBelow(3);
        // An asynchronous commit, of which the answer comes while the next call waits for its own
        member.consumer().poll(Duration.ZERO);
        member.completeBelow(7);

        member.consumer().commitSync();

        assertThat(kafka.committed(0)).isEqualTo(7);
        assertThat(member.untilThrows()).isSameAs(thrown);
        member.completeBelow(10);
        member.until("commits go on", () -> Long.valueOf(10).equals(kafka.committed(0)));
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void wakeup_doesNotCutACommitShort_andIsLeftForThePoll(Protocol protocol) throws Exception {
        Member member = sevenOfTenFinished(protocol);
        member.consumer().wakeup();

        member.consumer().commitSync();

        assertThat(kafka.committed(0)).isEqualTo(7);
        assertThat(committedOffset(member)).hasValue(7);
        assertThatThrownBy(member::turn).isInstanceOf(WakeupException.class);
        member.turn();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void interrupt_doesNotCutACommitShort_andStaysSet(Protocol protocol) throws Exception {
        Member member = sevenOfTenFinished(protocol);
        Thread.currentThread().interrupt();

        member.consumer().commitSync();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(kafka.committed(0)).isEqualTo(7);
        assertThat(committedOffset(member)).hasValue(7);
    }

    /** The commit may have been made all the same: it is unknown, and so it is sent again. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void commitSync_withoutTime_fails_andIsMadeUpFor(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member(protocol).subscribe();
        member.receive(10);
        member.completeBelow(7);

        assertThatThrownBy(() -> member.consumer().commitSync(Duration.ZERO)).isInstanceOf(TimeoutException.class);
        assertThat(committedOffset(member)).isEmpty();

        member.until("known to be committed", () -> committedOffset(member).orElse(-1) == 7);
        assertThat(kafka.committed(0)).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void wakeup_afterAnAsynchronousCommit_doesNotUndoIt(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member(protocol).subscribe();
        member.receive(10);
        member.completeBelow(7);
        member.consumer().wakeup();

        // Sends the commit, then fetches
        assertThatThrownBy(member::turn).isInstanceOf(WakeupException.class);

        member.until("known to be committed", () -> committedOffset(member).orElse(-1) == 7);
        assertThat(kafka.committed(0)).isEqualTo(7);
        assertThat(member.ledger().commits(Set.of(kafka.partition(0)))).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void requestCommit_fromAnotherThread_commitsInTheNextTurn(Protocol protocol) throws Exception {
        Member member = sevenOfTenFinished(protocol);
        member.turns(5);
        assertThat(member.ledger().commits(Set.of(kafka.partition(0)))).isZero();

        CompletableFuture.runAsync(() -> member.consumer().requestCommit()).get(10, TimeUnit.SECONDS);
        member.turn();

        assertThat(member.ledger().commits(Set.of(kafka.partition(0)))).isEqualTo(1);
        member.until("committed", () -> Long.valueOf(7).equals(kafka.committed(0)));
        member.completeBelow(9);
        member.turns(5);
        assertThat(member.ledger().commits(Set.of(kafka.partition(0)))).isEqualTo(1);
    }

    private OptionalLong committedOffset(Member member) {
        return member.consumer().status().get(kafka.partition(0)).committedOffset();
    }

    /** With a policy that has nothing of it committed yet. */
    private Member sevenOfTenFinished(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member =
                kafka.member(protocol).policy(CommitPolicy.batched(1_000)).subscribe();
        member.receive(10);
        member.completeBelow(7);
        return member;
    }
}
