package dev.offsets.kafka;

import static dev.offsets.Receipt.IGNORED;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.junit.jupiter.api.Test;

/** Records that a loop without a processor passes over. */
class SkipTest {
    private final Rig rig = Rig.committing(CommitPolicy.afterProcessing()).subscribed(P0, P1);

    private void pollThrowsAt(TopicPartition partition, long offset) {
        assertThatThrownBy(rig::poll).isInstanceOfSatisfying(RecordDeserializationException.class, thrown -> {
            assertThat(thrown.topicPartition()).isEqualTo(partition);
            assertThat(thrown.offset()).isEqualTo(offset);
        });
    }

    @Test
    void undecodable_pollThrowsAgainAndAgain_untilItIsSkipped() {
        rig.kafka.records(P0, 5, 7);
        rig.kafka.undecodable(P0, 6);
        rig.poll();
        pollThrowsAt(P0, 6);
        pollThrowsAt(P0, 6);
        rig.consumer.skip(P0, 6, "no schema");

        assertThat(Rig.offsets(rig.poll())).containsExactly(7L);
    }

    @Test
    void workInFlightBelow_stillHoldsTheCommitBack() {
        rig.kafka.records(P0, 5, 7);
        rig.kafka.undecodable(P0, 6);
        rig.poll();
        pollThrowsAt(P0, 6);
        rig.consumer.skip(P0, 6, "no schema");
        rig.poll();
        rig.complete(P0, 7);
        rig.tick();
        assertThat(rig.sent(P0)).isEmpty();
        rig.complete(P0, 5);
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(8);
    }

    @Test
    void lastOfTheLog_isCommittedAtClose_withoutAnotherPoll() {
        rig.kafka.storedOffset(P0, 6);
        rig.kafka.records(P0, 6, 6);
        rig.kafka.undecodable(P0, 6);
        pollThrowsAt(P0, 6);
        rig.consumer.skip(P0, 6, "no schema");
        rig.consumer.close();

        assertThat(rig.stored(P0)).isEqualTo(7);
    }

    @Test
    void behindHoles_isTheNextOne() {
        rig.kafka.records(P0, 0, 0);
        rig.kafka.records(P0, 5, 6);
        rig.kafka.undecodable(P0, 5);
        rig.poll();
        pollThrowsAt(P0, 5);
        rig.consumer.skip(P0, 5, "no schema");

        assertThat(Rig.offsets(rig.poll())).containsExactly(6L);
        rig.complete(P0, 0, 6);
        rig.tick();
        rig.tick();
        assertThat(rig.stored(P0)).isEqualTo(7);
    }

    @Test
    void beforeAPositionIsStored_goesOnToo() {
        Rig latest = Rig.with(Rig.CONFIG_LATEST, builder -> builder.commitPolicy(CommitPolicy.afterProcessing()))
                .subscribed(P0);
        latest.tick();
        latest.kafka.records(P0, 0, 1);
        latest.kafka.undecodable(P0, 0);
        assertThatThrownBy(latest::poll).isInstanceOf(RecordDeserializationException.class);
        latest.consumer.skip(P0, 0, "no schema");

        assertThat(Rig.offsets(latest.poll())).containsExactly(1L);
    }

    @Test
    void delivered_isFinished_andALaterReportIgnored() {
        rig.kafka.records(P0, 0, 2);
        rig.poll();
        rig.consumer.skip(P0, 0, "given up");

        assertThat(rig.record(P0, 0).complete()).isEqualTo(IGNORED);
        rig.complete(P0, 1, 2);
        rig.tick();
        assertThat(rig.stored(P0)).isEqualTo(3);
    }

    @Test
    void corruptRecordAtThePosition_isPassedToo() {
        rig.tick();
        rig.kafka.records(P0, 0, 1);
        rig.kafka.failNextPoll(() -> new KafkaException("corrupt"));
        assertThatThrownBy(rig::poll).hasMessage("corrupt");
        rig.consumer.skip(P0, 0, "corrupt");

        assertThat(Rig.offsets(rig.poll())).containsExactly(1L);
    }

    @Test
    void finishedFailedOrNotReached_isRefused() {
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.complete(P0, 0);
        rig.record(P0, 1).fail(new Exception("failed"));
        for (long offset : new long[] {0, 1, 5, 6, -1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> rig.consumer.skip(P0, offset, "why not"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "skip(topic-0, " + offset + "): there is no such record that was delivered and waits for"
                                    + " its outcome, nor is it the next one to be read, which is at 5 or above: give the offset in"
                                    + " the RecordDeserializationException that poll threw, or of a record in flight");
        }
        assertThat(rig.status(P0).position()).isEqualTo(5);
    }

    @Test
    void foundInAFormerIncarnation_isNotTheNextOne() {
        rig.kafka.records(P0, 0, 5);
        rig.kafka.undecodable(P0, 5);
        rig.poll();
        pollThrowsAt(P0, 5);
        rig.consumer.seek(P0, 2);

        assertThatThrownBy(() -> rig.consumer.skip(P0, 5, "no schema")).isInstanceOf(IllegalArgumentException.class);
        assertThat(Rig.offsets(rig.poll())).containsExactly(2L, 3L, 4L);
    }

    @Test
    void skippedTwice_isRefused() {
        rig.kafka.records(P0, 0, 1);
        rig.kafka.undecodable(P0, 0);
        pollThrowsAt(P0, 0);
        rig.consumer.skip(P0, 0, "no schema");

        assertThatThrownBy(() -> rig.consumer.skip(P0, 0, "again")).isInstanceOf(IllegalArgumentException.class);
        assertThat(Rig.offsets(rig.poll())).containsExactly(1L);
    }

    @Test
    void notAssigned_isRefused() {
        TopicPartition other = new TopicPartition("other", 0);
        assertThatThrownBy(() -> rig.consumer.skip(other, 0, "why"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("skip(other-0, 0): the partition is not assigned to this consumer");
    }

    @Test
    void positionNotKnownYet_isRefused() {
        rig.tick();
        rig.consumer.seekToEnd(List.of(P0));
        assertThatThrownBy(() -> rig.consumer.skip(P0, 0, "why"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("skip(topic-0, 0): the position is not known yet: poll first");
    }

    @Test
    void closed_isRefused() {
        rig.consumer.close();
        assertThatThrownBy(() -> rig.consumer.skip(P0, 0, "why")).isInstanceOf(IllegalStateException.class);
    }
}
