package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Offsets at which no record is delivered: nothing waits for them, and the lag comes down to zero over them. */
@Timeout(180)
class HolesIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @CsvSource({
        "CLASSIC_COOPERATIVE, read_committed",
        "CLASSIC_COOPERATIVE, read_uncommitted",
        "CONSUMER, read_committed",
        "CONSUMER, read_uncommitted"
    })
    void transactionMarkerAtTheEnd_isCommittedOver(Protocol protocol, String isolation) throws Exception {
        kafka.createTopic(1);
        kafka.transaction(0, 5, true);
        assertThat(kafka.endOffset(0)).isEqualTo(6);
        Member member =
                kafka.member(protocol).with("isolation.level", isolation).subscribe();
        member.completeAll();

        untilCommittedIsTheEnd(member);

        assertThat(member.receivedOffsets(kafka.partition(0))).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_COOPERATIVE", "CONSUMER"})
    void abortedTransaction_isCommittedOver(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 3);
        kafka.transaction(0, 300, false);
        Member member =
                kafka.member(protocol).with("isolation.level", "read_committed").subscribe();

        member.completeAll();

        untilCommittedIsTheEnd(member);
        assertThat(kafka.endOffset(0)).isEqualTo(304);
        assertThat(member.received()).hasSize(3);
    }

    @Test
    void unfinishedRecordBelowAHole_holdsTheCommittedOffset() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 3);
        kafka.transaction(0, 5, false);
        kafka.produce(0, 1);
        Member member = kafka.member().with("isolation.level", "read_committed").subscribe();
        member.receive(4);
        List<TrackedRecord<String, String>> received = member.received();
        assertThat(received.get(3).offset()).isEqualTo(9);

        received.get(3).complete();
        received.get(0).complete();
        received.get(1).complete();
        member.until("committed is 2", () -> Long.valueOf(2).equals(kafka.committed(0)));
        received.get(2).complete();

        untilCommittedIsTheEnd(member);
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_COOPERATIVE", "CONSUMER"})
    void holesAlone_areCommittedOver_withNothingEverDelivered(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.transaction(0, 5, false);
        Member member = kafka.member(protocol)
                .policy(CommitPolicy.timeBounded(Duration.ofMillis(100)))
                .with("isolation.level", "read_committed")
                .subscribe();

        untilCommittedIsTheEnd(member);
        assertThat(kafka.endOffset(0)).isEqualTo(6);

        kafka.transaction(0, 7, false);
        untilCommittedIsTheEnd(member);
        assertThat(kafka.endOffset(0)).isEqualTo(14);
        assertThat(member.received()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_COOPERATIVE", "CONSUMER"})
    void holesAlone_afterARestart_areCommittedOver(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 3);
        Member first =
                kafka.member(protocol).with("isolation.level", "read_committed").subscribe();
        first.completeAll();
        untilCommittedIsTheEnd(first);
        first.close();
        kafka.transaction(0, 5, false);

        Member second = kafka.member(protocol)
                .policy(CommitPolicy.timeBounded(Duration.ofMillis(100)))
                .with("isolation.level", "read_committed")
                .subscribe();

        untilCommittedIsTheEnd(second);
        assertThat(kafka.endOffset(0)).isEqualTo(9);
        assertThat(second.received()).isEmpty();
    }

    @Test
    void compactedOffsets_areCommittedOver() throws Exception {
        kafka.createCompactedTopic();
        Member member = kafka.member().subscribe().completeAll();

        untilCommittedIsTheEnd(member);

        List<Long> offsets = member.receivedOffsets(kafka.partition(0));
        assertThat(offsets).doesNotContain(0L, 1L, 2L).hasSizeLessThan((int) kafka.endOffset(0) - 50);
    }

    /** The lag is zero; and the commit has a leader epoch. */
    private void untilCommittedIsTheEnd(Member member) throws Exception {
        long end = kafka.endOffset(0, IsolationLevel.READ_COMMITTED);
        member.until("committed is " + end, () -> Long.valueOf(end).equals(kafka.committed(0)));
        assertThat(kafka.commits().get(kafka.partition(0)).leaderEpoch()).isPresent();
    }
}
