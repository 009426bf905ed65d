package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Kind.ASYNC;
import static dev.offsets.kafka.SimulatedConsumer.Kind.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What finished above an incomplete record is stored with the commits, and not handed out again after a restart. */
class ResumeMapsTest {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int EPOCH = 3;

    private final KnownTopicIds topicIds = new KnownTopicIds();
    private final EventLog events = new EventLog();
    private Rig rig = withMaps(builder -> builder);

    private Rig withMaps(UnaryOperator<TrackedConsumerBuilder<String, String>> settings) {
        return Rig.with(builder -> settings.apply(builder.commitPolicy(CommitPolicy.afterProcessing())
                .topicIds(topicIds)
                .listener(events)
                .resumeMaps()));
    }

    private static void records(Rig rig, TopicPartition partition, long from, long to) {
        for (long offset = from; offset <= to; offset++) {
            rig.kafka.record(partition, offset, Optional.of(EPOCH));
        }
    }

    /** Records 0 to 9 are handed out, all but the first are finished, and the map is stored. */
    private void tenRecordsOfWhichTheFirstIsStuck() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 9);
        mapIsStored();
        assertThat(rig.kafka.stored.get(P0).metadata()).isNotEmpty();
    }

    /** The process dies, and another one takes the partition over; the log has records from 0 to an offset. */
    private void restart(long lastRecord) {
        restart(lastRecord, builder -> builder);
    }

    private void restart(long lastRecord, UnaryOperator<TrackedConsumerBuilder<String, String>> settings) {
        processIsReplaced(settings);
        records(rig, P0, 0, lastRecord);
        rig.subscribed(P0);
    }

    /** Another process begins with what this one has stored. */
    private void processIsReplaced(UnaryOperator<TrackedConsumerBuilder<String, String>> settings) {
        Rig dead = rig;
        rig = withMaps(settings);
        rig.kafka.stored.putAll(dead.kafka.stored);
    }

    /** The map alone becomes due, and its commit is confirmed. */
    private void mapIsStored() {
        rig.tick(INTERVAL);
        rig.tick();
    }

    private List<Long> handedOut() {
        return Rig.offsets(rig.poll());
    }

    // ---- restarts ----

    @Test
    void restarted_onlyWhatHadNotFinishedIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(12);

        assertThat(handedOut()).containsExactly(0L, 10L, 11L, 12L);
        assertThat(MetricsTest.value(rig.consumer, "records-left-out-total")).isEqualTo(9);
        rig.complete(P0, 0);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(10L);
    }

    @Test
    void restarted_theListenerIsToldOfWhatIsLeftOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(9);
        rig.poll();

        assertThat(events.events).contains("leftOut topic-0 [1, 2, 3, 4, 5, 6, 7, 8, 9]");
    }

    @Test
    void restarted_kafkasOwnRecordsAreWithoutThem() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(10);

        List<Long> offsets = new ArrayList<>();
        rig.consumer.poll(Duration.ZERO).consumerRecords().forEach(record -> offsets.add(record.offset()));
        assertThat(offsets).containsExactly(0L, 10L);
    }

    @Test
    void everythingPolledIsLeftOut_theResultIsEmptyAndReadingGoesOn() {
        tenRecordsOfWhichTheFirstIsStuck();
        rig.complete(P0, 0); // not committed any more
        restart(10);
        rig.kafka.maxPollRecords = 1;

        assertThat(handedOut()).containsExactly(0L);
        rig.complete(P0, 0);
        for (int turn = 0; turn < 9; turn++) {
            rig.tick();
        }
        assertThat(handedOut()).containsExactly(10L);
        assertThat(rig.status(P0).committableOffset()).isEqualTo(10);
    }

    @Test
    void restarted_whatIsLeftOutDoesNotCountAgainstTheBound() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(12, builder -> builder.maxInFlightPerPartition(3));
        rig.kafka.maxPollRecords = 11;
        assertThat(handedOut()).containsExactly(0L, 10L);

        assertThat(handedOut()).containsExactly(11L, 12L);
        assertThat(rig.status(P0).incomplete()).isEqualTo(4);
    }

    @Test
    void restartedAgainBeforeItIsPassed_nothingFinishedIsForgotten() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(12);
        rig.poll();
        rig.complete(P0, 11);
        mapIsStored();
        restart(12);

        assertThat(handedOut()).containsExactly(0L, 10L, 12L);
    }

    @Test
    void readSlowlyAfterARestart_whatIsNotYetReadStaysInTheCommits() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.complete(P0, 1, 5, 6);
        mapIsStored();
        restart(9);
        rig.kafka.maxPollRecords = 3;
        assertThat(handedOut()).containsExactly(0L, 2L);
        rig.complete(P0, 0);
        assertThat(handedOut()).containsExactly(3L, 4L);
        assertThat(rig.stored(P0)).isEqualTo(2);
        restart(9);

        assertThat(handedOut()).containsExactly(2L, 3L, 4L, 7L, 8L, 9L);
    }

    @Test
    void keepAlive_keepsTheMap() {
        tenRecordsOfWhichTheFirstIsStuck();
        processIsReplaced(builder -> builder.commitKeepAlive(Duration.ofMinutes(1)));
        records(rig, P0, 0, 9);
        rig.subscribed(
                new Rig.Quiet() {
                    @Override
                    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                        rig.consumer.pause(partitions);
                    }
                },
                P0);
        rig.tick();
        rig.tick(Duration.ofMinutes(5));
        assertThat(rig.sent(P0)).hasSizeGreaterThan(2).containsOnly(0L);
        restart(9);

        assertThat(handedOut()).containsExactly(0L);
    }

    @Test
    void lastRecordOfTheMapFinishes_whatIsStoredIsTheEndOfTheLog() {
        rig.kafka.storedOffset(P0, 98);
        rig.subscribed(P0);
        records(rig, P0, 98, 99);
        rig.poll();
        rig.complete(P0, 99);
        mapIsStored();
        assertThat(rig.stored(P0)).isEqualTo(98);
        processIsReplaced(builder -> builder);
        rig.subscribed(P0);
        rig.tick(Duration.ofMinutes(1));
        assertThat(rig.kafka.commits).as("nothing was delivered").isEmpty();
        records(rig, P0, 98, 99);

        assertThat(handedOut()).containsExactly(98L);
        rig.complete(P0, 98);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(100L);
    }

    @Test
    void groupWasResetToAnEarlierOffset_everythingIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        rig.complete(P0, 0);
        rig.tick();
        rig.tick();
        rig.kafka.stored.put(P0, new OffsetAndMetadata(0));
        restart(9);

        assertThat(handedOut()).hasSize(10);
    }

    @Test
    void mapMovedToAnotherOffset_everythingIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        String map = rig.kafka.stored.get(P0).metadata();
        rig.kafka.stored.put(P0, new OffsetAndMetadata(1, map));
        restart(9);

        assertThat(handedOut()).hasSize(9);
    }

    @Test
    void mapOfAnotherPartition_everythingIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        Rig dead = rig;
        rig = withMaps(builder -> builder);
        rig.kafka.stored.put(P1, dead.kafka.stored.get(P0));
        records(rig, P1, 0, 9);
        rig.subscribed(P1);

        assertThat(handedOut()).hasSize(10);
    }

    @Test
    void interceptorDoublesARecord_neitherIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(10);
        rig.kafka.interceptor = polled -> {
            List<ConsumerRecord<String, String>> doubled = new ArrayList<>();
            polled.records(P0).forEach(record -> doubled.addAll(List.of(record, record)));
            return new ConsumerRecords<>(Map.of(P0, doubled), polled.nextOffsets());
        };

        assertThat(handedOut()).containsExactly(0L, 0L, 10L, 10L);
    }

    @Test
    void processorInTheOrderOfKeys_worksOnWhatIsLeftInOrder() {
        tenRecordsOfWhichTheFirstIsStuck();
        Map<TopicPartition, OffsetAndMetadata> stored = Map.copyOf(rig.kafka.stored);
        ProcessorRig work =
                new ProcessorRig(builder -> builder.topicIds(topicIds).resumeMaps());
        work.kafka.stored.putAll(stored);
        work.working(4, RecordProcessorBuilder::orderedByKey, P0);
        records(work.rig, P0, 0, 12);
        work.turn();
        assertThat(work.running()).containsExactly("topic-0@0");
        work.done(P0, 0);
        work.turn();
        assertThat(work.running()).containsExactly("topic-0@10");
    }

    @Test
    void off_nothingIsStoredWithTheOffsetAndNothingLeftOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        Rig dead = rig;
        rig = Rig.committingAtOnce();
        rig.kafka.stored.putAll(dead.kafka.stored);
        records(rig, P0, 0, 9);
        rig.subscribed(P0);

        assertThat(handedOut()).hasSize(10);
        rig.complete(P0, 0, 5);
        rig.tick(INTERVAL.multipliedBy(10));
        assertThat(rig.points(P0)).extracting(OffsetAndMetadata::metadata).containsExactly("");
    }

    // ---- which log it is ----

    @Test
    void topicRecreatedBeforeTheRestart_everythingIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        topicIds.recreate(Rig.TOPIC);
        restart(9);

        assertThat(handedOut()).hasSize(10);
    }

    @Test
    void topicRecreatedBetweenTheLookUpAndTheFetch_everythingIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(9);
        rig.kafka.insideNextPoll(() -> topicIds.recreate(Rig.TOPIC)); // after the assignment

        assertThat(handedOut()).hasSize(10);
        rig.completeAll(P0, 2, 9);
        rig.complete(P0, 0);
        mapIsStored();
        assertThat(rig.points(P0))
                .as("what was read may be of two logs")
                .extracting(OffsetAndMetadata::metadata)
                .containsOnly("");
    }

    @Test
    void topicRecreatedWhileRecordsAreLeftOut_theRestIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(9);
        rig.kafka.maxPollRecords = 5;
        assertThat(handedOut()).containsExactly(0L);
        topicIds.recreate(Rig.TOPIC);

        assertThat(handedOut()).containsExactly(5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void topicRecreatedUnderARunningConsumer_noMapSpeaksOfTheNewOne() {
        rig.subscribed(P0);
        records(rig, P0, 0, 4);
        rig.poll();
        rig.completeAll(P0, 1, 4);
        topicIds.recreate(Rig.TOPIC); // and has as many records already
        rig.tick(INTERVAL);
        rig.tick(INTERVAL);
        records(rig, P0, 5, 9);
        rig.poll();
        rig.completeAll(P0, 6, 9);
        rig.tick(INTERVAL);
        rig.complete(P0, 0);
        rig.tick(INTERVAL);
        rig.consumer.close();

        assertThat(rig.points(P0)).extracting(OffsetAndMetadata::metadata).containsOnly("");
    }

    @Test
    void topicRecreatedBeforeTheNextAssignment_whatWasFetchedBeforeThatIsNotNamed() {
        rig.subscribed(P0);
        rig.poll();
        topicIds.recreate(Rig.TOPIC);
        records(rig, P0, 0, 9);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly(P0));
        assertThat(handedOut()).as("perhaps still of the topic before").hasSize(10);
        rig.completeAll(P0, 1, 9);
        rig.tick(INTERVAL);
        rig.tick(INTERVAL);
        assertThat(rig.kafka.commits).isEmpty();

        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly(P0));
        assertThat(handedOut()).hasSize(10);
        rig.completeAll(P0, 1, 9);
        mapIsStored();
        assertThat(rig.points(P0))
                .hasSize(1)
                .allMatch(point -> !point.metadata().isEmpty());
    }

    @Test
    void topicRecreatedAfterWhatFinishedWasShown_laterCommitsHaveNoMap() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 2, 9);
        mapIsStored();
        assertThat(rig.kafka.stored.get(P0).metadata()).isNotEmpty();
        topicIds.recreate(Rig.TOPIC);
        records(rig, P0, 10, 12);
        rig.poll();
        rig.complete(P0, 11);
        mapIsStored();
        rig.complete(P0, 0);
        rig.tick();
        rig.tick();

        assertThat(rig.kafka.stored.get(P0)).isEqualTo(new OffsetAndMetadata(1, Optional.of(EPOCH), ""));
    }

    @Test
    void answerThatNeverComes_isNotWaitedForInTheNextInterval() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        topicIds.holdAnswers();
        rig.completeAll(P0, 5, 9);
        rig.tick(INTERVAL.multipliedBy(2));
        int questions = topicIds.questions;
        rig.tick(INTERVAL.multipliedBy(2));

        assertThat(topicIds.questions).isGreaterThan(questions);
    }

    @Test
    void topicRecreatedJustBeforeTheLastCommit_itHasNoMapOfWhatWasNotShown() {
        tenRecordsOfWhichTheFirstIsStuck();
        records(rig, P0, 10, 12);
        rig.poll();
        rig.complete(P0, 11);
        topicIds.recreate(Rig.TOPIC);
        String before = rig.kafka.stored.get(P0).metadata();
        rig.consumer.close();

        assertThat(rig.kafka.stored.get(P0).metadata()).isEqualTo(before);
    }

    @Test
    void recordOfAnotherEpoch_everythingFromThereOnIsHandedOutAndItIsSaidOnce() {
        tenRecordsOfWhichTheFirstIsStuck();
        Rig dead = rig;
        rig = withMaps(builder -> builder);
        rig.kafka.stored.putAll(dead.kafka.stored);
        records(rig, P0, 0, 4);
        for (long offset = 5; offset <= 14; offset++) {
            rig.kafka.record(P0, offset, Optional.of(EPOCH + 1)); // the log was cut off and written anew
        }
        rig.subscribed(P0);
        rig.kafka.maxPollRecords = 4;
        try (LogLines log = new LogLines(ResumeMaps.class)) {
            assertThat(handedOut()).containsExactly(0L);
            assertThat(log.lines()).isEmpty();
            assertThat(handedOut()).containsExactly(5L, 6L, 7L);
            assertThat(handedOut()).containsExactly(8L, 9L, 10L, 11L);

            assertThat(log.lines())
                    .containsExactly("topic-0: a record below 8 is not the one that the resume map speaks of, or is"
                            + " missing; everything from there on is delivered");
        }
    }

    @Test
    void idNotToldInTime_everythingIsHandedOutAndAssignmentIsNotHeldUpForLong() {
        tenRecordsOfWhichTheFirstIsStuck();
        topicIds.holdAnswers();
        restart(9);
        Duration before = rig.time.elapsed();

        assertThat(handedOut()).hasSize(10);
        assertThat(rig.time.elapsed().minus(before)).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
    }

    @Test
    void idNotToldAgainAfterAPoll_everythingFromThereOnIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(9);
        rig.kafka.insideNextPoll(topicIds::holdAnswers);
        Duration before = rig.time.elapsed();

        assertThat(handedOut()).hasSize(10);
        assertThat(rig.time.elapsed().minus(before)).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
    }

    @Test
    void idsAreNotToldAnyMore_isWaitedForOnlyOnce() {
        resumedWithMapsOfBoth();
        rig.kafka.maxPollRecords = 1;
        rig.kafka.insideNextPoll(topicIds::holdAnswers);
        Duration before = rig.time.elapsed();

        for (int poll = 0; poll < 20; poll++) {
            assertThat(rig.poll()).hasSize(1);
        }
        rig.consumer.commitSync();
        assertThat(rig.time.elapsed().minus(before)).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
    }

    @Test
    void idIsToldAgain_isWaitedForAgain() {
        resumedWithMapsOfBoth();
        rig.kafka.maxPollRecords = 1;
        rig.kafka.insideNextPoll(topicIds::holdAnswers);
        int first = rig.poll().get(0).partition();
        topicIds.releaseAnswers();

        Set<Integer> handedOutBeyondTheFirst = new HashSet<>();
        for (int poll = 0; poll < 20; poll++) {
            rig.poll().stream()
                    .filter(record -> record.offset() > 0)
                    .forEach(record -> handedOutBeyondTheFirst.add(record.partition()));
        }
        assertThat(handedOutBeyondTheFirst).containsExactly(first);
    }

    /** Of both partitions, records 0 to 9 are to come, and their maps name all but the first. */
    private void resumedWithMapsOfBoth() {
        rig.subscribed(P0, P1);
        for (TopicPartition partition : List.of(P0, P1)) {
            records(rig, partition, 0, 9);
        }
        rig.poll();
        for (TopicPartition partition : List.of(P0, P1)) {
            rig.completeAll(partition, 1, 9);
        }
        mapIsStored();
        processIsReplaced(builder -> builder);
        for (TopicPartition partition : List.of(P0, P1)) {
            records(rig, partition, 0, 9);
        }
        rig.subscribed(P0, P1);
    }

    @Test
    void idOfOneIsNotTold_whatIsShownOfTheOtherIsStoredAllTheSame() {
        rig.subscribed(P0, P1);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 5);
        mapIsStored();
        topicIds.holdAnswers();
        records(rig, P1, 0, 9);
        rig.poll();
        rig.completeAll(P1, 1, 9);
        rig.completeAll(P0, 6, 9);
        for (int turn = 0; turn < 4; turn++) {
            rig.tick(INTERVAL);
        }
        topicIds.releaseAnswers();
        restart(9);

        assertThat(handedOut()).containsExactly(0L);
    }

    @Test
    void positionMovesBack_reportsWhileWaitingForTheIdAreIgnored() {
        tenRecordsOfWhichTheFirstIsStuck();
        processIsReplaced(builder -> builder);
        rig.kafka.storedOffset(P1, 10);
        rig.kafka.records(P1, 0, 12);
        rig.subscribed(P0, P1);
        TrackedRecord<String, String> former =
                rig.consumer.poll(Duration.ZERO).iterator().next();
        assertThat(former.offset()).isEqualTo(10);

        records(rig, P0, 0, 9);
        rig.kafka.movePosition(P1, 0);
        topicIds.holdAnswers();
        List<Receipt> receipts = new ArrayList<>();
        rig.time.after(Duration.ofSeconds(1), () -> receipts.add(former.complete()));
        rig.poll();

        assertThat(receipts).containsExactly(Receipt.IGNORED);
    }

    @Test
    void interruptWhileWaitingForTheId_endsTheWaitAndStays() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(9);
        rig.kafka.insideNextPoll(topicIds::holdAnswers);
        rig.kafka.interceptor = polled -> {
            Thread.currentThread().interrupt();
            return polled;
        };

        try {
            assertThat(handedOut()).hasSize(10);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void idNotKnown_commitsHaveNoMap() {
        topicIds.forget(Rig.TOPIC);
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P0, 6, 9);
        rig.tick(INTERVAL.multipliedBy(3));
        rig.consumer.close();

        assertThat(rig.points(P0)).extracting(OffsetAndMetadata::metadata).containsOnly("");
        assertThat(rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void recordsWithoutLeaderEpochs_areNotNamed() {
        rig.subscribed(P0);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 9);
        rig.tick(INTERVAL.multipliedBy(3));

        assertThat(rig.kafka.commits).isEmpty();
    }

    // ---- positions that move ----

    @Test
    void soughtWhenAssigned_everythingIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        processIsReplaced(builder -> builder);
        records(rig, P0, 0, 9);
        rig.subscribed(
                new Rig.Quiet() {
                    @Override
                    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                        rig.consumer.seek(P0, 0);
                    }
                },
                P0);

        assertThat(handedOut()).hasSize(10);
    }

    @Test
    void soughtLater_everythingFromThereOnIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(9);
        assertThat(handedOut()).containsExactly(0L);
        rig.consumer.seek(P0, 0);

        assertThat(handedOut()).hasSize(10);
        rig.complete(P0, 5);
        rig.consumer.commitSync();
        restart(9);
        assertThat(handedOut()).containsExactly(0L, 1L, 2L, 3L, 4L, 6L, 7L, 8L, 9L);
    }

    @Test
    void soughtToTheStoredOffset_theMapIsNotLeftThere() {
        tenRecordsOfWhichTheFirstIsStuck();
        rig.consumer.seek(P0, 0);
        assertThat(handedOut()).hasSize(10);
        rig.tick();
        restart(9);

        assertThat(handedOut()).hasSize(10);
    }

    @Test
    void soughtToTheBeginningWhichIsStored_theMapIsNotLeftThere() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(9);
        assertThat(handedOut()).containsExactly(0L);
        rig.consumer.seekToBeginning(List.of(P0));
        assertThat(handedOut()).hasSize(10);
        rig.tick();
        restart(9);

        assertThat(handedOut()).hasSize(10);
    }

    @Test
    void soughtToTheOffsetOfACommitOnItsWay_theMapIsNotLeftThere() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 9);
        rig.kafka.holdAnswers();
        mapIsStored();
        rig.consumer.seek(P0, 0);
        rig.kafka.releaseAnswers();
        assertThat(handedOut()).hasSize(10);
        rig.tick();
        rig.tick();
        restart(9);

        assertThat(handedOut()).hasSize(10);
    }

    @Test
    void soughtToTheStoredOffsetAndClosedAtOnce_theMapIsNotLeftThere() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(9, builder -> builder.commitPolicy(CommitPolicy.timeBounded(Duration.ofDays(1))));
        assertThat(handedOut()).containsExactly(0L);
        rig.consumer.seek(P0, 0);
        rig.consumer.close(Duration.ZERO);
        restart(9);

        assertThat(handedOut()).hasSize(10);
    }

    @Test
    void soughtToTheStoredOffset_isCommittedOnceAndNoMore() {
        tenRecordsOfWhichTheFirstIsStuck();
        rig.consumer.seek(P0, 0);
        rig.kafka.commits.clear();
        handedOut();
        rig.tick(INTERVAL.multipliedBy(10));

        assertThat(rig.points(P0)).containsExactly(new OffsetAndMetadata(0, Optional.empty(), ""));
    }

    @Test
    void positionMovedBack_everythingFromThereOnIsHandedOut() {
        tenRecordsOfWhichTheFirstIsStuck();
        rig.complete(P0, 0);
        rig.tick();
        restart(9);
        handedOut();
        rig.kafka.movePosition(P0, 4);

        assertThat(handedOut()).contains(4L, 5L, 6L, 7L, 8L, 9L);
    }

    // ---- what is committed when ----

    @Test
    void mapAlone_isCommittedOnceAnIntervalWhileSomethingFinishes() {
        rig.subscribed(P0);
        records(rig, P0, 0, 99);
        rig.poll();
        for (int second = 1; second <= 60; second++) {
            rig.complete(P0, second);
            rig.tick(Duration.ofSeconds(1));
        }

        assertThat(rig.sent(P0)).hasSizeBetween(10, 12).containsOnly(0L);
    }

    @Test
    void offsetMovesOnAndIsNotDue_whatFinishedBehindTheNextStuckRecordIsStored() {
        rig = withMaps(builder -> builder.commitPolicy(CommitPolicy.timeBounded(Duration.ofHours(1))));
        rig.subscribed(P0);
        records(rig, P0, 0, 199);
        rig.poll();
        rig.completeAll(P0, 1, 100);
        mapIsStored();
        rig.complete(P0, 0);
        rig.completeAll(P0, 102, 150);
        rig.tick(INTERVAL.multipliedBy(2));
        restart(160);

        assertThat(handedOut()).startsWith(101L, 151L).hasSize(11);
    }

    @Test
    void mapsOfSeveralPartitions_areCommittedTogether() {
        rig.subscribed(P0, P1);
        records(rig, P0, 0, 99);
        records(rig, P1, 0, 99);
        rig.poll();
        rig.time.eachReadingTakes(Duration.ofMillis(1));
        for (int second = 1; second <= 60; second++) {
            rig.complete(P0, second);
            rig.complete(P1, second);
            rig.tick(Duration.ofSeconds(1));
        }

        assertThat(rig.requests(ASYNC)).hasSizeBetween(8, 12).allMatch(request -> request.size() == 2);
    }

    @Test
    void mapIsDueOfATopicInTrouble_othersAreCommittedWhenThePolicySaysSo() {
        TopicPartition other = new TopicPartition("other", 0);
        rig = withMaps(
                builder -> builder.commitPolicy(CommitPolicy.batched(1_000)).resumeMapEvery(Duration.ofMillis(100)));
        rig.subscribed(P0, other);
        records(rig, P0, 0, 99);
        records(rig, other, 0, 9);
        rig.poll();
        rig.kafka.failCommitsOf(Rig.TOPIC, () -> new TopicAuthorizationException(Set.of(Rig.TOPIC)));
        rig.completeAll(P0, 1, 20);
        rig.tick(Duration.ofSeconds(2));
        assertThat(rig.sent(P0)).hasSizeGreaterThan(1);

        rig.kafka.commits.clear();
        rig.complete(other, 0);
        for (long offset = 21; offset < 100; offset++) {
            rig.complete(P0, offset);
            rig.tick(Duration.ofMillis(100));
        }
        assertThat(rig.sent(P0)).isNotEmpty();
        assertThat(rig.sent(other)).isEmpty();
    }

    @Test
    void mapAlone_isNotCommittedAgainWhileNothingFinishes() {
        tenRecordsOfWhichTheFirstIsStuck();
        rig.kafka.commits.clear();
        rig.tick(INTERVAL.multipliedBy(20));
        records(rig, P0, 10, 11);
        rig.poll();
        rig.tick(INTERVAL.multipliedBy(20));

        assertThat(rig.kafka.commits).isEmpty();
    }

    @Test
    void nothingFinishedBeyond_isNeverAReasonToCommit() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.tick(INTERVAL.multipliedBy(20));
        rig.completeAll(P0, 0, 4);
        rig.tick();
        rig.tick(INTERVAL.multipliedBy(20));

        assertThat(rig.sent(P0)).containsExactly(5L);
        assertThat(topicIds.questions).as("but for the assignment").isEqualTo(1);
    }

    @Test
    void revoked_theLastCommitHasTheMapOfAllThatFinished() {
        rig.subscribed(P0, P1);
        records(rig, P0, 0, 9);
        records(rig, P1, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 9);
        rig.completeAll(P1, 0, 9);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1));
        rig.kafka.time.after(Duration.ofMillis(1), () -> rig.complete(P0, 0));
        rig.tick();
        restart(9);

        assertThat(handedOut()).isEmpty();
    }

    @Test
    void closed_theLastCommitHasTheMapOfAllThatFinished() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 4, 6);
        rig.consumer.close(Duration.ofSeconds(1));
        assertThat(rig.sent(SYNC, P0)).containsExactly(0L);
        restart(9);

        assertThat(handedOut()).containsExactly(0L, 1L, 2L, 3L, 7L, 8L, 9L);
    }

    @Test
    void commitSync_storesTheMap() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 4, 6);
        rig.consumer.commitSync();
        rig.consumer.commitSync();
        assertThat(rig.sent(SYNC, P0)).containsExactly(0L);
        restart(9);

        assertThat(handedOut()).containsExactly(0L, 1L, 2L, 3L, 7L, 8L, 9L);
    }

    @Test
    void answersComeLate_nothingWaitsForThem() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        topicIds.holdAnswers();
        rig.completeAll(P0, 5, 9);
        rig.tick(INTERVAL.multipliedBy(2));
        rig.complete(P0, 0);
        rig.tick();
        assertThat(rig.points(P0)).extracting(OffsetAndMetadata::metadata).containsExactly("");

        topicIds.releaseAnswers();
        mapIsStored();
        restart(9);
        assertThat(handedOut()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void answersTakeLongerThanThePauseBetweenQuestions_mapsAreStoredAllTheSame() {
        rig.subscribed(P0);
        records(rig, P0, 0, 0);
        rig.poll();
        topicIds.answersTake(INTERVAL.dividedBy(2).plusMillis(100), rig.time);
        for (int second = 1; second <= 60; second++) {
            records(rig, P0, second, second);
            rig.poll();
            rig.complete(P0, second);
            rig.tick(Duration.ofSeconds(1));
        }

        assertThat(exposure()).isLessThanOrEqualTo(12);
    }

    @Test
    void commitOfTheMapFails_itIsSentAgain() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 9);
        rig.kafka.failNextAsync(new RetriableCommitFailedException("the coordinator is not available"));
        rig.tick(INTERVAL);
        rig.tick();
        assertThat(rig.kafka.stored.get(P0)).isNull();
        rig.tick(Duration.ofSeconds(5));
        rig.tick();
        restart(9);

        assertThat(handedOut()).containsExactly(0L);
    }

    @Test
    void requestedCommit_storesTheMapOnlyWhenItsIntervalIsOver() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        for (int second = 1; second <= 4; second++) {
            rig.complete(P0, second);
            rig.consumer.requestCommit();
            rig.tick(Duration.ofSeconds(1));
        }
        assertThat(rig.kafka.commits).isEmpty();
        rig.tick(Duration.ofSeconds(2));

        assertThat(rig.sent(P0)).containsExactly(0L);
    }

    // ---- length ----

    @Test
    void doesNotFit_theOffsetIsCommittedWithWhatDoes() {
        try (LogLines log = new LogLines(ResumeMaps.class)) {
            rig = withMaps(builder -> builder.maxInFlightPerPartition(100_000).resumeMapCharacters(4_096));
            rig.kafka.maxPollRecords = 100_000;
            rig.subscribed(P0);
            records(rig, P0, 0, 99_999);
            rig.poll();
            Random random = new Random(7);
            for (long offset = 1; offset < 100_000; offset++) {
                if (random.nextBoolean()) {
                    rig.complete(P0, offset);
                }
            }
            mapIsStored();

            assertThat(rig.stored(P0)).isZero();
            assertThat(rig.kafka.stored.get(P0).metadata()).hasSizeBetween(3_000, 4_096);
            assertThat(MetricsTest.value(rig.consumer, "records-without-room-total"))
                    .isPositive();
            assertThat(log.lines()).hasSize(1).first().asString().contains("topic-0", "4096 characters");
            rig.complete(P0, 0);
            rig.tick();
            rig.tick();
            assertThat(rig.stored(P0)).isPositive();
            assertThat(log.lines()).hasSize(1);
        }
    }

    @Test
    void limitByDefault_isAThousandCharacters() {
        rig = withMaps(builder -> builder.maxInFlightPerPartition(100_000));
        rig.kafka.maxPollRecords = 100_000;
        rig.subscribed(P0);
        records(rig, P0, 0, 49_999);
        rig.poll();
        Random random = new Random(8);
        for (long offset = 1; offset < 50_000; offset++) {
            if (random.nextBoolean()) {
                rig.complete(P0, offset);
            }
        }
        mapIsStored();

        assertThat(rig.kafka.stored.get(P0).metadata()).hasSizeBetween(900, 1_024);
    }

    @ParameterizedTest
    @ValueSource(classes = {OffsetMetadataTooLarge.class, InvalidCommitOffsetSizeException.class})
    void brokerRefusesTheMap_theOffsetIsSentAtOnceWithoutIt(Class<? extends RuntimeException> refusal)
            throws Exception {
        rig.subscribed(P0);
        records(rig, P0, 0, 99);
        rig.poll();
        for (long offset = 1; offset < 100; offset += 2) {
            rig.complete(P0, offset);
        }
        rig.kafka.failNextAsync(refusal.getConstructor(String.class).newInstance("too large"));
        mapIsStored();
        rig.tick();

        assertThat(rig.points(P0)).hasSize(2).allMatch(point -> point.offset() == 0);
        assertThat(rig.points(P0).get(0).metadata()).isNotEmpty();
        assertThat(rig.points(P0).get(1).metadata()).isEmpty();
    }

    @Test
    void brokerRefusesTheMap_laterOnesAreShorter() {
        try (LogLines log = new LogLines(MapRoom.class)) {
            rig = withMaps(builder -> builder.maxInFlightPerPartition(100_000));
            rig.kafka.maxPollRecords = 100_000;
            rig.subscribed(P0);
            records(rig, P0, 0, 19_999);
            rig.poll();
            Random random = new Random(9);
            for (long offset = 1; offset < 20_000; offset++) {
                if (random.nextBoolean()) {
                    rig.complete(P0, offset);
                }
            }
            rig.kafka.failNextAsync(new OffsetMetadataTooLarge("too large"));
            mapIsStored();
            mapIsStored();

            assertThat(rig.points(P0))
                    .extracting(point -> point.metadata().length())
                    .satisfies(lengths -> {
                        assertThat(lengths.get(0)).isBetween(900, 1_024);
                        assertThat(lengths.get(1)).isZero();
                        assertThat(lengths.get(2)).isBetween(400, 512);
                    });
            assertThat(log.lines()).hasSize(1).first().asString().contains("refused");
        }
    }

    @Test
    void brokerRefusesTheMapOfTheLastCommit_theOffsetIsStoredWithoutIt() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P0, 6, 9);
        rig.kafka.failNextSync(() -> new OffsetMetadataTooLarge("too large"));
        CloseResult closed = rig.consumer.close(Duration.ofSeconds(1));

        assertThat(rig.kafka.stored.get(P0)).isEqualTo(new OffsetAndMetadata(5, Optional.of(EPOCH), ""));
        assertThat(closed.failures()).isEmpty();
    }

    @Test
    void offsetAloneIsRefusedAsTooLarge_isAFailureLikeOthers() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 4);
        rig.kafka.failNextAsync(new OffsetMetadataTooLarge("too large"));
        rig.tick();
        rig.tick();
        assertThat(rig.sent(P0)).hasSize(1);
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.sent(P0)).containsExactly(5L, 5L);
    }

    // ---- strings of others ----

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "foreign", "R.", "R.1", "R.9abc", "R.1abcdefgh", "bAAAAA==", "€€€", "{\"a\":1}"})
    void othersMetadata_nothingIsLeftOut(String metadata) {
        try (LogLines log = new LogLines(ResumeMaps.class)) {
            rig.kafka.stored.put(P0, new OffsetAndMetadata(100, metadata));
            records(rig, P0, 0, 120);
            rig.subscribed(P0);

            assertThat(handedOut()).hasSize(21).startsWith(100L);
            assertThat(rig.status(P0).committableOffset()).isEqualTo(100);
            if (metadata == null || metadata.isEmpty()) {
                assertThat(log.lines()).isEmpty();
            } else {
                assertThat(log.lines()).hasSize(1).first().asString().contains("topic-0", "100");
            }
        }
    }

    // ---- exposure ----

    @Test
    void replayExposure_isWhatNeitherTheOffsetNorTheMapCovers() {
        rig.subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 2, 5);
        rig.tick();
        assertThat(exposure()).isEqualTo(4);

        mapIsStored();
        assertThat(exposure()).isZero();
        rig.complete(P0, 7);
        assertThat(exposure()).isEqualTo(1);
        rig.complete(P0, 0);
        rig.tick();
        rig.tick(); // the offset is stored, with a map of all the others
        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(exposure()).isZero();
    }

    @Test
    void replayExposure_withoutMapsIsAllThatFinishedAboveTheStoredOffset() {
        rig = Rig.committingAtOnce().subscribed(P0);
        records(rig, P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 2, 5);
        rig.complete(P0, 0);
        rig.tick();
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(1);
        assertThat(exposure()).isEqualTo(4);
    }

    @Test
    void replayExposure_whatAMapThatWasLostHadNamedCountsAgain() {
        tenRecordsOfWhichTheFirstIsStuck();
        restart(20);
        rig.poll();
        assertThat(exposure()).isZero();
        rig.kafka.failNextSync(() -> new OffsetMetadataTooLarge("too large"));
        rig.complete(P0, 15);
        rig.consumer.commitSync();

        assertThat(exposure()).isEqualTo(10);
    }

    private long exposure() {
        long reported =
                rig.consumer.report().partitions().get(0).replayExposure().orElseThrow();
        assertThat(rig.consumer.replayExposure()).isEqualTo(reported);
        return reported;
    }

    // ---- settings ----

    @Test
    void withoutAnAdmin_isRefused() {
        assertThatThrownBy(() -> Rig.with(TrackedConsumerBuilder::resumeMaps))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "resumeMaps needs an Admin, to know one topic from another of the same name: set admin(...) or"
                                + " ownAdmin(), or leave it out");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 63, 4_097})
    void limitThatNotEveryBrokerAllows_isRefused(int characters) {
        assertThatThrownBy(() -> withMaps(builder -> builder.resumeMapCharacters(characters)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("resumeMapCharacters is " + characters + ": it must be from 64 to 4096");
    }

    @Test
    void limitThatBreaksConsumers_isRefusedWhateverTheBrokerAllows() {
        assertThatThrownBy(() -> withMaps(builder -> builder.resumeMapCharacters(32_001, 1_000_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("resumeMapCharacters is 32001: it must be from 64 to 32000");
        withMaps(builder -> builder.resumeMapCharacters(32_000, 1_000_000))
                .consumer
                .close();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"PT0S", "PT-1S"})
    void intervalThatIsNone_isRefused(Duration interval) {
        assertThatThrownBy(() -> withMaps(builder -> builder.resumeMapEvery(interval)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("resumeMapEvery is " + interval + ": it must be more than zero");
    }
}
