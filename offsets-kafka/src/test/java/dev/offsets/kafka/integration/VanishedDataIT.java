package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.Receipt;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.KafkaException;
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

        kafka.deleteTopic(doomed);
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

    /** Kafka itself asks for a deleted topic again until the time is up. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void commitSync_ofADeletedTopicToo_isBounded_andStoresTheOther(Protocol protocol) throws Exception {
        String doomed = kafka.topic() + "-doomed";
        Member member = tenOfEachReceived(protocol, doomed);
        member.completeBelow(10);

        kafka.deleteTopic(doomed);
        long start = System.nanoTime();
        assertThatThrownBy(() -> member.consumer().commitSync(Duration.ofSeconds(2)))
                .isInstanceOf(KafkaException.class);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(kafka.committed(0)).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void deletedTopic_underAPattern_doesNotHoldUpARebalance(Protocol protocol) throws Exception {
        String doomed = kafka.topic() + "-doomed";
        kafka.createTopic(2);
        kafka.createTopic(doomed, 2, Map.of());
        kafka.produceEverywhere(2, 10);
        kafka.produce(doomed, 0, 10);
        kafka.produce(doomed, 1, 10);
        Pattern pattern = Pattern.compile(Pattern.quote(kafka.topic()) + ".*");
        Member member = patternMember(protocol);
        member.consumer().subscribe(pattern);
        member.receive(40);

        kafka.deleteTopic(doomed);
        member.completeBelow(10);
        Member other = patternMember(protocol).completeAll();
        other.consumer().subscribe(pattern);
        Member.until(
                "what is left is shared out and committed",
                () -> member.assignment().size() == 1
                        && other.assignment().size() == 1
                        && kafka.committed().equals(kafka.ends(2)),
                member,
                other);

        assertThat(member.consumer().status()).containsOnlyKeys(member.assignment());
        member.completeAll();
        kafka.produceEverywhere(2, 5);
        Map<TopicPartition, Long> ends = kafka.ends(2);
        Member.until("both go on", () -> kafka.committed().equals(ends), member, other);
    }

    private Member patternMember(Protocol protocol) {
        return kafka.member(protocol)
                .with("metadata.max.age.ms", 200)
                // A quarter of it is what the last commit may take
                .with("max.poll.interval.ms", 8_000)
                .build();
    }

    /** The offsets of the new topic are lower than what is stored of the old one. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void topicMadeAnew_isReadAndCommittedFromItsBeginning(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 100);
        Heard heard = new Heard();
        Member member = kafka.member(protocol)
                .heardBy(heard)
                .with("metadata.max.age.ms", 200)
                .subscribe();
        member.receive(100);
        member.completeBelow(90);
        member.until("committed", () -> Long.valueOf(90).equals(kafka.committed(0)));

        kafka.deleteTopic(kafka.topic());
        Await.until("deleted", () -> !kafka.admin().listTopics().names().get().contains(kafka.topic()));
        kafka.createTopic(1);
        kafka.produce(0, 10);
        member.receive(110);

        assertThat(member.receivedOffsets(kafka.partition(0)).subList(100, 110))
                .containsExactlyElementsOf(LongStream.range(0, 10).boxed().toList());
        assertThat(member.received().get(95).complete()).isEqualTo(Receipt.IGNORED);
        member.received().subList(100, 107).forEach(TrackedRecord::complete);
        member.until("committed is that of the new topic", () -> Long.valueOf(7).equals(kafka.committed(0)));
    }

    private Member tenOfEachReceived(Protocol protocol, String other) throws Exception {
        kafka.createTopic(1);
        kafka.createTopic(other, 1, Map.of());
        kafka.produce(0, 10);
        kafka.produce(other, 0, 10);
        Member member =
                kafka.member(protocol).policy(CommitPolicy.batched(1_000)).build();
        member.consumer().subscribe(List.of(kafka.topic(), other));
        member.receive(20);
        return member;
    }
}
