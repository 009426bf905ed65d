package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.Receipt;
import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.broker.LocalBroker;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A log loses its tail in an unclean leader election: a replica that was left behind leads, and other records come to stand
 * at the same offsets. The leader epochs of commits tell (KIP-320): without them a consumer would go on in the middle of the
 * new records. Those in resume maps tell, too.
 */
@Timeout(180)
class TruncationIT {
    private static final int KEPT = 10;
    private static final int READ = 20;
    private static final int NEW_END = 25;
    private static final String STOPPED = "-stopped";
    private static final String RUNNING = "-running";
    private static final String WITH_MAP = "-with-map";
    private static final int UNFINISHED = 5;
    private static final int LEADER = 2;
    private static final int FOLLOWER = 3;

    /** Controller and coordinator, which never fails here. */
    private static LocalBroker broker;

    private static LocalBroker leader;
    private static LocalBroker follower;
    private static Admin admin;
    private static KafkaProducer<String, String> producer;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @BeforeAll
    static void start() throws Exception {
        broker = LocalBroker.start();
        Map<String, Object> configuration = Map.of("bootstrap.servers", broker.bootstrapServers());
        admin = Admin.create(configuration);
        // Asking makes it the coordinator of all groups, before there is another that could be
        admin.listConsumerGroupOffsets("any").partitionsToOffsetAndMetadata().get();
        leader = LocalBroker.builder().joins(broker, LEADER).start();
        follower = LocalBroker.builder().joins(broker, FOLLOWER).start();
        producer = new KafkaProducer<>(configuration, new StringSerializer(), new StringSerializer());
    }

    @AfterAll
    static void close() {
        producer.close();
        admin.close();
        follower.close();
        leader.close();
        broker.close();
    }

    @Test
    void logThatIsCutOff_isReadFromThere_andWhatWasReadBeyondIsVoid() throws Exception {
        admin.createTopics(List.of(new NewTopic(kafka.topic(), Map.of(0, List.of(LEADER, FOLLOWER)))
                        .configs(Map.of("unclean.leader.election.enable", "true"))))
                .all()
                .get();
        produce(KEPT);
        follower.stop();
        produce(READ - KEPT);
        Map<Protocol, Heard> heard = new EnumMap<>(Protocol.class);
        Map<Protocol, Member> running = new EnumMap<>(Protocol.class);
        for (Protocol protocol : Protocol.values()) {
            Member stopped = member(protocol, STOPPED).subscribe().completeAll();
            stopped.until("committed", () -> stored(protocol, STOPPED) == READ);
            stopped.close();
            Member mapped = withMap(protocol).subscribe();
            mapped.receive(READ);
            mapped.received().stream()
                    .filter(record -> record.offset() >= UNFINISHED)
                    .forEach(TrackedRecord::complete);
            mapped.consumer().commitSync();
            mapped.close();
            heard.put(protocol, new Heard());
            Member member =
                    member(protocol, RUNNING).heardBy(heard.get(protocol)).subscribe();
            member.receive(READ);
            member.completeBelow(READ - 1);
            member.until("committed", () -> stored(protocol, RUNNING) == READ - 1);
            running.put(protocol, member);
        }

        leader.kill();
        follower.restart();
        Await.until("the follower leads", () -> leads(FOLLOWER));
        produce(NEW_END - KEPT);

        List<Long> newRecords = LongStream.range(KEPT, NEW_END).boxed().toList();
        for (Protocol protocol : Protocol.values()) {
            Member restarted = member(protocol, STOPPED).subscribe().completeAll();
            restarted.until("committed", () -> stored(protocol, STOPPED) == NEW_END);
            assertThat(offsets(restarted.received()))
                    .as("restarted, %s", protocol)
                    .isEqualTo(newRecords);

            Member mapped = withMap(protocol).subscribe().completeAll();
            mapped.until("committed", () -> stored(protocol, WITH_MAP) == NEW_END);
            assertThat(offsets(mapped.received()))
                    .as("what the map names below the cut is left out, %s", protocol)
                    .isEqualTo(LongStream.range(0, NEW_END)
                            .filter(offset -> offset < UNFINISHED || offset >= KEPT)
                            .boxed()
                            .toList());

            Member member = running.get(protocol);
            member.receive(READ + newRecords.size());
            assertThat(offsets(member.received().subList(READ, READ + newRecords.size())))
                    .as("running, %s", protocol)
                    .isEqualTo(newRecords);
            assertThat(heard.get(protocol).jumps).singleElement().matches(jump -> jump.to() == KEPT);
            assertThat(member.received().get(READ - 1).complete()).isEqualTo(Receipt.IGNORED);
            member.completeBelow(NEW_END);
            member.until("committed", () -> stored(protocol, RUNNING) == NEW_END);
        }
    }

    private boolean leads(int node) throws Exception {
        Node leads = admin.describeTopics(List.of(kafka.topic()))
                .allTopicNames()
                .get()
                .get(kafka.topic())
                .partitions()
                .get(0)
                .leader();
        return leads != null && leads.id() == node;
    }

    private static List<Long> offsets(List<TrackedRecord<String, String>> records) {
        return records.stream().map(TrackedRecord::offset).toList();
    }

    private Member.Builder member(Protocol protocol, String group) {
        return kafka.member(protocol)
                .with("bootstrap.servers", broker.bootstrapServers())
                .with("group.id", protocol + group)
                .set(builder -> builder.drainTimeout(Duration.ofMillis(100)));
    }

    private Member.Builder withMap(Protocol protocol) {
        return member(protocol, WITH_MAP).set(builder -> builder.admin(admin).resumeMaps());
    }

    private long stored(Protocol protocol, String group) throws Exception {
        OffsetAndMetadata stored = admin.listConsumerGroupOffsets(protocol + group)
                .partitionsToOffsetAndMetadata()
                .get()
                .get(kafka.partition(0));
        return stored == null ? -1 : stored.offset();
    }

    private void produce(int records) {
        for (int i = 0; i < records; i++) {
            producer.send(new ProducerRecord<>(kafka.topic(), 0, null, "value " + i));
        }
        producer.flush();
    }
}
