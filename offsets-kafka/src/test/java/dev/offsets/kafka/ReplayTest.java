package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.offsets.Receipt;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** A running consumer that goes on where a plan says. */
class ReplayTest {
    private final Rig rig = Rig.committingOnlyAtTheEnd().subscribed(P0);

    private static ReplayPlan plan(String group, TopicPartition partition, ReplayPoint point, long offset) {
        ReplayPlan.Move move = new ReplayPlan.Move(
                partition,
                OptionalLong.empty(),
                OptionalLong.of(0),
                OptionalLong.of(10),
                ResolvedPoint.at(point, offset),
                OptionalLong.empty(),
                OptionalLong.empty());
        return new ReplayPlan(group, GroupState.STABLE, IsolationLevel.READ_UNCOMMITTED, List.of(move));
    }

    private static ReplayPlan rewindTo(TopicPartition partition, long offset) {
        return plan("group", partition, ReplayPoint.offset(offset), offset);
    }

    @Test
    void rewind_beginsAnew_voidsWhatWasNotCommitted_andCommitsInTheNextTurn() {
        rig.kafka.storedOffset(P0, 5);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 5, 8);
        TrackedRecord<String, String> former = rig.record(P0, 9);

        assertThat(rig.consumer.replay(rewindTo(P0, 2))).containsExactly(P0);
        assertThat(former.complete()).isEqualTo(Receipt.IGNORED);
        assertThat(Rig.offsets(rig.poll())).containsExactly(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(rig.sent(P0))
                .as("what had finished above is not committed any more")
                .containsExactly(2L);

        rig.completeAll(P0, 2, 9);
        rig.consumer.close();
        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void planForPartitionsOfOthers_movesNoneOfThem() {
        assertThat(rig.consumer.replay(rewindTo(P1, 2))).isEmpty();
        assertThat(rig.consumer.status()).doesNotContainKey(P1);
    }

    @Test
    void planWithoutATarget_leavesThePartitionWhereItIs() {
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        ReplayPlan unknown = new ReplayPlan(
                "group",
                GroupState.STABLE,
                IsolationLevel.READ_UNCOMMITTED,
                List.of(new ReplayPlan.Move(
                        P0,
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        ResolvedPoint.unknown(ReplayPoint.committed(), "nothing is committed"),
                        OptionalLong.empty(),
                        OptionalLong.empty())));

        assertThat(rig.consumer.replay(unknown)).isEmpty();
        assertThat(rig.record(P0, 0).complete()).isEqualTo(Receipt.ACCEPTED);
    }

    @Test
    void planOfAnotherGroup_orForSkipping_isRefused_andNothingMoves() {
        rig.kafka.records(P0, 0, 4);
        rig.poll();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> rig.consumer.replay(plan("other", P0, ReplayPoint.earliest(), 0)))
                .withMessage("the plan is for group other, and this consumer is of group group");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rig.consumer.replay(plan("group", P0, ReplayPoint.past(3), 4)))
                .withMessageContaining("call skip(partition, offset, reason)");
        assertThat(rig.record(P0, 0).complete()).isEqualTo(Receipt.ACCEPTED);
    }

    @Test
    void listenerOnAssignment_mayReplay() {
        Rig withListener = Rig.committingOnlyAtTheEnd();
        withListener.subscribed(
                new Rig.Quiet() {
                    @Override
                    public void onPartitionsAssigned(java.util.Collection<TopicPartition> partitions) {
                        withListener.consumer.replay(rewindTo(P0, 3));
                    }
                },
                P0);
        withListener.kafka.storedOffset(P0, 5);
        withListener.kafka.records(P0, 0, 5);
        withListener.poll();

        assertThat(Rig.offsets(withListener.poll())).isSubsetOf(3L, 4L, 5L);
        assertThat(withListener.status(P0).committableOffset()).isEqualTo(3);
        assertThat(withListener.consumer.assignment()).isEqualTo(Set.of(P0));
    }
}
