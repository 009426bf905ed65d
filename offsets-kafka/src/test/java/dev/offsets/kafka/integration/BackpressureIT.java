package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.TrackedRecord;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class BackpressureIT {
    private static final int BOUND = 100;
    private static final int ONE_POLL = 50;
    private static final int RECORDS = 1_000;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void stuckPartition_isPausedAlone_andGoesOnByItself(Protocol protocol) throws Exception {
        kafka.createTopic(3);
        for (int partition = 0; partition < 3; partition++) {
            kafka.produce(partition, RECORDS);
        }
        TopicPartition stuck = kafka.partition(0);
        Member member = kafka.member(protocol)
                .with("max.poll.records", ONE_POLL)
                .set(builder -> builder.maxInFlightPerPartition(BOUND))
                .subscribe();
        member.handle(record -> {
            if (record.partition() != 0 || record.offset() != 0) {
                record.complete();
            }
        });

        member.until(
                "the others have been read to the end",
                () -> member.received(kafka.partition(1)).size() == RECORDS
                        && member.received(kafka.partition(2)).size() == RECORDS);
        member.until(
                "the stuck one is at its bound", () -> member.ledger().paused().equals(java.util.Set.of(stuck)));
        int held = member.received(stuck).size();
        assertThat(held).isBetween(BOUND, BOUND + ONE_POLL - 1);
        kafka.produce(1, 10);
        member.until(
                "the others go on", () -> member.received(kafka.partition(1)).size() == RECORDS + 10);
        assertThat(member.received(stuck)).hasSize(held);
        assertThat(member.consumer().paused()).isEmpty();

        TrackedRecord<String, String> head = member.received(stuck).get(0);
        assertThat(head.offset()).isZero();
        head.complete();

        Map<TopicPartition, Long> ends = kafka.ends(3);
        member.until("all is committed", () -> kafka.committed().equals(ends));
        assertThat(member.received(stuck)).hasSize(RECORDS);
        assertThat(member.ledger().paused()).isEmpty();
    }
}
