package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where consuming begins, and what of that is stored. */
@Timeout(180)
class StartPositionIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    /** The next owner would begin at the then latest record, and pass over what came in between. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void latest_withNothingStored_isStoredAtOnce(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 50);
        Member first = latest(protocol).subscribe();
        first.until("where consuming begins is stored", () -> Long.valueOf(50).equals(kafka.committed(0)));
        kafka.produce(0, 1);
        first.receive(1);

        first.close();
        Member second = latest(protocol).subscribe();
        second.receive(1);

        assertThat(second.receivedOffsets(kafka.partition(0))).containsExactly(50L);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void latest_withAnOffsetStored_commitsNothingBeforeThereIsProgress(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 50);
        store(20);
        Member member = latest(protocol).policy(CommitPolicy.afterProcessing()).subscribe();
        member.receive(30);
        member.turns(10);

        assertThat(member.ledger().commits(Set.of(kafka.partition(0)))).isZero();
        assertThat(kafka.committed(0)).isEqualTo(20);
    }

    /** Somebody has committed past the end, which Kafka takes: the reset policy applies, and what is stored is put right. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void storedOffsetAboveTheEnd_isReplacedByWhereConsumingBegins(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        store(1_000);
        Heard heard = new Heard();
        Member member = kafka.member(protocol).heardBy(heard).subscribe();

        member.receive(10);
        assertThat(member.receivedOffsets(kafka.partition(0)))
                .containsExactlyElementsOf(LongStream.range(0, 10).boxed().toList());
        member.until("what is stored is put right", () -> Long.valueOf(0).equals(kafka.committed(0)));
        assertThat(heard.jumps).containsExactly(new Heard.Jump(kafka.partition(0), 1_000, 0));
        member.completeBelow(7);
        member.until("committed moves on", () -> Long.valueOf(7).equals(kafka.committed(0)));
    }

    /** What is stored can't be read while an offset of the group's is in an open transaction. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void storedOffset_inAnOpenTransaction_isWaitedFor(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        store(2);
        try (KafkaProducer<String, String> producer = kafka.producer(Map.of("transactional.id", kafka.group()))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(
                    Map.of(kafka.partition(0), new OffsetAndMetadata(5)), metadataOfTheGroup());
            Member member =
                    kafka.member(protocol).with("max.poll.interval.ms", 4_000).subscribe();
            member.until("assigned", () -> !member.assignment().isEmpty());
            member.turns(10);
            assertThat(member.received()).isEmpty();

            producer.commitTransaction();

            member.receive(5);
            assertThat(member.receivedOffsets(kafka.partition(0))).containsExactly(5L, 6L, 7L, 8L, 9L);
            member.completeBelow(8);
            member.until("committed", () -> Long.valueOf(8).equals(kafka.committed(0)));
        }
    }

    private ConsumerGroupMetadata metadataOfTheGroup() {
        try (KafkaConsumer<String, String> outsider = new KafkaConsumer<>(kafka.configuration())) {
            return outsider.groupMetadata();
        }
    }

    private void store(long offset) throws Exception {
        kafka.admin()
                .alterConsumerGroupOffsets(kafka.group(), Map.of(kafka.partition(0), new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    private Member.Builder latest(Protocol protocol) {
        return kafka.member(protocol)
                .policy(CommitPolicy.timeBounded(Duration.ofHours(1)))
                .with("auto.offset.reset", "latest");
    }
}
