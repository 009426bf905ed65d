package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The user's own rebalance listener: what it is called with, and what becomes of what it throws. */
@Timeout(180)
class UsersListenerIT {
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 50;
    private static final int FINISHED = 20;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private final List<Collection<TopicPartition>> assigned = new ArrayList<>();
    private final List<Collection<TopicPartition>> revoked = new ArrayList<>();

    /** Thrown into Kafka it would be wrapped, and under KIP-848 the listener would be called again. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void listenerThatThrows_disturbsNoRebalance_andIsHeardInTheNextPoll(Protocol protocol) throws Exception {
        produceEverywhere();
        IllegalStateException thrown = new IllegalStateException("no");
        Member member = kafka.member(protocol)
                .policy(CommitPolicy.batched(10_000))
                .set(builder -> builder.drainTimeout(Duration.ofMillis(200)))
                .listener(new Noting(() -> {
                    throw thrown;
                }))
                .subscribe();
        member.receive(PARTITIONS * RECORDS);
        member.completeBelow(FINISHED);
        Member other = kafka.member(protocol).subscribe();
        List<RuntimeException> heard = new ArrayList<>();

        Await.until(
                "the partitions are shared out, and read from what was committed",
                () -> {
                    try {
                        member.turn();
                    } catch (RuntimeException e) {
                        heard.add(e);
                    }
                    other.turn();
                },
                () -> member.assignment().size() == 2
                        && other.assignment().size() == 2
                        && other.received().size() == 2 * (RECORDS - FINISHED)
                        && !heard.isEmpty());

        assertThat(heard).containsExactly(thrown);
        assertThat(thrown.getSuppressed()).isEmpty();
        assertThat(revoked).hasSize(1);
        assertThat(other.received()).allMatch(record -> record.offset() >= FINISHED);
        member.turn();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void assignment_thatAddsNothing_leavesWhatIsOwnedAlone(Protocol protocol) throws Exception {
        produceEverywhere();
        Member member = kafka.member(protocol)
                .set(builder -> builder.drainTimeout(Duration.ofMillis(200)))
                .listener(new Noting(() -> {}))
                .subscribe();
        member.receive(PARTITIONS * RECORDS);
        assertThat(assigned).hasSize(1);
        Member other = kafka.member(protocol).subscribe();
        Member.until(
                "the partitions are shared out, and the listener knows",
                () -> member.assignment().size() == 2
                        && other.assignment().size() == 2
                        && assigned.size() >= (protocol == Protocol.CONSUMER ? 1 : 2),
                member,
                other);

        Set<TopicPartition> kept = member.assignment();
        List<TrackedRecord<String, String>> ofKept = member.received().subList(0, PARTITIONS * RECORDS).stream()
                .filter(record -> kept.contains(new TopicPartition(record.topic(), record.partition())))
                .toList();
        ofKept.forEach(TrackedRecord::complete);
        if (protocol == Protocol.CLASSIC_EAGER) {
            assertThat(assigned.get(1)).containsExactlyInAnyOrderElementsOf(kept);
            Member.until(
                    "what was kept has been delivered again",
                    () -> member.received().size() == (PARTITIONS + 2) * RECORDS,
                    member,
                    other);
            member.received().forEach(TrackedRecord::complete);
        } else {
            assertThat(assigned.subList(1, assigned.size())).allMatch(Collection::isEmpty);
            assertThat(member.received()).hasSize(PARTITIONS * RECORDS);
        }
        Member.until(
                "what was kept is committed",
                () -> kept.stream().allMatch(partition -> committedAtEnd(partition)),
                member,
                other);
    }

    private boolean committedAtEnd(TopicPartition partition) {
        try {
            return Long.valueOf(RECORDS).equals(kafka.committed().get(partition));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** KIP-848 only warns of it. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void rebalance_thatTheUserEnforces_losesNothing(Protocol protocol) throws Exception {
        produceEverywhere();
        Map<String, Object> configuration = kafka.configuration(protocol);
        KafkaConsumer<String, String> wrapped = new KafkaConsumer<>(configuration);
        List<TrackedRecord<String, String>> received = new ArrayList<>();
        try (TrackedConsumer<String, String> consumer = TrackedConsumer.wrap(wrapped, configuration)
                .commitPolicy(CommitPolicy.batched(10_000))
                .drainTimeout(Duration.ofMillis(200))
                .build()) {
            consumer.subscribe(List.of(kafka.topic()), new Noting(() -> {}));
            Runnable turn = () -> consumer.poll(Duration.ofMillis(20)).forEach(received::add);
            Await.until("all received", turn, () -> received.size() == PARTITIONS * RECORDS);
            received.stream().filter(record -> record.offset() < FINISHED).forEach(TrackedRecord::complete);
            int generation = wrapped.groupMetadata().generationId();

            wrapped.enforceRebalance();
            if (protocol != Protocol.CONSUMER) {
                Await.until(
                        "a new generation", turn, () -> wrapped.groupMetadata().generationId() > generation);
            }
            received.forEach(TrackedRecord::complete);
            if (protocol == Protocol.CLASSIC_EAGER) {
                Await.until(
                        "what had not finished has been delivered again",
                        turn,
                        () -> received.size() == PARTITIONS * (2 * RECORDS - FINISHED));
                received.forEach(TrackedRecord::complete);
            }
            consumer.commitSync();
        }
        assertThat(kafka.committed()).isEqualTo(kafka.ends(PARTITIONS));
        assertThat(received)
                .hasSize(PARTITIONS * (protocol == Protocol.CLASSIC_EAGER ? 2 * RECORDS - FINISHED : RECORDS));
    }

    private void produceEverywhere() throws Exception {
        kafka.createTopic(PARTITIONS);
        kafka.produceEverywhere(PARTITIONS, RECORDS);
    }

    private final class Noting implements ConsumerRebalanceListener {
        private final Runnable onRevocation;

        Noting(Runnable onRevocation) {
            this.onRevocation = onRevocation;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            assigned.add(List.copyOf(partitions));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            revoked.add(List.copyOf(partitions));
            onRevocation.run();
        }
    }
}
