package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.RecordStuckException;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class StuckRecordIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void stuckRecord_stopsTheConsumer_afterACommitOfWhatFinished_andIsDeliveredAgain(Protocol protocol)
            throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member first = kafka.member(protocol)
                .policy(CommitPolicy.batched(1_000))
                .set(builder -> builder.stopWhenStuckFor(Duration.ofSeconds(1)))
                .subscribe();
        first.receive(10);
        first.received().stream().filter(record -> record.offset() != 4).forEach(TrackedRecord::complete);

        assertThat(first.untilThrows())
                .isInstanceOf(RecordStuckException.class)
                .hasMessageContaining(kafka.partition(0) + "@4");
        assertThat(kafka.committed(0)).isEqualTo(4);

        first.close();
        Member second = kafka.member(protocol).subscribe().completeAll();
        second.receive(6);
        assertThat(second.receivedOffsets(kafka.partition(0))).startsWith(4L);
        second.until("committed is the end", () -> Long.valueOf(10).equals(kafka.committed(0)));
    }
}
