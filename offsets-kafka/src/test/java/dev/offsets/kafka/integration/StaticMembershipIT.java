package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.Receipt;
import dev.offsets.kafka.CloseResult;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Members with a {@code group.instance.id} (KIP-345): they keep their partitions over a restart. */
@Timeout(180)
class StaticMembershipIT {
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 50;
    private static final int FINISHED = 20;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void rebalance_andRestart_ofStaticMembers_resumeAtWhatWasCommitted(Protocol protocol) throws Exception {
        kafka.createTopic(PARTITIONS);
        kafka.produceEverywhere(PARTITIONS, RECORDS);
        Heard heardByTwo = new Heard();
        Member one = staticMember(protocol, "one").subscribe();
        one.receive(PARTITIONS * RECORDS);
        one.completeBelow(FINISHED);
        Member two = staticMember(protocol, "two").heardBy(heardByTwo).subscribe();
        Member.until(
                "the partitions are shared out, and read again from what is committed",
                () -> one.assignment().size() == 2
                        && two.assignment().size() == 2
                        && two.received().size() == 2 * (RECORDS - FINISHED),
                one,
                two);
        assertThat(two.received()).allMatch(record -> record.offset() >= FINISHED);
        Set<TopicPartition> ofOne = one.assignment();

        one.close();
        Member again = staticMember(protocol, "one").subscribe();
        Member.until(
                "the restarted member has its records again",
                () -> again.received().size() == 2 * (RECORDS - FINISHED),
                again,
                two);

        assertThat(again.assignment()).isEqualTo(ofOne);
        assertThat(again.received()).allMatch(record -> record.offset() >= FINISHED);
        assertThat(heardByTwo.revoked).isEmpty();
        assertThat(heardByTwo.lost).isEmpty();
        assertThat(two.received()).allMatch(record -> record.complete() == Receipt.ACCEPTED);
        again.received().forEach(TrackedRecord::complete);
        Member.until("all is committed", () -> kafka.committed().equals(kafka.ends(PARTITIONS)), again, two);
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_EAGER", "CLASSIC_COOPERATIVE"})
    void secondMemberOfTheSameId_fencesTheFirst_whichCommitsNothingAnyMore(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member first = staticMember(protocol, "one").subscribe();
        first.receive(10);
        Member second = staticMember(protocol, "one").subscribe().completeAll();
        second.until("committed is the end", () -> Long.valueOf(10).equals(kafka.committed(0)));

        assertThat(first.completeBelow(3)).isEqualTo(3);
        assertThat(first.untilThrows()).isInstanceOf(FencedInstanceIdException.class);
        CloseResult closed = first.consumer().close(Duration.ofSeconds(2));

        assertThat(closed.abandoned()).isEqualTo(7);
        assertThat(first.completeBelow(10)).isZero();
        assertThat(kafka.committed(0)).isEqualTo(10);
        kafka.produce(0, 5);
        second.until("the second goes on", () -> Long.valueOf(15).equals(kafka.committed(0)));
    }

    /** KIP-848 has the first go on, and refuses the second. */
    @Test
    void secondMemberOfTheSameId_isRefused_andTheFirstGoesOn() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member first = staticMember(Protocol.CONSUMER, "one").subscribe();
        first.receive(10);
        first.completeBelow(3);

        Member second = staticMember(Protocol.CONSUMER, "one").subscribe();
        assertThat(second.untilThrows()).isInstanceOf(UnreleasedInstanceIdException.class);
        assertThat(second.consumer().close(Duration.ofSeconds(2)).failures()).isEmpty();

        assertThat(first.completeBelow(10)).isEqualTo(7);
        first.until("the first has committed", () -> Long.valueOf(10).equals(kafka.committed(0)));
        assertThat(second.ledger().commits(Set.of(kafka.partition(0)))).isZero();
    }

    private Member.Builder staticMember(Protocol protocol, String id) {
        return kafka.member(protocol)
                .with("group.instance.id", id)
                .set(builder -> builder.drainTimeout(Duration.ofMillis(200)));
    }
}
