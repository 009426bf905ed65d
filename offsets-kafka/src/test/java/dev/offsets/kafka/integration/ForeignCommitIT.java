package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.Receipt;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commits for partitions that others own: Kafka takes some of them, and refuses others. */
@Timeout(180)
class ForeignCommitIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    /** Kafka asks only whether the member belongs to the group, not whether the partition belongs to the member. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void formerOwner_whateverItIsToldToCommit_doesNotRewindTheNewOne(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, 10);
        Member former = kafka.member(protocol)
                .set(builder -> builder.drainTimeout(Duration.ofMillis(100)))
                .subscribe();
        former.receive(20);
        Member owner = kafka.member(protocol).subscribe().completeAll();
        Member.until(
                "one partition has moved, and its new owner has finished it",
                () -> former.assignment().size() == 1
                        && owner.assignment().size() == 1
                        && owner.assignment().stream().allMatch(this::isCommittedToTheEnd),
                former,
                owner);
        TopicPartition moved = owner.assignment().iterator().next();
        int commitsBefore = former.ledger().commits(Set.of(moved));

        List<TrackedRecord<String, String>> late = former.received(moved).subList(0, 3);
        assertThat(late).allMatch(record -> record.complete() == Receipt.IGNORED);
        former.consumer().requestCommit();
        former.turns(3);
        former.consumer().commitSync();
        former.consumer().close(Duration.ofSeconds(1));

        assertThat(kafka.committed()).containsEntry(moved, 10L);
        assertThat(former.ledger().commits(Set.of(moved))).isEqualTo(commitsBefore);
    }

    private boolean isCommittedToTheEnd(TopicPartition partition) {
        try {
            return Long.valueOf(10).equals(kafka.committed().get(partition));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void assignedByHand_inAGroupThatHasMembers_isRefused_tellsSo_andKeepsItsProgress(Protocol protocol)
            throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, 10);
        Heard heard = new Heard();
        Member subscribed = kafka.member(protocol).subscribe().completeAll();
        subscribed.until("the group is active", () -> kafka.committed().equals(kafka.ends(2)));
        Member byHand = kafka.member(protocol).heardBy(heard).build();
        byHand.consumer().assign(List.of(kafka.partition(0)));
        byHand.consumer().seek(kafka.partition(0), 0);
        byHand.receive(10);
        byHand.completeBelow(5);

        Member.until("three refusals", () -> heard.commitFailures.size() == 3, byHand, subscribed);
        assertThatThrownBy(() -> byHand.consumer().commitSync()).isInstanceOf(CommitFailedException.class);
        // Each was left alone for longer than the one before
        assertThat(byHand.ledger().commits(Set.of(kafka.partition(0)))).isEqualTo(4);
        assertThat(heard.commitFailures).hasOnlyElementsOfType(CommitFailedException.class);
        assertThat(kafka.committed(0)).isEqualTo(10);

        subscribed.close();
        byHand.until("alone, it succeeds", () -> Long.valueOf(5).equals(kafka.committed(0)));
    }
}
