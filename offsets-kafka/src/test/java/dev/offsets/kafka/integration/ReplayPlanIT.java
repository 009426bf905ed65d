package dev.offsets.kafka.integration;

import static org.apache.kafka.common.IsolationLevel.READ_COMMITTED;
import static org.apache.kafka.common.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.kafka.ReplayPlan;
import dev.offsets.kafka.ReplayPlan.Move;
import dev.offsets.kafka.ReplayPoint;
import dev.offsets.kafka.ReplayRange;
import dev.offsets.kafka.ResolvedPoint;
import dev.offsets.kafka.TrackedRecord;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Where groups can be made to go on, where tools go wrong. */
@Timeout(180)
class ReplayPlanIT {
    private static final Map<String, String> KEPT = Map.of("retention.ms", "-1");

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private void produceAt(long... timestamps) throws Exception {
        try (KafkaProducer<String, String> producer = kafka.producer(Map.of())) {
            for (long timestamp : timestamps) {
                producer.send(new ProducerRecord<>(kafka.topic(), 0, timestamp, null, "at " + timestamp))
                        .get();
            }
        }
    }

    private void deleteBefore(long offset) throws Exception {
        kafka.admin()
                .deleteRecords(Map.of(kafka.partition(0), RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    private void commit(long offset) throws Exception {
        kafka.admin()
                .alterConsumerGroupOffsets(kafka.group(), Map.of(kafka.partition(0), new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    /** A log from 60 to 100, with the timestamp 1000 + offset, and a group that has stopped at 20. */
    private void createLog() throws Exception {
        kafka.createTopic(kafka.topic(), 1, KEPT);
        produceAt(LongStream.range(1_000, 1_100).toArray());
        deleteBefore(60);
        commit(20);
    }

    private ReplayPlan plan(ReplayPoint target, IsolationLevel isolationLevel) throws Exception {
        return plan(kafka.admin(), Map.of(kafka.partition(0), target), isolationLevel);
    }

    private ReplayPlan plan(Admin admin, Map<TopicPartition, ReplayPoint> targets, IsolationLevel isolationLevel)
            throws Exception {
        return ReplayPlan.request(admin, kafka.group(), targets, isolationLevel)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    private Move move(ReplayPoint target) throws Exception {
        return plan(target, READ_UNCOMMITTED).moves().get(0);
    }

    private OptionalLong offset(ReplayPoint target, IsolationLevel isolationLevel) throws Exception {
        return plan(target, isolationLevel).moves().get(0).target().offset();
    }

    private OptionalLong fromTime(long millis, IsolationLevel isolationLevel) throws Exception {
        return offset(ReplayPoint.timestamp(Instant.ofEpochMilli(millis)), isolationLevel);
    }

    private void apply(ReplayPlan plan) throws Exception {
        plan.apply(kafka.admin()).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    // ---- Where that is ----

    @Test
    void offsetsShiftsAndEnds_areWithinTheLog_andClampedOnesAreSaidToBe() throws Exception {
        createLog();
        Map<ReplayPoint, Long> clamped = Map.of(
                ReplayPoint.offset(10),
                60L,
                ReplayPoint.offset(150),
                100L,
                ReplayPoint.offset(-5),
                60L,
                ReplayPoint.shiftedBy(-5),
                60L,
                ReplayPoint.shiftedBy(1_000),
                100L,
                ReplayPoint.shiftedBy(Long.MAX_VALUE),
                100L,
                ReplayPoint.shiftedBy(Long.MIN_VALUE),
                60L,
                ReplayPoint.committed(),
                60L);
        for (Map.Entry<ReplayPoint, Long> expected : clamped.entrySet()) {
            ResolvedPoint target = move(expected.getKey()).target();
            assertThat(target.offset()).as("%s", expected.getKey()).hasValue(expected.getValue());
            assertThat(target.clamped()).as("%s", expected.getKey()).isTrue();
            assertThat(target.reason()).isNotEmpty();
        }
        Map<ReplayPoint, Long> asTheyAre =
                Map.of(ReplayPoint.shiftedBy(45), 65L, ReplayPoint.earliest(), 60L, ReplayPoint.latest(), 100L);
        for (Map.Entry<ReplayPoint, Long> expected : asTheyAre.entrySet()) {
            ResolvedPoint target = move(expected.getKey()).target();
            assertThat(target.offset()).as("%s", expected.getKey()).hasValue(expected.getValue());
            assertThat(target.clamped()).as("%s", expected.getKey()).isFalse();
        }
    }

    @Test
    void latest_saysHowManyItSkips_andEarliestHowManyAreDoneAgain() throws Exception {
        createLog();
        Move latest = move(ReplayPoint.latest());
        assertThat(latest.skipped()).hasValue(40);
        assertThat(latest.replayed()).hasValue(0);

        commit(90);
        Move earliest = move(ReplayPoint.earliest());
        assertThat(earliest.replayed()).hasValue(30);
        assertThat(earliest.skipped()).hasValue(0);
        assertThat(earliest.committed()).hasValue(90);
        assertThat(earliest.logStart()).hasValue(60);
        assertThat(earliest.end()).hasValue(100);
    }

    @ParameterizedTest
    @CsvSource({
        "earliest, 60",
        "latest, 100",
    })
    void resumingBelowTheLog_goesOnWhereTheResetPolicySays_andTheLossIsTold(String reset, long position)
            throws Exception {
        createLog();
        assertThat(move(ReplayPoint.latest()).skipped()).hasValue(40);
        Heard heard = new Heard();
        Member member =
                kafka.member().with("auto.offset.reset", reset).heardBy(heard).subscribe();
        member.until("the jump is told", () -> !heard.jumps.isEmpty());

        assertThat(heard.jumps).containsExactly(new Heard.Jump(kafka.partition(0), 20, position));
    }

    @Test
    void resumingBelowTheLog_withoutAResetPolicy_throws() throws Exception {
        createLog();
        Member member = kafka.member().with("auto.offset.reset", "none").subscribe();

        assertThat(member.untilThrows()).isInstanceOf(OffsetOutOfRangeException.class);
    }

    @Test
    void timesAreLookedUp_andTheEndIsWhereNoRecordIsAsNew() throws Exception {
        createLog();
        assertThat(fromTime(1_070, READ_UNCOMMITTED)).hasValue(70);
        assertThat(fromTime(1_000, READ_UNCOMMITTED)).hasValue(60);
        Move future = move(ReplayPoint.timestamp(Instant.parse("2130-01-01T00:00:00Z")));
        assertThat(future.target().offset()).hasValue(100);
        assertThat(future.target().reason()).isEqualTo("no record is as new as that: the end");

        assertThat(offset(ReplayPoint.ago(Duration.ofDays(400_000)), READ_UNCOMMITTED))
                .as("longer ago than the epoch")
                .hasValue(60);
        assertThat(offset(ReplayPoint.ago(Duration.ofSeconds(Long.MAX_VALUE)), READ_UNCOMMITTED))
                .hasValue(60);
        assertThat(offset(ReplayPoint.ago(Duration.ZERO), READ_UNCOMMITTED)).hasValue(100);
        assertThat(offset(ReplayPoint.timestamp(Instant.MIN), READ_UNCOMMITTED)).hasValue(60);
        assertThat(offset(ReplayPoint.timestamp(Instant.MAX), READ_UNCOMMITTED)).hasValue(100);
    }

    @Test
    void partitionWithoutANewerRecord_goesToItsEnd_theOtherToTheRecord() throws Exception {
        kafka.createTopic(kafka.topic(), 2, KEPT);
        produceAt(100, 200, 300);
        kafka.produce(1, 0);
        ReplayPoint since = ReplayPoint.timestamp(Instant.ofEpochMilli(200));

        assertThat(plan(kafka.admin(), Map.of(kafka.partition(0), since, kafka.partition(1), since), READ_UNCOMMITTED)
                        .offsets())
                .isEqualTo(Map.of(kafka.partition(0), 1L, kafka.partition(1), 0L));
    }

    @Test
    void equalTimestamps_areAllIncluded() throws Exception {
        kafka.createTopic(kafka.topic(), 1, KEPT);
        produceAt(100, 200, 200, 300);

        assertThat(fromTime(200, READ_UNCOMMITTED)).hasValue(1);
        assertThat(fromTime(201, READ_UNCOMMITTED)).hasValue(3);
        assertThat(fromTime(301, READ_UNCOMMITTED)).hasValue(4);
    }

    @Test
    void timestampsThatDoNotAscend_areFoundFromTheFirstThatIsAsNew() throws Exception {
        kafka.createTopic(kafka.topic(), 1, KEPT);
        produceAt(100, 500, 200, 300, 500, 400);

        assertThat(fromTime(150, READ_UNCOMMITTED)).hasValue(1);
    }

    @Test
    void timeBehindATransaction_isItsMarker_whichDoesNoHarm() throws Exception {
        kafka.createTopic(kafka.topic(), 1, KEPT);
        try (KafkaProducer<String, String> producer = kafka.producer(Map.of("transactional.id", kafka.topic()))) {
            producer.initTransactions();
            producer.beginTransaction();
            for (long timestamp : new long[] {1_000, 2_000, 3_000}) {
                producer.send(new ProducerRecord<>(kafka.topic(), 0, timestamp, null, "transactional"));
            }
            producer.commitTransaction();
        }
        Await.until("the marker is written", () -> kafka.endOffset(0, READ_COMMITTED) == 4);
        OptionalLong marker = fromTime(3_001, READ_COMMITTED);
        assertThat(marker).hasValue(3);

        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(kafka.configuration())) {
            consumer.assign(List.of(kafka.partition(0)));
            consumer.seek(kafka.partition(0), marker.getAsLong());
            Await.until(
                    "the marker is passed",
                    () -> assertThat(consumer.poll(Duration.ofMillis(20)).count())
                            .isZero(),
                    () -> consumer.position(kafka.partition(0)) == 4);
        }
    }

    @Test
    void recordInAnOpenTransaction_isThereForWhoReadsUncommittedAlone() throws Exception {
        kafka.createTopic(kafka.topic(), 1, KEPT);
        produceAt(500);
        KafkaProducer<String, String> producer = kafka.producer(Map.of("transactional.id", kafka.topic()));
        kafka.closeAtEnd(() -> producer.close(Duration.ZERO));
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(kafka.topic(), 0, 1_000L, null, "open"))
                .get();

        assertThat(fromTime(1_000, READ_UNCOMMITTED)).hasValue(1);
        Move committed = plan(ReplayPoint.timestamp(Instant.ofEpochMilli(1_000)), READ_COMMITTED)
                .moves()
                .get(0);
        assertThat(committed.target().offset()).as("the last stable offset").hasValue(1);
        assertThat(committed.target().reason()).isEqualTo("no record is as new as that: the end");
        assertThat(committed.end()).hasValue(1);
        assertThat(offset(ReplayPoint.offset(2), READ_COMMITTED)).hasValue(1);
        assertThat(offset(ReplayPoint.offset(2), READ_UNCOMMITTED)).hasValue(2);
    }

    @Test
    void brokersAnswerThatThereIsNone_isNotTheEnd_whereANewerRecordWasDeleted() throws Exception {
        kafka.createTopic(kafka.topic(), 1, Map.of("retention.ms", "-1", "segment.ms", "1000"));
        long now = System.currentTimeMillis();
        produceAt(now, now - 10_000, now + 2_000);
        deleteBefore(1);

        assertThat(fromTime(now - 5_000, READ_UNCOMMITTED)).hasValue(2);
        assertThat(fromTime(now - 20_000, READ_UNCOMMITTED)).hasValue(1);
        assertThat(fromTime(now + 3_000, READ_UNCOMMITTED)).hasValue(3);
        assertThat(plan(ReplayPoint.timestamp(Instant.ofEpochMilli(now - 5_000)), READ_UNCOMMITTED)
                        .toTable())
                .contains("some before it may be as new");
    }

    @Test
    void ofManyNewerSegments_theFirstThatBrokersFindIsTaken_notTheNewestRecord() throws Exception {
        kafka.createTopic(kafka.topic(), 1, Map.of("retention.ms", "-1", "segment.ms", "1000"));
        long now = System.currentTimeMillis();
        produceAt(now - 50_000, now - 90_000, now - 40_000, now - 30_000, now - 20_000, now - 10_000, now);
        deleteBefore(1);

        assertThat(fromTime(now - 60_000, READ_UNCOMMITTED)).hasValue(2);
        assertThat(fromTime(now - 35_000, READ_UNCOMMITTED)).hasValue(3);
    }

    @Test
    void newestRecordDeleted_isTheLogsStart_sinceBrokersCanNotTell() throws Exception {
        kafka.createTopic(kafka.topic(), 1, KEPT);
        long now = System.currentTimeMillis();
        produceAt(now, now - 10_000, now - 8_000);
        deleteBefore(1);
        ResolvedPoint target =
                move(ReplayPoint.timestamp(Instant.ofEpochMilli(now - 5_000))).target();

        assertThat(target.offset()).hasValue(1);
        assertThat(target.reason()).isNotEmpty();
    }

    @Test
    void whatCanNotBeTold_hasItsReason_andTheOthersGoOn() throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, 5);
        commit(2);
        TopicPartition unknown = new TopicPartition("no-such-topic", 0);
        Map<TopicPartition, ReplayPoint> targets = new HashMap<>();
        targets.put(kafka.partition(0), ReplayPoint.shiftedBy(1));
        targets.put(kafka.partition(1), ReplayPoint.shiftedBy(1));
        targets.put(unknown, ReplayPoint.earliest());
        ReplayPlan plan = plan(kafka.admin(), targets, READ_UNCOMMITTED);

        assertThat(plan.isComplete()).isFalse();
        assertThat(plan.offsets()).isEqualTo(Map.of(kafka.partition(0), 3L));
        assertThat(plan.moves().get(1).target().reason())
                .isEqualTo("the group has committed nothing for this partition");
        assertThat(plan.moves().get(2).target().reason()).startsWith("the ends of the log are not known");
        apply(plan);
        assertThat(kafka.committed()).isEqualTo(Map.of(kafka.partition(0), 3L));
    }

    // ---- Applied to a group without members ----

    @Test
    void wholeGroup_isPlannedFromWhatItHasCommitted_andMovedWhenAsked() throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, 5);
        commit(4);
        ReplayPlan plan = ReplayPlan.request(kafka.admin(), kafka.group(), ReplayPoint.earliest(), READ_UNCOMMITTED)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);

        assertThat(plan.state()).isEqualTo(GroupState.EMPTY);
        assertThat(plan.offsets()).isEqualTo(Map.of(kafka.partition(0), 0L));
        assertThat(kafka.committed()).as("planned, not applied").isEqualTo(Map.of(kafka.partition(0), 4L));
        apply(plan);
        assertThat(kafka.committed()).isEqualTo(Map.of(kafka.partition(0), 0L));

        Member member = kafka.member().subscribe();
        member.receive(10);
        assertThat(member.receivedOffsets(kafka.partition(0))).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void groupThatDoesNotExistYet_isMadeByAPlan_forPartitionsThatAreNamed() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 5);
        ReplayPlan nothing = ReplayPlan.request(kafka.admin(), kafka.group(), ReplayPoint.earliest(), READ_UNCOMMITTED)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        assertThat(nothing.moves()).isEmpty();
        assertThatThrownBy(() -> apply(nothing))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no target that could be told");

        ReplayPlan plan = plan(ReplayPoint.offset(3), READ_UNCOMMITTED);
        assertThat(plan.state()).isEqualTo(GroupState.DEAD);
        assertThat(plan.moves().get(0).replayed()).isEmpty();
        apply(plan);
        assertThat(kafka.committed(0)).isEqualTo(3);
    }

    @Test
    void whatStaysWhereItIs_keepsItsLeaderEpochAndMetadata() throws Exception {
        kafka.createTopic(2);
        kafka.produceEverywhere(2, 5);
        OffsetAndMetadata stored = new OffsetAndMetadata(4, Optional.of(0), "of mine");
        kafka.admin()
                .alterConsumerGroupOffsets(
                        kafka.group(), Map.of(kafka.partition(0), stored, kafka.partition(1), stored))
                .all()
                .get();
        apply(plan(
                kafka.admin(),
                Map.of(kafka.partition(0), ReplayPoint.committed(), kafka.partition(1), ReplayPoint.offset(2)),
                READ_UNCOMMITTED));
        assertThat(kafka.commits())
                .isEqualTo(Map.of(kafka.partition(0), stored, kafka.partition(1), new OffsetAndMetadata(2)));

        apply(plan(ReplayPoint.committed(), READ_UNCOMMITTED));
        assertThat(kafka.commits()).containsEntry(kafka.partition(0), stored);
    }

    @Test
    void oneBadRecord_isSkipped_thatAndNothingElse() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        commit(5);
        ReplayPlan plan = plan(ReplayPoint.past(5), READ_UNCOMMITTED);
        assertThat(plan.moves().get(0).skipped()).hasValue(1);
        apply(plan);
        assertThat(kafka.committed(0)).isEqualTo(6);

        ReplayPlan tooFar = plan(ReplayPoint.past(8), READ_UNCOMMITTED);
        assertThat(tooFar.offsets()).isEmpty();
        assertThat(tooFar.toTable()).contains("they would be skipped too");
        assertThatThrownBy(() -> apply(tooFar)).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(kafka.committed(0)).isEqualTo(6);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void groupWithMembers_isRefused_andStaysWhereItIs(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member(protocol).subscribe();
        member.completeAll();
        member.until("all is committed", () -> Long.valueOf(10).equals(kafka.committed(0)));
        ReplayPlan plan = plan(ReplayPoint.earliest(), READ_UNCOMMITTED);

        assertThatThrownBy(() -> apply(plan))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("TrackedConsumer.replay(plan)");
        assertThat(kafka.committed(0)).isEqualTo(10);

        kafka.produce(0, 1);
        ReplayPlan skip = plan(ReplayPoint.past(10), READ_UNCOMMITTED);
        assertThatThrownBy(() -> apply(skip))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("TrackedConsumer.skip(partition, offset, reason)");
        assertThat(kafka.committed(0)).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void memberThatJoinsAtTheLastMoment_hasItRefusedByTheBroker(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        commit(7);
        Member member = kafka.member(protocol).build();
        Admin late = beforeAlteringOffsets(() -> {
            member.consumer().subscribe(List.of(kafka.topic()));
            member.until("the member has joined", () -> !member.assignment().isEmpty());
        });
        ReplayPlan plan = plan(ReplayPoint.earliest(), READ_UNCOMMITTED);

        // On another thread than the Admin's, which the member needs not: its own thread polls it
        assertThatThrownBy(() -> plan.apply(late).toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has got members");
        assertThat(kafka.committed(0)).isEqualTo(7);
    }

    private interface Action {
        void run() throws Exception;
    }

    private Admin beforeAlteringOffsets(Action action) {
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("alterConsumerGroupOffsets")) {
                        action.run();
                    }
                    try {
                        return method.invoke(kafka.admin(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void groupThatHasCommittedSince_isRefused() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        commit(7);
        ReplayPlan plan = plan(ReplayPoint.earliest(), READ_UNCOMMITTED);
        commit(8);

        assertThatThrownBy(() -> apply(plan))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("(7 then, 8 now): make the plan anew");
        assertThat(kafka.committed(0)).isEqualTo(8);
    }

    @Test
    void offsetInAnOpenTransaction_isNotTakenForNone_andNothingIsCommittedOverIt() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        commit(3);
        ReplayPlan before = plan(ReplayPoint.earliest(), READ_UNCOMMITTED);
        KafkaProducer<String, String> producer = kafka.producer(Map.of("transactional.id", kafka.topic()));
        kafka.closeAtEnd(() -> producer.close(Duration.ZERO));
        producer.initTransactions();
        producer.beginTransaction();
        try (KafkaConsumer<String, String> outside = new KafkaConsumer<>(kafka.configuration())) {
            producer.sendOffsetsToTransaction(
                    Map.of(kafka.partition(0), new OffsetAndMetadata(7)), outside.groupMetadata());
        }

        for (ReplayPlan during : List.of(
                plan(ReplayPoint.earliest(), READ_UNCOMMITTED),
                ReplayPlan.request(kafka.admin(), kafka.group(), ReplayPoint.earliest(), READ_UNCOMMITTED)
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS))) {
            assertThat(during.moves()).hasSize(1);
            assertThat(during.isComplete()).isFalse();
            assertThat(during.moves().get(0).target().reason())
                    .startsWith("the group has an offset in a transaction that is open");
        }
        assertThatThrownBy(() -> apply(before))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining(kafka.partition(0) + ": the group has an offset in a transaction that is open");

        producer.commitTransaction();
        Await.until("the transaction has ended", () -> Long.valueOf(7).equals(kafka.committed(0)));
        assertThatThrownBy(() -> apply(before)).hasMessageContaining("(3 then, 7 now): make the plan anew");
        assertThat(plan(ReplayPoint.earliest(), READ_UNCOMMITTED).moves().get(0).replayed())
                .hasValue(7);
    }

    @Test
    void committedBetweenTheLastStableOffsetAndTheEnd_isReplayedToo() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 3);
        KafkaProducer<String, String> producer = kafka.producer(Map.of("transactional.id", kafka.topic()));
        kafka.closeAtEnd(() -> producer.close(Duration.ZERO));
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(kafka.topic(), 0, null, "open")).get();
        kafka.produce(0, 3);
        commit(6);
        Move move = plan(ReplayPoint.latest(), READ_COMMITTED).moves().get(0);

        assertThat(move.target().offset()).hasValue(3);
        assertThat(move.replayed()).hasValue(3);
    }

    @Test
    void partitionsWithDifferentStarts_areEachClampedToTheirOwn() throws Exception {
        kafka.createTopic(kafka.topic(), 3, KEPT);
        kafka.produceEverywhere(3, 10);
        kafka.admin()
                .deleteRecords(Map.of(
                        kafka.partition(0), RecordsToDelete.beforeOffset(4),
                        kafka.partition(1), RecordsToDelete.beforeOffset(10)))
                .all()
                .get();
        ReplayRange range = ReplayRange.request(
                        kafka.admin(),
                        List.of(kafka.partition(0), kafka.partition(1), kafka.partition(2)),
                        ReplayPoint.offset(2),
                        ReplayPoint.timestamp(Instant.now().plus(Duration.ofHours(1))),
                        READ_COMMITTED)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);

        assertThat(range.parts())
                .extracting(part -> part.from().offset().getAsLong())
                .containsExactly(4L, 10L, 2L);
        assertThat(range.parts()).extracting(part -> part.from().clamped()).containsExactly(true, true, false);
        assertThat(range.parts()).allSatisfy(part -> {
            assertThat(part.to().offset()).as("the future is not waited for").hasValue(10);
            assertThat(part.to().reason()).isEqualTo("no record is as new as that: the end");
        });
        assertThat(range.records()).isEqualTo(14);
    }

    @Test
    void closedAdmin_failsTheStage() throws Exception {
        Admin closed = Admin.create(Map.of("bootstrap.servers", kafka.broker().bootstrapServers()));
        closed.close();

        assertThatThrownBy(() -> plan(closed, Map.of(), READ_UNCOMMITTED)).isInstanceOf(ExecutionException.class);
    }

    // ---- Applied by a running consumer ----

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void runningConsumer_readsAgain_andWhatItHadNotCommittedIsVoid(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member(protocol).subscribe();
        member.receive(10);
        member.completeBelow(6);
        member.until("six are committed", () -> Long.valueOf(6).equals(kafka.committed(0)));
        TrackedRecord<String, String> former = member.received().get(8);
        ReplayPlan plan = plan(ReplayPoint.shiftedBy(-4), READ_UNCOMMITTED);
        assertThat(plan.moves().get(0).replayed()).hasValue(4);

        assertThat(member.consumer().replay(plan)).containsExactly(kafka.partition(0));
        former.complete();
        member.until("where it goes on is committed", () -> Long.valueOf(2).equals(kafka.committed(0)));
        member.receive(18);
        assertThat(member.receivedOffsets(kafka.partition(0)).subList(10, 18))
                .containsExactly(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        member.received().forEach(TrackedRecord::complete);
        member.until("all is committed", () -> Long.valueOf(10).equals(kafka.committed(0)));
    }
}
