package dev.offsets.kafka;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Test;

/** The two ways to use a poll result, and what becomes of records that a loop does not take from it. */
class PollResultTest {
    private final Rig rig = Rig.committingAtOnce().subscribed(P0);

    private TrackedRecords<String, String> polled() {
        return rig.consumer.poll(Duration.ZERO);
    }

    @Test
    void handle_saysWhatTheRecordSays() {
        rig.kafka.records(P0, 7, 7);
        TrackedRecord<String, String> handle = rig.poll().get(0);
        ConsumerRecord<String, String> record = handle.consumerRecord();

        assertThat(handle.topic()).isEqualTo("topic");
        assertThat(handle.partition()).isZero();
        assertThat(handle.offset()).isEqualTo(7);
        assertThat(handle.key()).isSameAs(record.key());
        assertThat(handle.value()).isSameAs(record.value());
        assertThat(handle.headers()).isSameAs(record.headers());
        assertThat(handle).hasToString("topic-0@7");
    }

    @Test
    void recordsAndResult_areTheVeryObjectsOfKafka() {
        List<ConsumerRecords<String, String>> returned = new ArrayList<>();
        rig.kafka.interceptor = records -> {
            returned.add(records);
            return records;
        };
        rig.kafka.records(P0, 0, 1);
        TrackedRecords<String, String> polled = polled();
        ConsumerRecords<String, String> kafkas = returned.get(returned.size() - 1);

        assertThat(polled.consumerRecords()).isSameAs(kafkas);
        assertThat(polled.iterator().next().consumerRecord())
                .isSameAs(kafkas.records(P0).get(0));
    }

    @Test
    void kafkasOwnRecords_areCompletedThroughTheResult() {
        rig.kafka.records(P0, 0, 2);
        TrackedRecords<String, String> polled = polled();
        for (ConsumerRecord<String, String> record : polled.consumerRecords()) {
            assertThat(polled.complete(record)).isEqualTo(ACCEPTED);
            assertThat(polled.complete(record)).isEqualTo(IGNORED);
        }
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(3L);
    }

    @Test
    void bothStylesOnOneRecord_firstReportCounts() {
        rig.kafka.records(P0, 0, 2);
        TrackedRecords<String, String> polled = polled();
        List<TrackedRecord<String, String>> handles = new ArrayList<>();
        polled.forEach(handles::add);

        assertThat(handles.get(0).complete()).isEqualTo(ACCEPTED);
        assertThat(polled.complete(handles.get(0).consumerRecord())).isEqualTo(IGNORED);
        assertThat(polled.skip(handles.get(1).consumerRecord(), "unwanted")).isEqualTo(ACCEPTED);
        assertThat(handles.get(1).fail(new Exception())).isEqualTo(IGNORED);
        assertThat(polled.tryStart(handles.get(2).consumerRecord())).isTrue();
        assertThat(handles.get(2).tryStart()).isFalse();
    }

    @Test
    void recordOfAnotherResult_isIgnored() {
        rig.kafka.records(P0, 0, 0);
        TrackedRecords<String, String> first = polled();
        first.consumerRecords();
        rig.kafka.records(P0, 1, 1);
        TrackedRecords<String, String> second = polled();
        ConsumerRecord<String, String> ofFirst =
                first.consumerRecords().iterator().next();
        ConsumerRecord<String, String> ofSecond =
                second.consumerRecords().iterator().next();

        assertThat(second.complete(ofFirst)).isEqualTo(IGNORED);
        assertThat(first.complete(ofSecond)).isEqualTo(IGNORED);
        assertThat(first.fail(ofSecond, new Exception())).isEqualTo(IGNORED);
        assertThat(first.skip(ofSecond, "no")).isEqualTo(IGNORED);
        assertThat(first.tryStart(ofSecond)).isFalse();
        assertThat(first.complete(ofFirst)).isEqualTo(ACCEPTED);
    }

    @Test
    void recordOfAnEarlierIncarnation_isIgnoredByTheResultThatHoldsItsOffsetAgain() {
        rig.kafka.records(P0, 0, 3);
        TrackedRecords<String, String> first = polled();
        ConsumerRecord<String, String> early =
                first.consumerRecords().iterator().next();
        rig.consumer.seek(P0, 0);
        // Kafka makes new objects of what it fetches again.
        rig.kafka.records(P0, 0, 3);
        TrackedRecords<String, String> again = polled();

        assertThat(again.count()).isEqualTo(4);
        assertThat(again.complete(early)).isEqualTo(IGNORED);
        assertThat(first.complete(early)).isEqualTo(IGNORED);
        assertThat(again.complete(again.consumerRecords().iterator().next())).isEqualTo(ACCEPTED);
    }

    @Test
    void recordOfAnUnknownTopic_isIgnored() {
        rig.kafka.records(P0, 0, 0);

        assertThat(polled().complete(new ConsumerRecord<>("other", 0, 0L, "k", "v")))
                .isEqualTo(IGNORED);
        assertThat(polled().complete(new ConsumerRecord<>("topic", 0, 0L, "k", "v")))
                .isEqualTo(IGNORED);
    }

    @Test
    void missingArguments_areRefusedByName() {
        rig.kafka.records(P0, 0, 0);
        TrackedRecords<String, String> polled = polled();
        ConsumerRecord<String, String> record =
                polled.consumerRecords().iterator().next();

        assertThatThrownBy(() -> polled.complete(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("record");
        assertThatThrownBy(() -> polled.fail(record, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("cause");
        assertThatThrownBy(() -> polled.skip(record, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("reason");
        assertThat(polled.complete(record)).isEqualTo(ACCEPTED);
    }

    @Test
    void poll_refusesANegativeTimeout() {
        assertThatThrownBy(() -> rig.consumer.poll(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeout is PT-0.001S: it must be zero or more");
        assertThatThrownBy(() -> rig.consumer.poll(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("timeout");
    }

    @Test
    void iteratorAtItsEnd_throws() {
        rig.kafka.records(P0, 0, 0);
        var iterator = polled().iterator();
        iterator.next();

        assertThat(iterator.hasNext()).isFalse();
        assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void loopLeftInTheMiddle_restComesAgainInOrderBeforeNewRecords() {
        rig.kafka.records(P0, 0, 4);
        assertThat(Rig.offsets(rig.pollAndLeaveAfter(2))).containsExactly(0L, 1L);
        rig.kafka.records(P0, 5, 6);
        assertThat(Rig.offsets(rig.pollAndLeaveAfter(1))).containsExactly(2L);
        assertThat(Rig.offsets(rig.poll())).containsExactly(3L, 4L, 5L, 6L);
        rig.completeAll(P0, 0, 6);
        rig.tick();

        assertThat(rig.sent(P0)).containsExactly(7L);
    }

    @Test
    void iteratorOfAnEarlierResult_endsWhereTheNextPollTookTheRest() {
        rig.kafka.records(P0, 0, 4);
        var iterator = polled().iterator();
        iterator.next();
        assertThat(Rig.offsets(rig.poll())).containsExactly(1L, 2L, 3L, 4L);

        assertThat(iterator.hasNext()).isFalse();
    }

    @Test
    void resultLeftAlone_comesAgainAtOnceAndWhole() {
        rig.kafka.records(P0, 0, 4);
        TrackedRecords<String, String> ignored = polled();
        rig.kafka.polls.clear();
        TrackedRecords<String, String> again = rig.consumer.poll(Duration.ofSeconds(10));

        assertThat(rig.kafka.polls).containsExactly(Duration.ZERO);
        assertThat(again.count()).isEqualTo(5);
        assertThat(ignored.isEmpty()).isTrue();
        assertThat(ignored.consumerRecords().count()).isZero();
        assertThat(again.consumerRecords().count()).isEqualTo(5);
        assertThat(ignored.consumerRecords().count()).isZero();
    }

    @Test
    void restWithNewRecords_isCompletedThroughTheNewResult() {
        rig.kafka.records(P0, 0, 2);
        TrackedRecords<String, String> first = polled();
        TrackedRecord<String, String> handle = first.iterator().next();
        rig.kafka.records(P0, 3, 3);
        TrackedRecords<String, String> second = polled();
        for (ConsumerRecord<String, String> record : second.consumerRecords()) {
            assertThat(second.complete(record)).isEqualTo(ACCEPTED);
        }
        rig.tick();
        assertThat(rig.sent(P0)).isEmpty();

        assertThat(first.complete(handle.consumerRecord())).isEqualTo(ACCEPTED);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(4L);
    }

    @Test
    void consumerRecords_handsOutAll() {
        rig.kafka.records(P0, 0, 4);
        polled().consumerRecords();

        rig.tick();
        assertThat(rig.status(P0).incomplete()).isEqualTo(5);
    }

    @Test
    void wakeupBetween_restComesAfterIt() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.consumer.wakeup();

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(WakeupException.class);
        assertThat(Rig.offsets(rig.poll())).containsExactly(2L, 3L, 4L);
    }

    @Test
    void otherPartitionRevoked_restOfTheKeptOneComesAgain() {
        Rig two = Rig.committingAtOnce().subscribed(P0, P1);
        two.kafka.records(P0, 0, 2);
        two.kafka.records(P1, 0, 2);
        two.pollAndLeaveAfter(1);
        two.kafka.insideNextPoll(() -> two.kafka.rebalanceCooperatively(P1));

        assertThat(Rig.names(two.poll())).containsExactly("topic-1@0", "topic-1@1", "topic-1@2");
    }

    @Test
    void partitionRevokedAndAssignedAgain_itsRestIsFetchedAnewAndNotHandedOutTwice() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.complete(P0, 0, 1);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly(P0));

        assertThat(Rig.offsets(rig.poll())).containsExactly(2L, 3L, 4L);
        rig.completeAll(P0, 2, 4);
        rig.tick();
        assertThat(rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void soughtInTheMiddleOfALoop_restIsVoid() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.consumer.seek(P0, 4);

        assertThat(Rig.offsets(rig.poll())).containsExactly(4L);
    }

    @Test
    void restAndPositionMovedBack_onlyTheNewReadingComes() {
        rig.kafka.records(P0, 0, 4);
        rig.pollAndLeaveAfter(2);
        rig.completeAll(P0, 0, 1);
        rig.kafka.movePosition(P0, 1);
        rig.kafka.records(P0, 1, 4);

        assertThat(Rig.offsets(rig.poll())).containsExactly(1L, 2L, 3L, 4L);
        rig.completeAll(P0, 1, 4);
        rig.tick();
        assertThat(rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void positionMovedBack_aboveAnUnfinishedRecord_isReadFromThatRecordOn() {
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.completeAll(P0, 0, 1);
        rig.completeAll(P0, 3, 4);
        rig.kafka.movePosition(P0, 4);
        rig.kafka.records(P0, 4, 5);

        assertThat(rig.poll()).isEmpty();
        rig.kafka.records(P0, 2, 5);

        assertThat(Rig.offsets(rig.poll())).containsExactly(2L, 3L, 4L, 5L);
        rig.completeAll(P0, 2, 5);
        rig.tick();
        assertThat(rig.stored(P0)).isEqualTo(6);
        assertThat(rig.sent(P0)).isSorted();
    }

    @Test
    void restAtTheBound_isHandedOutAlthoughItsPartitionIsPaused() {
        Rig bounded = Rig.with(builder -> builder.maxInFlightPerPartition(2)).subscribed(P0);
        bounded.kafka.records(P0, 0, 4);
        bounded.pollAndLeaveAfter(1);
        assertThat(Rig.offsets(bounded.poll())).containsExactly(1L, 2L, 3L, 4L);
        assertThat(bounded.kafka.paused()).containsExactly(P0);
    }

    @Test
    void nextOffsetsOfKafka_areInTheResult() {
        rig.kafka.records(P0, 0, 2);

        assertThat(polled().consumerRecords().nextOffsets())
                .isEqualTo(Map.of(P0, new OffsetAndMetadata(3, java.util.Optional.empty(), "")));
    }

    @Test
    void interceptorThatTurnsTheOrderRound_isHandedOutInOrder() {
        rig.kafka.interceptor = records -> {
            List<ConsumerRecord<String, String>> turned = new ArrayList<>(records.records(P0));
            java.util.Collections.reverse(turned);
            return turned.isEmpty() ? records : new ConsumerRecords<>(Map.of(P0, turned), records.nextOffsets());
        };
        rig.kafka.records(P0, 0, 4);

        assertThat(Rig.offsets(rig.poll())).containsExactly(0L, 1L, 2L, 3L, 4L);
        rig.completeAll(P0, 0, 3);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(4L);
    }

    @Test
    void interceptorThatDoublesARecord_oneOutcomeCounts() {
        doubleEveryRecord(rig);
        rig.kafka.records(P0, 0, 1);
        List<TrackedRecord<String, String>> handles = rig.poll();

        assertThat(Rig.offsets(handles)).containsExactly(0L, 0L, 1L, 1L);
        assertThat(handles.get(0).complete()).isEqualTo(ACCEPTED);
        assertThat(handles.get(1).complete()).isEqualTo(IGNORED);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(1L);
    }

    static void doubleEveryRecord(Rig rig) {
        rig.kafka.interceptor = records -> {
            Map<org.apache.kafka.common.TopicPartition, List<ConsumerRecord<String, String>>> doubled =
                    new java.util.LinkedHashMap<>();
            for (var partition : records.partitions()) {
                List<ConsumerRecord<String, String>> twice = new ArrayList<>();
                records.records(partition).forEach(record -> {
                    twice.add(record);
                    twice.add(record);
                });
                doubled.put(partition, twice);
            }
            return new ConsumerRecords<>(doubled, records.nextOffsets());
        };
    }

    /** An interceptor that adds a record of a partition that is not assigned to each result. */
    private void makeUpARecordOfP1() {
        rig.kafka.interceptor = records -> records.isEmpty()
                ? records
                : new ConsumerRecords<>(
                        Map.of(
                                P0,
                                records.records(P0),
                                P1,
                                List.of(new ConsumerRecord<>("topic", 1, 7, "key", "made up"))),
                        records.nextOffsets());
    }

    @Test
    void interceptorThatMakesUpARecordOfAPartitionNotAssigned_itIsLeftOut() {
        makeUpARecordOfP1();
        rig.kafka.records(P0, 0, 1);

        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@0", "topic-0@1");
        rig.kafka.records(P0, 2, 3);
        TrackedRecords<String, String> polled = polled();
        assertThat(polled.consumerRecords().partitions()).containsExactly(P0);
        assertThat(polled.consumerRecords().count()).isEqualTo(2);
    }

    @Test
    void interceptorThatMakesUpARecordOfAPartitionNotAssigned_itIsNeverCommitted() {
        makeUpARecordOfP1();
        rig.kafka.records(P0, 0, 1);
        rig.poll().forEach(TrackedRecord::complete);
        rig.tick();
        rig.consumer.close(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(2L);
        assertThat(rig.sent(P1)).isEmpty();
    }
}
