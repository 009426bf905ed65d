package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.GroupReport;
import dev.offsets.kafka.PartitionReport;
import dev.offsets.kafka.TrackedRecord;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
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

        AclBinding denial = denialOf(denied, AclOperation.READ);
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

    @Test
    void topicThatMayNotBeDescribed_isSaidToBeUnknown_andTheOthersAreReported() throws Exception {
        String denied = kafka.topic() + "-denied";
        TopicPartition deniedPartition = new TopicPartition(denied, 0);
        kafka.createTopic(1);
        kafka.createTopic(denied, 1, Map.of());
        kafka.produce(0, 10);
        Member member = kafka.member().build();
        member.consumer().subscribe(List.of(kafka.topic(), denied));
        member.completeAll();
        member.until("committed", () -> Long.valueOf(10).equals(kafka.committed(0)));
        AclBinding denial = denialOf(denied, AclOperation.DESCRIBE);
        kafka.admin().createAcls(List.of(denial)).all().get();
        try {
            Await.until(
                    "it is denied",
                    () -> report(deniedPartition).status().evidence().contains("TopicAuthorizationException"));
            assertThat(report(deniedPartition).status().evidence())
                    .startsWith("nothing is known to be committed, and the end of the log is not known: ");
            assertThat(report(kafka.partition(0)).commitLag()).hasValue(0);
        } finally {
            kafka.admin().deleteAcls(List.of(denial.toFilter())).all().get();
        }
    }

    private PartitionReport report(TopicPartition partition) throws Exception {
        return GroupReport.request(kafka.admin(), kafka.group(), IsolationLevel.READ_UNCOMMITTED)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS)
                .partitions()
                .stream()
                .filter(report -> report.topicPartition().equals(partition))
                .findFirst()
                .orElseThrow();
    }

    /** A loop that goes on although it is told that it may not fetch. */
    private static void turn(Member member) {
        try {
            member.turn();
        } catch (TopicAuthorizationException e) {
            // Of the fetch: the commits come before it
        }
    }

    private static AclBinding denialOf(String topic, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", operation, AclPermissionType.DENY));
    }
}
