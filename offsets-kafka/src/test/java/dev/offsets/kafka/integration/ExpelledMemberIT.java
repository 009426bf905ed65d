package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.Receipt;
import dev.offsets.kafka.CloseResult;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A loop that does not poll for {@code max.poll.interval.ms} is taken for dead: its partitions go to others. */
@Timeout(180)
class ExpelledMemberIT {
    private static final Duration MAX_POLL_INTERVAL = Duration.ofMillis(1_500);

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void blockedLoop_withOthersInTheGroup_commitsNothingForWhatItHasLost(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Heard heard = new Heard();
        Member blocked = impatient(protocol).heardBy(heard).subscribe();
        blocked.receive(10);
        Member other = kafka.member(protocol).subscribe().completeAll();
        other.until("the other has taken over", () -> Long.valueOf(10).equals(kafka.committed(0)));

        // It does not know yet, and so it tries
        assertThat(blocked.completeBelow(3)).isEqualTo(3);
        blocked.until("the blocked one knows", () -> heard.lost.equals(List.of(kafka.partition(0))));
        int commitsBefore = blocked.ledger().commits(Set.of(kafka.partition(0)));
        assertThat(commitsBefore).isPositive();
        assertThat(heard.commits).isEmpty();

        assertThat(blocked.completeBelow(10)).isZero();
        kafka.produce(0, 5);
        Member.until("the group goes on", () -> Long.valueOf(15).equals(kafka.committed(0)), blocked, other);
        assertThat(heard.commitFailures).isNotEmpty();
        assertThat(heard.revoked).isEmpty();
        assertThat(blocked.ledger().commits(Set.of(kafka.partition(0)))).isEqualTo(commitsBefore);
    }

    /**
     * With nobody else in its group the broker accepts such a commit under KIP-848. It does no harm: nobody else has read
     * on from elsewhere.
     */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void blockedLoop_aloneInTheGroup_beginsAgainAtWhatIsCommitted(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Heard heard = new Heard();
        Member blocked = impatient(protocol).heardBy(heard).subscribe();
        blocked.receive(10);
        Await.until("it is taken for dead", () -> kafka.members() == 0);
        assertThat(blocked.completeBelow(3)).isEqualTo(3);

        if (protocol == Protocol.CONSUMER) {
            blocked.consumer().commitSync();
            assertThat(kafka.committed(0)).isEqualTo(3);
        } else {
            assertThatThrownBy(() -> blocked.consumer().commitSync()).isInstanceOf(CommitFailedException.class);
            assertThat(kafka.committed(0)).isNull();
        }
        long resumedAt = protocol == Protocol.CONSUMER ? 3 : 0;

        blocked.receive(10 + 10 - (int) resumedAt);
        assertThat(heard.lost).containsExactly(kafka.partition(0));
        assertThat(blocked.receivedOffsets(kafka.partition(0)).get(10)).isEqualTo(resumedAt);
        assertThat(blocked.received().get(9).complete()).isEqualTo(Receipt.IGNORED);
        blocked.received().forEach(TrackedRecord::complete);
        blocked.until("all is committed", () -> Long.valueOf(10).equals(kafka.committed(0)));
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void revocation_thatTakesTooLong_givesEachPartitionUpOnce(Protocol protocol) throws Exception {
        kafka.createTopic(4);
        kafka.produceEverywhere(4, 10);
        Heard heard = new Heard();
        Member other = kafka.member(protocol).build().completeAll();
        Member slow = impatient(protocol)
                .heardBy(heard)
                .listener(new BlockingOnce(() -> other.until(
                        "the other has everything",
                        () -> kafka.committed().equals(kafka.ends(4))
                                && other.assignment().size() == 4)))
                .subscribe();
        slow.receive(40);
        slow.completeBelow(3);
        other.consumer().subscribe(List.of(kafka.topic()));

        Member.until("the slow one is back", () -> !slow.assignment().isEmpty() && heardOfAll(heard), slow, other);

        List<TopicPartition> gone = new ArrayList<>(heard.revoked);
        gone.addAll(heard.lost);
        assertThat(gone).containsExactlyInAnyOrderElementsOf(kafka.ends(4).keySet());
        assertThat(slow.completeBelow(10)).isZero();
        assertThat(kafka.committed()).isEqualTo(kafka.ends(4));
        assertThat(slow.received()).hasSize(40);
    }

    private boolean heardOfAll(Heard heard) {
        return heard.revoked.size() + heard.lost.size() >= 4;
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void recordThatTakesLongerThanThat_costsNothing_whileTheLoopPolls(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, 10);
        Heard heard = new Heard();
        Member member = impatient(protocol).heardBy(heard).subscribe();
        Member other = impatient(protocol).subscribe();
        Member.until(
                "both have one partition",
                () -> member.assignment().size() == 1 && other.assignment().size() == 1,
                member,
                other);
        TopicPartition own = member.assignment().iterator().next();
        Member.until("it has its records", () -> last(member, own, 9), member, other);
        heard.revoked.clear();

        long start = System.nanoTime();
        Member.until(
                "twice as long as a loop may not poll",
                () -> System.nanoTime() - start > 2 * MAX_POLL_INTERVAL.toNanos(),
                member,
                other);

        assertThat(heard.revoked).isEmpty();
        assertThat(heard.lost).isEmpty();
        member.received(own).forEach(TrackedRecord::complete);
        Member.until("committed", () -> Long.valueOf(10).equals(kafka.committed(own.partition())), member, other);
    }

    private static boolean last(Member member, TopicPartition partition, long offset) {
        List<Long> offsets = member.receivedOffsets(partition);
        return !offsets.isEmpty() && offsets.get(offsets.size() - 1) == offset;
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void closeThatWaitsLongerThanThat_takesPartInARebalance(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, 10);
        Member closing = impatient(protocol).subscribe();
        closing.receive(20);
        closing.completeBelow(9);
        long start = System.nanoTime();
        CompletableFuture<CloseResult> closed =
                CompletableFuture.supplyAsync(() -> closing.consumer().close(Duration.ofSeconds(30)), kafka.pool(1));

        Member other = kafka.member(protocol).subscribe().completeAll();
        other.until(
                "the other has a partition, and the drain has taken long",
                () -> !other.assignment().isEmpty() && System.nanoTime() - start > 2 * MAX_POLL_INTERVAL.toNanos());
        // Eager: everything was revoked, and nothing is left to wait for
        boolean eager = protocol == Protocol.CLASSIC_EAGER;
        assertThat(closed.isDone()).isEqualTo(eager);
        closing.received().forEach(TrackedRecord::complete);
        other.until("closed", closed::isDone);

        CloseResult result = closed.get(0, TimeUnit.SECONDS);
        assertThat(result.failures()).isEmpty();
        assertThat(result.drained()).isEqualTo(eager ? 0 : 1);
        assertThat(result.abandoned()).isEqualTo(eager ? 2 : 1);
        other.until("all is committed", () -> kafka.committed().equals(kafka.ends(2)));
        assertThat(other.received()).allMatch(record -> record.offset() == 9);
    }

    private Member.Builder impatient(Protocol protocol) {
        return kafka.member(protocol).with("max.poll.interval.ms", MAX_POLL_INTERVAL.toMillis());
    }

    private interface Blocking {
        void run() throws Exception;
    }

    /** Blocks in the first revocation. */
    private static final class BlockingOnce implements ConsumerRebalanceListener {
        private final AtomicBoolean blocked = new AtomicBoolean();
        private final Blocking blocking;

        BlockingOnce(Blocking blocking) {
            this.blocking = blocking;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            if (blocked.compareAndSet(false, true)) {
                try {
                    blocking.run();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {}
    }
}
