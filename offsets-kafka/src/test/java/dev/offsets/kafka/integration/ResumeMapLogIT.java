package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.TrackedRecord;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What is stored as finished is not taken for other records, whatever becomes of the log meanwhile. */
@Timeout(180)
class ResumeMapLogIT {
    private static final int RECORDS = 100;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private static List<Long> offsets(long from, long to) {
        return offsets(from, to, offset -> true);
    }

    private static List<Long> offsets(long from, long to, LongPredicate those) {
        return LongStream.range(from, to).filter(those).boxed().toList();
    }

    /** A member has got all records, finished some of them, and committed that. It is gone. */
    private void receiveAndFinish(Member.Builder builder, int records, LongPredicate finished) throws Exception {
        Member member = builder.subscribe();
        member.receive(records);
        member.received().stream()
                .filter(record -> finished.test(record.offset()))
                .forEach(TrackedRecord::complete);
        member.consumer().commitSync();
        member.close();
        Await.until("the group is empty", () -> kafka.members() == 0);
    }

    /** What the next member gets, up to the end of the log. */
    private List<Long> receivedAfterARestart(Member.Builder builder) throws Exception {
        long end = kafka.endOffset(0);
        Member member = builder.subscribe().completeAll();
        member.until("committed is the end", () -> Long.valueOf(end).equals(kafka.committed(0)));
        return member.receivedOffsets(kafka.partition(0));
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void topicMadeAnew_nothingOfItIsLeftOut(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        receiveAndFinish(kafka.memberWithMaps(protocol), RECORDS, offset -> offset % 3 == 1);
        OffsetAndMetadata stored = kafka.commits().get(kafka.partition(0));
        assertThat(stored.metadata()).isNotEmpty();

        kafka.deleteTopic(kafka.topic());
        Await.until(
                "the broker has forgotten what was stored",
                () -> kafka.commits().get(kafka.partition(0)) == null);
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        kafka.admin()
                .alterConsumerGroupOffsets(kafka.group(), Map.of(kafka.partition(0), stored))
                .all()
                .get();

        assertThat(receivedAfterARestart(kafka.memberWithMaps(protocol)))
                .containsExactlyElementsOf(offsets(stored.offset(), RECORDS));
    }

    @Test
    void resetByATool_nothingIsLeftOut() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        receiveAndFinish(kafka.memberWithMaps(Protocol.CONSUMER), RECORDS, offset -> offset % 3 == 1);
        kafka.admin()
                .alterConsumerGroupOffsets(kafka.group(), Map.of(kafka.partition(0), new OffsetAndMetadata(0)))
                .all()
                .get();

        assertThat(receivedAfterARestart(kafka.memberWithMaps(Protocol.CONSUMER)))
                .containsExactlyElementsOf(offsets(0, RECORDS));
    }

    /** Some of the map's records are gone, and some unfinished ones between them. */
    @Test
    void compacted_whatIsLeftAndHadNotFinishedIsDelivered() throws Exception {
        Set<Long> replaced = Set.of(20L, 22L, 23L, 25L, 26L, 27L, 28L, 40L);
        finishAndCompact(replaced);

        assertThat(receivedAfterARestart(kafka.memberWithMaps(Protocol.CONSUMER)))
                .containsAll(offsets(0, RECORDS, offset -> offset % 3 != 1 && !replaced.contains(offset)))
                .doesNotContainAnyElementsOf(offsets(0, RECORDS, offset -> offset % 3 == 1))
                .doesNotContainAnyElementsOf(replaced);
    }

    /** The lowest record that the map was taken over is its first anchor: without it, nothing is shown. */
    @Test
    void anchorCompacted_everythingThatIsLeftIsDelivered() throws Exception {
        Set<Long> replaced = Set.of(0L, 22L);
        finishAndCompact(replaced);

        assertThat(receivedAfterARestart(kafka.memberWithMaps(Protocol.CONSUMER)))
                .containsAll(offsets(0, RECORDS, offset -> !replaced.contains(offset)))
                .doesNotContainAnyElementsOf(replaced);
    }

    /** Every third of a hundred records, each with a key of its own, is finished; then the keys of some get other values. */
    private void finishAndCompact(Set<Long> replaced) throws Exception {
        kafka.createTopicToCompact(RECORDS);
        receiveAndFinish(kafka.memberWithMaps(Protocol.CONSUMER), RECORDS, offset -> offset % 3 == 1);
        assertThat(kafka.storedMap(0).finishedRecords()).isEqualTo(RECORDS / 3);
        for (long offset : replaced) {
            kafka.produce(0, "key " + offset, "another value");
        }
        kafka.untilCompacted(RECORDS, RECORDS - replaced.size());
    }

    @ParameterizedTest
    @CsvSource({
        "CLASSIC_COOPERATIVE, read_committed",
        "CONSUMER, read_committed",
        "CLASSIC_COOPERATIVE, read_uncommitted",
        "CONSUMER, read_uncommitted"
    })
    void markersAndAbortedRecordsAmongTheMapsRecords_areNotNamed(Protocol protocol, String nextIsolation)
            throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 5);
        kafka.transaction(0, 10, true);
        kafka.transaction(0, 8, false); // 16 to 23
        kafka.produce(0, 5);
        kafka.transaction(0, 3, true);
        kafka.produce(0, 4);
        Set<Long> unfinished = Set.of(2L, 12L, 31L);
        receiveAndFinish(
                kafka.memberWithMaps(protocol).with("isolation.level", "read_committed"),
                27,
                offset -> !unfinished.contains(offset));

        assertThat(receivedAfterARestart(kafka.memberWithMaps(protocol).with("isolation.level", nextIsolation)))
                .containsExactlyElementsOf(offsets(
                        0,
                        38,
                        offset -> unfinished.contains(offset)
                                || nextIsolation.equals("read_uncommitted") && offset >= 16 && offset < 24));
    }
}
