package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.broker.LocalBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Finished work survives restarts and rebalances, and is not taken for work on other records. */
@Timeout(180)
class ResumeMapIT {
    private static final int RECORDS = 100;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private Member.Builder member(Protocol protocol) {
        return kafka.member(protocol)
                .set(builder -> builder.admin(kafka.admin()).resumeMaps().resumeMapEvery(Duration.ofMillis(100)));
    }

    private static List<Long> offsets(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    /** A member that has got all records, finished every third one, and committed that. */
    private Member everyThirdCommitted(Protocol protocol) throws Exception {
        Member member = everyThirdFinished(protocol);
        member.consumer().commitSync();
        return member;
    }

    private Member everyThirdFinished(Protocol protocol) throws Exception {
        Member member = member(protocol).subscribe();
        member.receive(RECORDS);
        member.received().stream().filter(record -> record.offset() % 3 == 1).forEach(TrackedRecord::complete);
        return member;
    }

    private static List<Long> withoutEveryThird() {
        return LongStream.range(0, RECORDS)
                .filter(offset -> offset % 3 != 1)
                .boxed()
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void closed_theNextMemberGetsOnlyTheRest(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        everyThirdFinished(protocol).consumer().close(Duration.ofSeconds(5));

        Member second = member(protocol).subscribe().completeAll();
        second.until("committed is the end", () -> Long.valueOf(RECORDS).equals(kafka.committed(0)));

        assertThat(second.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(withoutEveryThird());
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void revoked_theOtherMemberGetsOnlyTheRest(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, RECORDS);
        Member first = member(protocol)
                .set(builder -> builder.drainTimeout(Duration.ZERO))
                .subscribe();
        first.receive(2 * RECORDS);
        first.received().stream().filter(record -> record.offset() % 3 == 1).forEach(TrackedRecord::complete);
        Member second = member(protocol).subscribe();

        Member.until(
                "shared",
                () -> first.assignment().size() == 1 && second.assignment().size() == 1,
                first,
                second);
        TopicPartition moved = second.assignment().iterator().next();
        Member.until("the last is read", () -> second.receivedOffsets(moved).contains(RECORDS - 1L), first, second);

        assertThat(second.receivedOffsets(moved)).containsExactlyElementsOf(withoutEveryThird());
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void topicMadeAnew_nothingOfItIsLeftOut(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        everyThirdCommitted(protocol).close();
        OffsetAndMetadata stored = kafka.commits().get(kafka.partition(0));
        assertThat(stored.metadata()).isNotEmpty();

        kafka.admin().deleteTopics(List.of(kafka.topic())).all().get();
        Await.until("the topic is gone", () -> {
            try {
                kafka.topicId();
                return false;
            } catch (ExecutionException e) {
                return e.getCause() instanceof UnknownTopicOrPartitionException;
            }
        });
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        Await.until("the group is empty", () -> kafka.members() == 0);
        kafka.admin()
                .alterConsumerGroupOffsets(kafka.group(), Map.of(kafka.partition(0), stored))
                .all()
                .get();

        Member second = member(protocol).subscribe().completeAll();
        second.until("committed is the end", () -> Long.valueOf(RECORDS).equals(kafka.committed(0)));
        assertThat(second.receivedOffsets(kafka.partition(0)))
                .containsExactlyElementsOf(offsets(stored.offset(), RECORDS));
    }

    @Test
    void resetByATool_nothingIsLeftOut() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        everyThirdCommitted(Protocol.CONSUMER).close();
        Await.until("the group is empty", () -> kafka.members() == 0);
        kafka.admin()
                .alterConsumerGroupOffsets(kafka.group(), Map.of(kafka.partition(0), new OffsetAndMetadata(0)))
                .all()
                .get();

        Member second = member(Protocol.CONSUMER).subscribe().completeAll();
        second.until("committed is the end", () -> Long.valueOf(RECORDS).equals(kafka.committed(0)));
        assertThat(second.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(offsets(0, RECORDS));
    }

    @Test
    void memberWithoutMapsTakesOver_everythingIsDoneAgainAndTheMapIsGone() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        everyThirdCommitted(Protocol.CLASSIC_COOPERATIVE).close();

        Member without = kafka.member().subscribe();
        without.receive(RECORDS);
        assertThat(without.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(offsets(0, RECORDS));
        without.completeBelow(10);
        without.until("committed", () -> Long.valueOf(10).equals(kafka.committed(0)));
        without.close();
        assertThat(kafka.commits().get(kafka.partition(0)).metadata()).isEmpty();

        Member third = member(Protocol.CLASSIC_COOPERATIVE).subscribe();
        third.receive(RECORDS - 10);
        assertThat(third.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(offsets(10, RECORDS));
    }

    @Test
    void brokerAllowsOnlyShortMetadata_theOffsetIsCommittedAllTheSame() throws Exception {
        try (LocalBroker broker = LocalBroker.builder()
                        .property("offset.metadata.max.bytes", 20)
                        .start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
                KafkaProducer<String, String> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker.bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            admin.createTopics(List.of(new NewTopic(kafka.topic(), 1, (short) 1)))
                    .all()
                    .get();
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(kafka.topic(), 0, null, "value " + i));
            }
            producer.flush();
            Heard heard = new Heard();
            try (Member member = kafka.member(Protocol.CONSUMER)
                    .with("bootstrap.servers", broker.bootstrapServers())
                    .heardBy(heard)
                    .set(builder -> builder.admin(admin).resumeMaps().resumeMapEvery(Duration.ofMillis(100)))
                    .subscribe()) {
                member.receive(RECORDS);
                member.received().stream()
                        .filter(record -> record.offset() < 10 || record.offset() % 3 == 1)
                        .forEach(TrackedRecord::complete);

                member.until(
                        "the offset is stored, without a map",
                        () -> new OffsetAndMetadata(11, Optional.of(0), "").equals(stored(admin)));
                member.completeBelow(RECORDS);
                member.until("all is committed", () -> stored(admin).offset() == RECORDS);
            }
        }
    }

    private OffsetAndMetadata stored(Admin admin) throws Exception {
        return admin.listConsumerGroupOffsets(kafka.group())
                .partitionsToOffsetAndMetadata()
                .get()
                .get(kafka.partition(0));
    }
}
