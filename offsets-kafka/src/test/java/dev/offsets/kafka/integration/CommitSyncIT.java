package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import org.apache.kafka.common.errors.TimeoutException;
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
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member =
                kafka.member(protocol).policy(CommitPolicy.batched(1_000)).subscribe();
        member.receive(10);
        member.received().subList(0, 7).forEach(TrackedRecord::complete);
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
}
