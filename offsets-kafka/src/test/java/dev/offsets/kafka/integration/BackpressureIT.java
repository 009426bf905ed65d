package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class BackpressureIT {
    private static final int BOUND = 100;
    private static final int ONE_POLL = 50;
    private static final int RECORDS = 1_000;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void stuckPartition_isPausedAlone_andGoesOnByItself(Protocol protocol) throws Exception {
        kafka.createTopic(3);
        for (int partition = 0; partition < 3; partition++) {
            kafka.produce(partition, RECORDS);
        }
        TopicPartition stuck = kafka.partition(0);
        Member member = kafka.member(protocol)
                .with("max.poll.records", ONE_POLL)
                .set(builder -> builder.maxInFlightPerPartition(BOUND))
                .subscribe();
        member.handle(record -> {
            if (record.partition() != 0 || record.offset() != 0) {
                record.complete();
            }
        });

        member.until(
                "the others have been read to the end",
                () -> member.received(kafka.partition(1)).size() == RECORDS
                        && member.received(kafka.partition(2)).size() == RECORDS);
        member.until(
                "the stuck one is at its bound", () -> member.ledger().paused().equals(Set.of(stuck)));
        int held = member.received(stuck).size();
        assertThat(held).isBetween(BOUND, BOUND + ONE_POLL - 1);
        kafka.produce(1, 10);
        member.until(
                "the others go on", () -> member.received(kafka.partition(1)).size() == RECORDS + 10);
        assertThat(member.received(stuck)).hasSize(held);
        assertThat(member.consumer().paused()).isEmpty();

        TrackedRecord<String, String> head = member.received(stuck).get(0);
        assertThat(head.offset()).isZero();
        head.complete();

        Map<TopicPartition, Long> ends = kafka.ends(3);
        member.until("all is committed", () -> kafka.committed().equals(ends));
        assertThat(member.received(stuck)).hasSize(RECORDS);
        assertThat(member.ledger().paused()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void consumersBound_pausesWhatHasRecordsInFlight_andNothingElse(Protocol protocol) throws Exception {
        kafka.createTopic(3);
        kafka.produce(0, RECORDS);
        kafka.produce(1, RECORDS);
        Member member = kafka.member(protocol)
                .with("max.poll.records", ONE_POLL)
                .set(builder -> builder.maxInFlight(BOUND))
                .subscribe();
        Set<TopicPartition> busy = Set.of(kafka.partition(0), kafka.partition(1));
        member.until("both busy ones are paused", () -> member.ledger().paused().equals(busy));
        int held = member.received().size();
        // One that has nothing in flight yet may have one poll's records more
        assertThat(held).isBetween(BOUND, BOUND + 2 * ONE_POLL - 1);

        kafka.produce(2, 1);
        member.until(
                "the idle one is not",
                () -> !member.received(kafka.partition(2)).isEmpty());
        assertThat(member.received()).hasSize(held + 1);
        assertThat(member.consumer().paused()).isEmpty();

        member.completeAll();
        member.received().forEach(TrackedRecord::complete);
        Map<TopicPartition, Long> ends = kafka.ends(3);
        member.until("all is committed", () -> kafka.committed().equals(ends));
        assertThat(member.ledger().paused()).isEmpty();
    }

    /** Eager rebalances forget what was paused; the others keep it for what stays. What leaves comes back without. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void usersPause_overARebalance_isKeptAsFarAsKafkaKeepsIt(Protocol protocol) throws Exception {
        kafka.createTopic(4);
        Member member = kafka.member(protocol).subscribe();
        member.until("all is assigned", () -> member.assignment().size() == 4);
        member.consumer().pause(member.assignment());
        Member other = kafka.member(protocol).subscribe();
        untilShared(member, other);
        Set<TopicPartition> kept = member.assignment();
        Set<TopicPartition> stillPaused = protocol == Protocol.CLASSIC_EAGER ? Set.of() : kept;
        assertThat(member.consumer().paused()).isEqualTo(stillPaused);
        assertThat(member.ledger().paused()).isEqualTo(stillPaused);

        Set<TopicPartition> left = other.assignment();
        other.close();
        member.until("all is assigned again", () -> member.assignment().size() == 4);
        kafka.produceEverywhere(4, 5);
        Set<TopicPartition> read = stillPaused.isEmpty() ? kafka.ends(4).keySet() : left;
        member.until("what is not paused is read", () -> member.received().size() >= 5 * read.size());
        member.turns(10);

        assertThat(read).allMatch(partition -> member.received(partition).size() == 5);
        assertThat(member.received()).hasSize(5 * read.size());
        member.consumer().resume(stillPaused);
        member.receive(20);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void pauseAtTheBound_overARebalance_endsWithTheWork(Protocol protocol) throws Exception {
        kafka.createTopic(4);
        kafka.produceEverywhere(4, ONE_POLL);
        Member member = kafka.member(protocol)
                .with("max.poll.records", ONE_POLL)
                .set(builder -> builder.maxInFlightPerPartition(ONE_POLL).drainTimeout(Duration.ofMillis(100)))
                .subscribe();
        member.until(
                "all are paused",
                () -> member.ledger().paused().equals(kafka.ends(4).keySet()));
        Member other = kafka.member(protocol).subscribe().completeAll();
        untilShared(member, other);
        Set<TopicPartition> kept = member.assignment();
        member.until("what was kept is paused", () -> member.ledger().paused().equals(kept));

        member.completeAll();
        member.received().forEach(TrackedRecord::complete);
        kafka.produceEverywhere(4, 10);
        Map<TopicPartition, Long> ends = kafka.ends(4);
        Member.until("all is committed", () -> kafka.committed().equals(ends), member, other);
        other.close();
        kafka.produceEverywhere(4, 10);
        Map<TopicPartition, Long> newEnds = kafka.ends(4);
        member.until("what comes back goes on", () -> kafka.committed().equals(newEnds));
        assertThat(member.ledger().paused()).isEmpty();
    }

    private static void untilShared(Member one, Member other) throws Exception {
        Member.until(
                "the partitions are shared out",
                () -> one.assignment().size() == 2 && other.assignment().size() == 2,
                one,
                other);
    }
}
