package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.broker.LocalBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Brokers forget what a group has stored, some of it while its consumers run ({@code offsets.retention.minutes}). */
@Timeout(180)
class ExpiryIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void offsetThatIsGone_isStoredAgain_withoutProgress(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member(protocol)
                .set(builder -> builder.commitKeepAlive(Duration.ofMillis(500)))
                .build()
                .completeAll();
        member.consumer().assign(List.of(kafka.partition(0)));
        member.until("committed", () -> Long.valueOf(10).equals(kafka.committed(0)));

        kafka.admin()
                .deleteConsumerGroupOffsets(kafka.group(), Set.of(kafka.partition(0)))
                .all()
                .get();

        member.until("committed again", () -> Long.valueOf(10).equals(kafka.committed(0)));
        assertThat(member.received()).hasSize(10);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void idlePartition_ofASubscription_isCommittedAgainAndAgain(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Heard heard = new Heard();
        Member member = kafka.member(protocol)
                .heardBy(heard)
                .set(builder -> builder.commitKeepAlive(Duration.ofMillis(200)))
                .subscribe()
                .completeAll();
        member.until("committed", () -> Long.valueOf(10).equals(kafka.committed(0)));
        int commits = heard.commits.size();

        member.until("three times more", () -> heard.commits.size() == commits + 3);

        assertThat(heard.commits).last().isEqualTo(kafka.commits());
        assertThat(kafka.committed(0)).isEqualTo(10);
    }

    /** A minute is the shortest retention there is. */
    @Test
    void retention_passesBy_andWhatIsCommittedAgainStays() throws Exception {
        try (LocalBroker broker = LocalBroker.builder()
                        .property("offsets.retention.minutes", 1)
                        .property("offsets.retention.check.interval.ms", 1_000)
                        .start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("idle", 1, (short) 1)))
                    .all()
                    .get();
            TopicPartition idle = new TopicPartition("idle", 0);
            Member byHand = keepingAlive(broker, Protocol.CLASSIC_COOPERATIVE, "by-hand")
                    .build();
            byHand.consumer().assign(List.of(idle));
            Member byHandNew =
                    keepingAlive(broker, Protocol.CONSUMER, "by-hand-new").build();
            byHandNew.consumer().assign(List.of(idle));
            Member[] members = {byHand, byHandNew};
            Member.until(
                    "both have stored where they are",
                    () -> stored(admin, "by-hand", idle) && stored(admin, "by-hand-new", idle),
                    members);
            // Stored after theirs, and never again
            admin.alterConsumerGroupOffsets("nobody", Map.of(idle, new OffsetAndMetadata(0)))
                    .all()
                    .get();
            assertThat(stored(admin, "nobody", idle)).isTrue();

            Await.until(
                    "what nobody commits again is gone",
                    Duration.ofSeconds(100),
                    () -> List.of(members).forEach(Member::turn),
                    () -> !stored(admin, "nobody", idle));

            assertThat(stored(admin, "by-hand", idle)).isTrue();
            assertThat(stored(admin, "by-hand-new", idle)).isTrue();
            List.of(members).forEach(Member::close);
        }
    }

    private Member.Builder keepingAlive(LocalBroker broker, Protocol protocol, String group) {
        return kafka.member(protocol)
                .with("bootstrap.servers", broker.bootstrapServers())
                .with("group.id", group)
                // Stores where it begins
                .with("auto.offset.reset", "latest")
                .set(builder -> builder.commitKeepAlive(Duration.ofSeconds(20)));
    }

    private static boolean stored(Admin admin, String group, TopicPartition partition) throws Exception {
        return admin.listConsumerGroupOffsets(group)
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .get(partition)
                != null;
    }
}
