package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedRecord;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Topics and records that are deleted under a consumer. */
@Timeout(180)
class VanishedDataIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void deletedTopic_doesNotHoldUpTheCommitsOfOthers(Protocol protocol) throws Exception {
        String doomed = kafka.topic() + "-doomed";
        kafka.createTopic(1);
        kafka.createTopic(doomed, 1, Map.of());
        kafka.produce(0, 10);
        kafka.produce(doomed, 0, 10);
        Member member = kafka.member(protocol).build();
        member.consumer().subscribe(List.of(kafka.topic(), doomed));
        member.receive(20);

        kafka.admin().deleteTopics(List.of(doomed)).all().get();
        member.received().forEach(TrackedRecord::complete);

        member.until("the other is committed", () -> Long.valueOf(10).equals(kafka.committed(0)));
        kafka.produce(0, 10);
        member.completeAll();
        member.until("and goes on", () -> Long.valueOf(20).equals(kafka.committed(0)));
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void storedOffsetBelowTheBeginningOfTheLog_isReplacedByWhereConsumingBegins(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 100);
        Member first =
                kafka.member(protocol).policy(CommitPolicy.batched(1_000)).subscribe();
        first.receive(100);
        first.received().subList(0, 20).forEach(TrackedRecord::complete);
        first.close();
        assertThat(kafka.committed(0)).isEqualTo(20);
        TopicPartition partition = kafka.partition(0);
        kafka.admin()
                .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(60)))
                .all()
                .get();

        Member second = kafka.member(protocol).subscribe();

        second.until("committed is the beginning", () -> Long.valueOf(60).equals(kafka.committed(0)));
        second.receive(40);
        assertThat(second.received().get(0).offset()).isEqualTo(60);
        second.received().subList(0, 3).forEach(TrackedRecord::complete);
        second.until("committed moves on", () -> Long.valueOf(63).equals(kafka.committed(0)));
    }
}
