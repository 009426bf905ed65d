package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.VirtualTopicIds;
import dev.offsets.kafka.broker.LocalBroker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Maps that are longer than a broker takes, one by one or together: the offsets are stored all the same. */
@Timeout(180)
class ResumeMapLengthIT {
    private static final int CHARACTERS_OF_ONE = 150;

    /** Room for the offsets of forty partitions, and for some of their maps. */
    private static final int BYTES_OF_A_BATCH = 10_500;

    private static final int PARTITIONS = 40;
    private static final long SEED = 11;

    private static LocalBroker strict;
    private static Admin admin;
    private static KafkaProducer<String, String> producer;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private final Heard heard = new Heard();

    @BeforeAll
    static void start() {
        strict = LocalBroker.builder()
                .property("offset.metadata.max.bytes", CHARACTERS_OF_ONE)
                .property("message.max.bytes", BYTES_OF_A_BATCH) // the offsets topic's, too
                .start();
        Map<String, Object> configuration = Map.of("bootstrap.servers", strict.bootstrapServers());
        admin = Admin.create(configuration);
        producer = new KafkaProducer<>(configuration, new StringSerializer(), new StringSerializer());
    }

    @AfterAll
    static void close() {
        producer.close();
        admin.close();
        strict.close();
    }

    private void fillTopic(int partitions, int records) throws Exception {
        KafkaRig.createTopic(admin, kafka.topic(), partitions, Map.of("max.message.bytes", "1000000"));
        for (int partition = 0; partition < partitions; partition++) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>(kafka.topic(), partition, null, ""));
            }
        }
        producer.flush();
    }

    private Member.Builder member(Protocol protocol) {
        return kafka.member(protocol)
                .with("bootstrap.servers", strict.bootstrapServers())
                .with("max.poll.records", 10_000)
                .heardBy(heard)
                .set(builder -> builder.admin(admin).resumeMaps().resumeMapEvery(Duration.ofMillis(100)));
    }

    /** The first record of each partition stays, and about half of the others. */
    private static void finishAboutHalf(Member member) {
        Random random = new Random(SEED);
        member.received().stream()
                .filter(record -> random.nextBoolean() && record.offset() > 0)
                .forEach(TrackedRecord::complete);
    }

    private static void finishTheFirst(Member member) {
        member.received().stream().filter(record -> record.offset() == 0).forEach(TrackedRecord::complete);
    }

    private Map<TopicPartition, OffsetAndMetadata> stored() throws Exception {
        return admin.listConsumerGroupOffsets(kafka.group())
                .partitionsToOffsetAndMetadata()
                .get();
    }

    private boolean areAllStored(int partitions, boolean withMaps) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> stored = stored();
        return stored.size() == partitions
                && stored.values().stream()
                        .allMatch(offset ->
                                offset.offset() > 0 && offset.metadata().isEmpty() != withMaps);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void mapIsTooLong_theOffsetIsStored_andThenAShorterMap(Protocol protocol) throws Exception {
        int records = 1_500;
        fillTopic(1, records);
        Member member = member(protocol).subscribe();
        member.receive(records);
        finishAboutHalf(member);
        finishTheFirst(member);

        member.until("the offset is stored, with a map", () -> areAllStored(1, true));
        member.completeBelow(records);
        member.until("all is stored", () -> stored().get(kafka.partition(0)).offset() == records);
        assertThat(heard.commitFailures).as("refused once or twice").hasSizeBetween(1, 2);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void mapOfTheLastCommitIsTooLong_theOffsetIsStored(Protocol protocol) throws Exception {
        int records = 1_500;
        fillTopic(1, records);
        Member member = member(protocol)
                .set(builder -> builder.resumeMapEvery(Duration.ofHours(1)))
                .policy(progress -> Optional.empty())
                .subscribe();
        member.receive(records);
        finishAboutHalf(member);
        finishTheFirst(member);

        assertThat(member.consumer().close(Duration.ofSeconds(1)).failures()).isEmpty();
        assertThat(areAllStored(1, false)).isTrue();
    }

    /** The broker does not say what is wrong, and refuses all of the request. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void mapsAreTooLongTogether_theOffsetsAreStored_andThenShorterMaps(Protocol protocol) throws Exception {
        int records = 600;
        fillTopic(PARTITIONS, records);
        Member member = member(protocol).subscribe();
        member.receive(PARTITIONS * records);
        finishAboutHalf(member);
        finishTheFirst(member);

        member.until("all offsets are stored, with maps", () -> areAllStored(PARTITIONS, true));
        member.completeBelow(records);
        member.until("all is stored", () -> stored().values().stream().allMatch(offset -> offset.offset() == records));
        assertThat(heard.commitFailures).as("refused once or twice").hasSizeBetween(1, 2);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void mapsOfTheLastCommitAreTooLongTogether_theOffsetsAreStored(Protocol protocol) throws Exception {
        int records = 600;
        fillTopic(PARTITIONS, records);
        Member member = member(protocol)
                .set(builder -> builder.resumeMapEvery(Duration.ofHours(1)))
                .policy(progress -> Optional.empty())
                .subscribe();
        member.receive(PARTITIONS * records);
        finishAboutHalf(member);
        finishTheFirst(member);

        assertThat(member.consumer().close(Duration.ofSeconds(1)).failures()).isEmpty();
        assertThat(areAllStored(PARTITIONS, false)).isTrue();
    }

    /** A hundred and thirty partitions, and names as long as they may be. */
    @Test
    void asMuchAsMapsOfOneRequestMayHave_isTakenByABrokerWithDefaults() throws Exception {
        int partitions = 130;
        String topic = "t".repeat(249);
        String group = "g".repeat(249);
        kafka.createTopic(topic, partitions, Map.of());
        int each = VirtualTopicIds.mapCharactersEach(4_096, partitions);
        assertThat(each).as("they have to share").isLessThan(4_096);
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(1, "x".repeat(each)));
        }
        kafka.admin().alterConsumerGroupOffsets(group, offsets).all().get();

        assertThat(kafka.commits(group)).isEqualTo(offsets);
        kafka.deleteTopic(topic);
    }
}
