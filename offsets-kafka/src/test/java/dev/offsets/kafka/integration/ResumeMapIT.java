package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.Handler;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.TrackedConsumerListener;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Finished work survives restarts and rebalances. */
@Timeout(180)
class ResumeMapIT {
    private static final int RECORDS = 100;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

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
        Member member = kafka.memberWithMaps(protocol).subscribe();
        member.receive(RECORDS);
        everyThird(member).forEach(TrackedRecord::complete);
        return member;
    }

    private static List<TrackedRecord<String, String>> everyThird(Member member) {
        return member.received().stream()
                .filter(record -> record.offset() % 3 == 1)
                .toList();
    }

    private static List<Long> withoutEveryThird(long from) {
        return LongStream.range(from, RECORDS)
                .filter(offset -> offset % 3 != 1)
                .boxed()
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void closed_theNextMemberGetsOnlyTheRest(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        everyThirdFinished(protocol).consumer().close(Duration.ofSeconds(1));

        Member second = kafka.memberWithMaps(protocol).subscribe().completeAll();
        second.until("committed is the end", () -> Long.valueOf(RECORDS).equals(kafka.committed(0)));

        assertThat(second.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(withoutEveryThird(0));
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void revoked_theOtherMemberGetsOnlyTheRest(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, RECORDS);
        Member first = kafka.memberWithMaps(protocol)
                .set(builder -> builder.drainTimeout(Duration.ZERO))
                .subscribe();
        first.receive(2 * RECORDS);
        everyThird(first).forEach(TrackedRecord::complete);
        Member second = kafka.memberWithMaps(protocol).subscribe();

        Member.until(
                "shared",
                () -> first.assignment().size() == 1 && second.assignment().size() == 1,
                first,
                second);
        TopicPartition moved = second.assignment().iterator().next();
        Member.until("the last is read", () -> second.receivedOffsets(moved).contains(RECORDS - 1L), first, second);

        assertThat(second.receivedOffsets(moved)).containsExactlyElementsOf(withoutEveryThird(0));
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

        Member third = kafka.memberWithMaps(Protocol.CLASSIC_COOPERATIVE).subscribe();
        third.receive(RECORDS - 10);
        assertThat(third.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(offsets(10, RECORDS));
    }

    /** On close a static member commits and stays (KIP-345): nothing moves, and no other member takes the partition over. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void staticMemberBounced_itGetsOnlyTheRest(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        Member first =
                kafka.memberWithMaps(protocol).with("group.instance.id", "one").subscribe();
        first.receive(RECORDS);
        everyThird(first).forEach(TrackedRecord::complete);
        first.consumer().commitSync();
        first.close();
        assertThat(kafka.members()).isEqualTo(1);

        Member second = kafka.memberWithMaps(protocol)
                .with("group.instance.id", "one")
                .subscribe()
                .completeAll();
        second.until("committed is the end", () -> Long.valueOf(RECORDS).equals(kafka.committed(0)));

        assertThat(second.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(withoutEveryThird(0));
    }

    /** A partition moves from a member with maps to one without, and back, while the other partition stays. */
    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_COOPERATIVE", "CONSUMER"})
    void fleetOfMembersWithMapsAndWithout_eachBeginsAtTheOffset_andTheMapIsGoneWithTheFirstCommit(Protocol protocol)
            throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, RECORDS);
        Member with = kafka.memberWithMaps(protocol)
                .set(builder -> builder.drainTimeout(Duration.ZERO))
                .subscribe();
        with.receive(2 * RECORDS);
        everyThird(with).forEach(TrackedRecord::complete);
        Member without = kafka.member(protocol)
                .set(builder -> builder.drainTimeout(Duration.ZERO))
                .subscribe();
        Member.until(
                "one partition has moved, and is read",
                () -> without.received().size() == RECORDS && with.assignment().size() == 1,
                with,
                without);
        TopicPartition moved = without.assignment().iterator().next();
        int stayed = 1 - moved.partition();
        assertThat(without.receivedOffsets(moved)).containsExactlyElementsOf(offsets(0, RECORDS));

        without.received().stream()
                .filter(record -> record.offset() < 10 || record.offset() % 2 == 1)
                .forEach(TrackedRecord::complete);
        without.until("committed", () -> Long.valueOf(10).equals(kafka.committed(moved.partition())));
        without.close();
        with.until("the partition is back, and read", () -> with.received().size() == 2 * RECORDS + RECORDS - 10);
        assertThat(with.receivedOffsets(moved).subList(RECORDS, 2 * RECORDS - 10))
                .containsExactlyElementsOf(offsets(10, RECORDS));
        with.consumer().commitSync();
        with.close();

        Member next = kafka.memberWithMaps(protocol).subscribe().completeAll();
        next.until("all is committed", () -> kafka.committed().equals(kafka.ends(2)));
        assertThat(next.receivedOffsets(kafka.partition(stayed))).containsExactlyElementsOf(withoutEveryThird(0));
        assertThat(next.receivedOffsets(moved)).containsExactlyElementsOf(offsets(10, RECORDS));
    }

    @Test
    void turnedOffAndOnAgain_theMapHoldsUntilAnotherCommitIsStored() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, RECORDS);
        everyThirdCommitted(Protocol.CONSUMER).close();

        Member off = kafka.member(Protocol.CONSUMER).subscribe();
        off.receive(RECORDS);
        off.received().stream().filter(record -> record.offset() > 50).forEach(TrackedRecord::complete);
        off.close();
        Member on = kafka.memberWithMaps(Protocol.CONSUMER).subscribe();
        on.receive(withoutEveryThird(0).size());
        assertThat(on.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(withoutEveryThird(0));
        on.completeBelow(10);
        on.consumer().commitSync();
        on.close();

        Member last = kafka.memberWithMaps(Protocol.CONSUMER).subscribe().completeAll();
        last.until("committed is the end", () -> Long.valueOf(RECORDS).equals(kafka.committed(0)));
        assertThat(last.receivedOffsets(kafka.partition(0))).containsExactlyElementsOf(withoutEveryThird(11));
    }

    /** A key waits for its stuck record in both lives; the others go on behind what is left out. */
    @Test
    void processorInTheOrderOfKeys_worksInThatOrderOverARestart() throws Exception {
        int keys = 10;
        kafka.createTopic(1);
        kafka.produceKeyed(0, RECORDS, number -> "key " + number % keys);
        CountDownLatch stuck = new CountDownLatch(1);
        Member dying = kafka.memberWithMaps(Protocol.CONSUMER).build();
        RecordProcessor<String, String> dyingWork = inTheOrderOfKeys(dying, record -> {
            if (record.offset() == 3) {
                stuck.await();
            }
        });
        dying.consumer().subscribe(List.of(kafka.topic()));
        Await.until(
                "all but those of one key are done, and stored",
                () -> dyingWork.process(dying.consumer().poll(Duration.ofMillis(20))),
                () -> kafka.storedMap(0).finishedRecords() == RECORDS - 3 - RECORDS / keys);
        dying.close();
        stuck.countDown();
        kafka.produceKeyed(0, RECORDS, number -> "key " + number % keys);

        List<Long> leftOutOrDone = Collections.synchronizedList(new ArrayList<>());
        List<Long> done = Collections.synchronizedList(new ArrayList<>());
        Member second = kafka.memberWithMaps(Protocol.CONSUMER)
                .set(builder -> builder.listener(new TrackedConsumerListener() {
                    @Override
                    public void onLeftOut(TopicPartition partition, List<? extends ConsumerRecord<?, ?>> records) {
                        records.forEach(record -> leftOutOrDone.add(record.offset()));
                    }
                }))
                .build();
        RecordProcessor<String, String> work = inTheOrderOfKeys(second, record -> {
            leftOutOrDone.add(record.offset());
            done.add(record.offset());
        });
        second.consumer().subscribe(List.of(kafka.topic()));
        Await.until(
                "all is committed",
                () -> work.process(second.consumer().poll(Duration.ofMillis(20))),
                () -> Long.valueOf(2 * RECORDS).equals(kafka.committed(0)));

        assertThat(done)
                .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 2 * RECORDS)
                        .filter(offset -> offset >= RECORDS || offset % keys == 3)
                        .boxed()
                        .toList());
        for (int key = 0; key < keys; key++) {
            int each = key;
            assertThat(leftOutOrDone.stream().filter(offset -> offset % keys == each))
                    .as("key %s", key)
                    .isSorted()
                    .hasSize(key < 3 ? 2 * RECORDS / keys - 1 : 2 * RECORDS / keys);
        }
    }

    private RecordProcessor<String, String> inTheOrderOfKeys(
            Member member, Handler<ConsumerRecord<String, String>> handler) {
        return member.consumer().processor(kafka.pool(4), 8).orderedByKey().handle(handler);
    }
}
