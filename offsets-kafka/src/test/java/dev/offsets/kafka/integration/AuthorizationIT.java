package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.TrackedRecord;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A topic that the consumer may not read any more. */
@Timeout(180)
class AuthorizationIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void deniedTopic_doesNotHoldUpTheCommitsOfOthers_andIsMadeUpForLater(Protocol protocol) throws Exception {
        String denied = kafka.topic() + "-denied";
        TopicPartition deniedPartition = new TopicPartition(denied, 0);
        kafka.createTopic(1);
        kafka.createTopic(denied, 1, Map.of());
        kafka.produce(0, 10);
        kafka.produce(denied, 0, 10);
        Heard heard = new Heard();
        Member member = kafka.member(protocol).heardBy(heard).build();
        member.consumer().subscribe(List.of(kafka.topic(), denied));
        member.receive(20);

        AclBinding denial = denialOf(denied);
        kafka.admin().createAcls(List.of(denial)).all().get();
        member.received().forEach(TrackedRecord::complete);
        Await.until(
                "the other is committed",
                () -> turn(member),
                () -> Long.valueOf(10).equals(kafka.committed(0)));
        kafka.produce(0, 10);
        member.completeAll();
        Await.until("and goes on", () -> turn(member), () -> Long.valueOf(20).equals(kafka.committed(0)));
        Await.until(
                "and is known to be so",
                () -> turn(member),
                () -> member.consumer()
                                .status()
                                .get(kafka.partition(0))
                                .committedOffset()
                                .orElse(-1)
                        == 20);
        assertThat(kafka.committed()).doesNotContainKey(deniedPartition);
        assertThat(heard.commitFailures).hasAtLeastOneElementOfType(TopicAuthorizationException.class);
        // Tried again, and left alone for longer each time
        assertThat(heard.commitFailures).hasSizeLessThan(20);

        kafka.admin().deleteAcls(List.of(denial.toFilter())).all().get();
        Await.until(
                "the denied one is made up for",
                () -> turn(member),
                () -> Long.valueOf(10).equals(kafka.committed().get(deniedPartition)));
    }

    /** A loop that goes on although it is told that it may not fetch. */
    private static void turn(Member member) {
        try {
            member.turn();
        } catch (TopicAuthorizationException e) {
            // Of the fetch: the commits come before it
        }
    }

    private static AclBinding denialOf(String topic) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.READ, AclPermissionType.DENY));
    }
}
