package dev.offsets.kafka.integration;

import static org.apache.kafka.common.IsolationLevel.READ_COMMITTED;
import static org.apache.kafka.common.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.GroupReport;
import dev.offsets.kafka.PartitionReport;
import dev.offsets.kafka.PartitionStatus.CaughtUp;
import dev.offsets.kafka.PartitionStatus.DataLoss;
import dev.offsets.kafka.PartitionStatus.InvalidCommit;
import dev.offsets.kafka.PartitionStatus.Kind;
import dev.offsets.kafka.PartitionStatus.LsoBlocked;
import dev.offsets.kafka.StatusThresholds;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How far behind a group is, from outside and from inside of its consumer, where tools go wrong. */
@Timeout(180)
class LagIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private GroupReport outside(IsolationLevel isolationLevel) throws Exception {
        return GroupReport.request(kafka.admin(), kafka.group(), isolationLevel)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    private PartitionReport partition(IsolationLevel isolationLevel) throws Exception {
        return outside(isolationLevel).partitions().get(0);
    }

    /** As a group without members that has stopped there. */
    private void commit(long offset) throws Exception {
        kafka.admin()
                .alterConsumerGroupOffsets(kafka.group(), Map.of(kafka.partition(0), new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    private void deleteBefore(long offset) throws Exception {
        kafka.admin()
                .deleteRecords(Map.of(kafka.partition(0), RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    /** A member that looks often. */
    private Member.Builder looking(Protocol protocol) {
        return kafka.member(protocol)
                .set(builder -> builder.admin(kafka.admin()).lookEvery(Duration.ofMillis(50)));
    }

    private Member.Builder looking() {
        return looking(Protocol.CLASSIC_COOPERATIVE);
    }

    /** The member's own report of the one partition, once it knows the ends and says so. */
    private PartitionReport until(Member member, String condition, Predicate<PartitionReport> holds) throws Exception {
        AtomicReference<PartitionReport> found = new AtomicReference<>();
        member.until(condition, () -> {
            List<PartitionReport> partitions = member.consumer().report().partitions();
            if (partitions.size() == 1 && holds.test(partitions.get(0))) {
                found.set(partitions.get(0));
                return true;
            }
            return false;
        });
        return found.get();
    }

    /** A transaction that stays open: its records hold back what follows. */
    private void openTransaction(int records) throws Exception {
        KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        kafka.broker().bootstrapServers(),
                        "transactional.id",
                        kafka.topic() + "-open"),
                new StringSerializer(),
                new StringSerializer());
        kafka.closeAtEnd(() -> producer.close(Duration.ZERO));
        producer.initTransactions();
        producer.beginTransaction();
        for (int i = 0; i < records; i++) {
            producer.send(new ProducerRecord<>(kafka.topic(), 0, null, "open " + i));
        }
        producer.flush();
    }

    @Test
    void nothingCommitted_isUnknown_andZeroCommittedIsZero() throws Exception {
        kafka.createTopic(1);
        assertThat(outside(READ_COMMITTED).partitions()).isEmpty();
        assertThat(outside(READ_COMMITTED).state()).contains(GroupState.DEAD);

        Member member = looking().policy(CommitPolicy.batched(100)).subscribe();
        PartitionReport own =
                until(member, "the end is known", known -> known.fetchLag().isPresent());
        assertThat(own.committedOffset()).isEmpty();
        assertThat(own.commitLag()).isEmpty();
        assertThat(own.fetchLag()).hasValue(0);
        assertThat(own.timeLag()).contains(Duration.ZERO);
        assertThat(partition(READ_COMMITTED).commitLag()).isEmpty();
        assertThat(partition(READ_COMMITTED).status().kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(partition(READ_COMMITTED).highWatermark()).hasValue(0);
        member.close();
        commit(0);
        assertThat(partition(READ_COMMITTED).commitLag()).hasValue(0);
        assertThat(partition(READ_COMMITTED).status()).isEqualTo(new CaughtUp());
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_COOPERATIVE", "CONSUMER"})
    void twoOfTenCommittedAndAllRead(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = looking(protocol).with("client.id", "shop-1").subscribe();
        member.receive(10);
        member.received().subList(0, 2).forEach(TrackedRecord::complete);
        member.received().get(5).complete();
        PartitionReport own = until(
                member,
                "two are committed, and the end is known",
                known -> known.committedOffset().equals(OptionalLong.of(2))
                        && known.commitLag().isPresent());

        assertThat(own.commitLag()).hasValue(8);
        assertThat(own.fetchLag()).hasValue(0);
        assertThat(own.logStart()).hasValue(0);
        assertThat(own.lastStableOffset()).hasValue(10);
        assertThat(own.highWatermark()).hasValue(10);
        assertThat(own.position()).hasValue(10);
        assertThat(own.committableOffset()).hasValue(2);
        assertThat(own.incomplete()).hasValue(7);
        assertThat(own.completedAhead()).hasValue(1);
        assertThat(own.workRemaining()).hasValue(7);
        assertThat(own.timeLag().orElseThrow()).isBetween(Duration.ZERO, Duration.ofMinutes(3));
        assertThat(own.owner()).contains("shop-1");
        assertThat(outside(READ_UNCOMMITTED).state()).contains(GroupState.STABLE);
        assertThat(partition(READ_UNCOMMITTED).commitLag()).hasValue(8);
        assertThat(partition(READ_UNCOMMITTED).owner()).contains("shop-1@127.0.0.1");
        assertThat(partition(READ_UNCOMMITTED).position()).isEmpty();
        assertThat(partition(READ_UNCOMMITTED).status().kind()).isEqualTo(Kind.OK);
    }

    @ParameterizedTest
    @CsvSource({"read_committed", "read_uncommitted"})
    void markerAtTheEnd_leavesNoLag(String isolation) throws Exception {
        kafka.createTopic(1);
        kafka.transaction(0, 5, true);
        commit(5);
        assertThat(partition(READ_COMMITTED).commitLag())
                .as("last record + 1 is not the end")
                .hasValue(1);
        commit(0);

        Member member = looking().with("isolation.level", isolation).subscribe().completeAll();
        PartitionReport own =
                until(member, "caught up", known -> known.commitLag().equals(OptionalLong.of(0)));
        assertThat(own.committedOffset()).hasValue(6);
        assertThat(own.timeLag()).contains(Duration.ZERO);
        assertThat(own.status()).isEqualTo(new CaughtUp());
        assertThat(partition(READ_COMMITTED).commitLag()).hasValue(0);
        assertThat(partition(READ_UNCOMMITTED).commitLag()).hasValue(0);
    }

    @Test
    void markerAfterFullPolls_isPassedByAnEmptyOne() throws Exception {
        kafka.createTopic(1);
        kafka.transaction(0, 5, true);
        Member member = looking()
                .with("isolation.level", "read_committed")
                .with("max.poll.records", 5)
                .subscribe();
        member.receive(5);
        assertThat(member.consumer().report().partitions().get(0).position()).hasValue(5);

        until(member, "position over the marker", known -> known.position().equals(OptionalLong.of(6)));
        assertThat(member.received()).hasSize(5);
    }

    @Test
    void abortedTransaction_leavesNoLag() throws Exception {
        kafka.createTopic(1);
        kafka.transaction(0, 5, false);
        Member member = looking()
                .policy(CommitPolicy.timeBounded(Duration.ofMillis(100)))
                .with("isolation.level", "read_committed")
                .subscribe();
        PartitionReport own =
                until(member, "caught up", known -> known.commitLag().equals(OptionalLong.of(0)));

        assertThat(own.position()).hasValue(6);
        assertThat(own.fetchLag()).hasValue(0);
        assertThat(member.received()).isEmpty();
    }

    @Test
    void openTransaction_countsByTheIsolationLevel() throws Exception {
        kafka.createTopic(1);
        kafka.transaction(0, 3, true);
        kafka.transaction(0, 4, false);
        kafka.produce(0, 2);
        openTransaction(2);
        kafka.produce(0, 3);
        Member member = looking()
                .with("isolation.level", "read_committed")
                .set(builder -> builder.statusThresholds(
                        StatusThresholds.DEFAULTS.withOpenTransactionAfter(Duration.ofMillis(100))))
                .subscribe()
                .completeAll();
        PartitionReport own = until(
                member,
                "caught up",
                known -> known.commitLag().equals(OptionalLong.of(0))
                        && known.status().kind() == Kind.LSO_BLOCKED);

        assertThat(own.lastStableOffset()).hasValue(11);
        assertThat(own.highWatermark()).hasValue(16);
        assertThat(own.status()).isEqualTo(new LsoBlocked(11, 16));
        assertThat(own.fetchLag()).hasValue(0);
        assertThat(partition(READ_COMMITTED).commitLag()).hasValue(0);
        assertThat(partition(READ_COMMITTED).status()).isEqualTo(new LsoBlocked(11, 16));
        assertThat(partition(READ_UNCOMMITTED).commitLag()).hasValue(5);
        assertThat(partition(READ_UNCOMMITTED).status().kind()).isEqualTo(Kind.OK);
    }

    @Test
    void resumeMapStoredWithTheOffset_tellsFromOutsideWhatIsDoneAhead() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = looking()
                .set(builder -> builder.resumeMaps().resumeMapEvery(Duration.ofMillis(50)))
                .subscribe();
        member.receive(10);
        member.received().stream().filter(record -> record.offset() != 2).forEach(TrackedRecord::complete);
        member.until(
                "the map is stored",
                () -> partition(READ_UNCOMMITTED).completedAhead().equals(OptionalLong.of(7)));
        PartitionReport partition = partition(READ_UNCOMMITTED);
        assertThat(partition.committedOffset()).hasValue(2);
        assertThat(partition.commitLag()).hasValue(8);
        assertThat(outside(READ_UNCOMMITTED).toTable()).contains("DONE-AHEAD").contains("COMMITTED is the next record");
        member.close();

        OffsetAndMetadata stored = kafka.commits().get(kafka.partition(0));
        kafka.admin()
                .alterConsumerGroupOffsets(
                        kafka.group(), Map.of(kafka.partition(0), new OffsetAndMetadata(3, stored.metadata())))
                .all()
                .get();
        assertThat(partition(READ_UNCOMMITTED).completedAhead())
                .as("a map of another offset")
                .isEmpty();
    }

    @Test
    void largeOpenTransaction_doesNotHideWhatIsNotCommitted() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 200);
        openTransaction(1_463);
        commit(200);

        assertThat(partition(READ_COMMITTED).commitLag()).hasValue(0);
        assertThat(partition(READ_UNCOMMITTED).commitLag()).hasValue(1_463);
        commit(0);
        Member member = looking()
                .with("isolation.level", "read_committed")
                .policy(CommitPolicy.batched(1_000))
                .subscribe()
                .completeAll();
        PartitionReport own = until(
                member,
                "all has finished, and the end is known",
                known -> known.committableOffset().equals(OptionalLong.of(200))
                        && known.commitLag().isPresent());
        assertThat(own.commitLag()).as("finished is not committed").hasValue(200);
    }

    @Test
    void compactedLog_countsOffsetsWhichAreMoreThanItsRecords() throws Exception {
        kafka.createCompactedTopic();
        commit(0);
        PartitionReport partition = partition(READ_COMMITTED);

        assertThat(partition.logStart()).hasValue(0);
        assertThat(partition.commitLag()).hasValue(kafka.endOffset(0));
        assertThat(kafka.count(0)).isLessThan(50);
        assertThat(outside(READ_COMMITTED).toTable())
                .contains("Lags are distances of offsets: at most so many records.");
    }

    @Test
    void deletedBelow_countsWhatCanBeReadAndTellsWhatIsLost() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 100);
        commit(20);
        deleteBefore(60);
        PartitionReport partition = partition(READ_COMMITTED);
        assertThat(partition.commitLag()).hasValue(40);
        assertThat(partition.status()).isEqualTo(new DataLoss(20, 60));

        deleteBefore(100);
        PartitionReport emptied = partition(READ_COMMITTED);
        assertThat(emptied.logStart()).hasValue(100);
        assertThat(emptied.commitLag()).hasValue(0);
        assertThat(emptied.timeLag()).contains(Duration.ZERO);
        assertThat(emptied.status()).isEqualTo(new DataLoss(20, 100));
    }

    @Test
    void committedBeyondTheEnd_isInvalidAndNoLag() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        commit(1_000);
        PartitionReport partition = partition(READ_UNCOMMITTED);

        assertThat(partition.commitLag()).isEmpty();
        assertThat(partition.committedOffset()).hasValue(1_000);
        assertThat(partition.status()).isEqualTo(new InvalidCommit(1_000, 10));
        assertThat(outside(READ_UNCOMMITTED).isHealthy()).isFalse();
        assertThat(outside(READ_UNCOMMITTED).toTable()).contains("--to earliest");
    }

    @Test
    void neverCommitted_lagIsUnknownAndAllIsRead() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Map<String, Object> configuration = kafka.configuration();
        configuration.put("auto.offset.reset", "latest");
        try (KafkaConsumer<String, String> plain = new KafkaConsumer<>(configuration)) {
            plain.subscribe(List.of(kafka.topic()));
            Await.until(
                    "assigned",
                    () -> plain.poll(Duration.ofMillis(20)),
                    () -> !plain.assignment().isEmpty());
            assertThat(plain.position(kafka.partition(0))).isEqualTo(10);

            PartitionReport partition = partition(READ_UNCOMMITTED);
            assertThat(partition.commitLag()).isEmpty();
            assertThat(partition.committedOffset()).isEmpty();
            assertThat(partition.highWatermark()).hasValue(10);
            assertThat(partition.owner()).isPresent();
        }
        Member member = looking().with("auto.offset.reset", "latest").subscribe();
        PartitionReport own =
                until(member, "the end is known", known -> known.fetchLag().isPresent());
        assertThat(own.fetchLag()).hasValue(0);
    }

    @Test
    void deletedWhileBuffered_tellsWhatWasLost() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 4);
        Member member = looking().with("max.poll.records", 2).subscribe().completeAll();
        member.receive(2);
        kafka.produce(0, 96);
        deleteBefore(60);
        member.receive(44);

        assertThat(member.receivedOffsets(kafka.partition(0)))
                .startsWith(0L, 1L, 2L, 3L, 60L, 61L)
                .endsWith(99L)
                .hasSize(44);
        PartitionReport own =
                until(member, "caught up", known -> known.commitLag().equals(OptionalLong.of(0)));
        assertThat(own.status()).isEqualTo(new DataLoss(4, 60));
    }

    @Test
    void groupThatUsesAssign_andGroupWithoutMembers_areReported() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = looking().build();
        member.consumer().assign(List.of(kafka.partition(0)));
        member.receive(10);
        member.received().subList(0, 4).forEach(TrackedRecord::complete);
        member.until("committed", () -> Long.valueOf(4).equals(kafka.committed(0)));
        PartitionReport assigned = partition(READ_COMMITTED);

        assertThat(assigned.commitLag()).hasValue(6);
        assertThat(assigned.owner()).isEmpty();
        assertThat(assigned.status().kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(assigned.status().evidence()).contains("assign()");
        member.close();
        assertThat(outside(READ_COMMITTED).state()).contains(GroupState.EMPTY);
        assertThat(partition(READ_COMMITTED).commitLag()).hasValue(6);
    }

    @Test
    void deletedTopic_leavesItsEndsUnknownAndTheOthersKnown() throws Exception {
        String doomed = kafka.topic() + "-doomed";
        kafka.createTopic(1);
        kafka.createTopic(doomed, 1, Map.of());
        Member member = looking().build();
        member.consumer().subscribe(List.of(kafka.topic(), doomed));
        member.until(
                "both known",
                () -> member.consumer().report().partitions().stream()
                                .filter(partition -> partition.fetchLag().isPresent())
                                .count()
                        == 2);
        kafka.produce(0, 3);
        kafka.deleteTopic(doomed);

        kafka.produce(0, 3);
        member.until(
                "the other goes on",
                () -> member.consumer().report().partitions().stream()
                        .anyMatch(partition -> partition.topicPartition().equals(kafka.partition(0))
                                && partition.highWatermark().equals(OptionalLong.of(6))
                                && partition.commitLag().isEmpty()
                                        == partition.committedOffset().isEmpty()));
    }

    @Test
    void adminThatReachesNobody_leavesTheEndsUnknownAndTheLoopGoesOn() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "localhost:1"))) {
            Member member = kafka.member()
                    .set(builder -> builder.admin(admin).lookEvery(Duration.ofMillis(50)))
                    .subscribe()
                    .completeAll();
            member.receive(10);
            PartitionReport own =
                    until(member, "committed", known -> known.committedOffset().equals(OptionalLong.of(10)));

            assertThat(own.highWatermark()).isEmpty();
            assertThat(own.commitLag()).isEmpty();
            assertThat(kafka.committed(0)).isEqualTo(10);
            assertThat(member.consumer().report().isHealthy()).isTrue();
        }
    }

    @Test
    void closedAdmin_leavesTheEndsUnknown() throws Exception {
        kafka.createTopic(1);
        Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.broker().bootstrapServers()));
        Member member = kafka.member()
                .set(builder -> builder.admin(admin).lookEvery(Duration.ofMillis(50)))
                .subscribe();
        until(member, "the end is known", known -> known.highWatermark().isPresent());
        admin.close();

        until(member, "the end is not known", known -> known.highWatermark().isEmpty());
    }

    @Test
    void ownAdmin_isMadeFromTheConfigurationAndClosedWithTheConsumer() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member()
                .with("client.id", kafka.topic())
                .set(builder -> builder.ownAdmin().lookEvery(Duration.ofMillis(50)))
                .subscribe()
                .completeAll();
        until(member, "caught up", known -> known.commitLag().equals(OptionalLong.of(0)));
        assertThat(adminThreads()).hasSize(1);

        member.close();
        assertThat(adminThreads()).isEmpty();
    }

    private List<String> adminThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.contains("admin") && name.contains(kafka.topic()))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_COOPERATIVE", "CONSUMER"})
    void lookUps_leaveTheConsumersOwnLagAlone(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        KafkaConsumer<String, String> plain = new KafkaConsumer<>(kafka.configuration(protocol));
        try (var consumer = TrackedConsumer.wrap(plain, kafka.configuration(protocol))
                .admin(kafka.admin())
                .lookEvery(Duration.ofMillis(10))
                .build()) {
            consumer.subscribe(List.of(kafka.topic()));
            Await.until(
                    "all is read and looked up",
                    () -> consumer.poll(Duration.ofMillis(20)).forEach(TrackedRecord::complete),
                    () -> consumer.report().partitions().stream()
                            .anyMatch(partition -> partition.fetchLag().equals(OptionalLong.of(0))
                                    && partition.position().equals(OptionalLong.of(10))));

            assertThat(plain.currentLag(kafka.partition(0))).isEqualTo(OptionalLong.of(0));
        }
    }

    @Test
    void requestThroughAClosedAdmin_fails() throws Exception {
        assertThatThrownBy(() -> GroupReport.request(closedAdmin(), kafka.group(), READ_COMMITTED)
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    private Admin closedAdmin() {
        Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.broker().bootstrapServers()));
        admin.close();
        return admin;
    }

    @Test
    void manyPartitions_areInOrder() throws Exception {
        kafka.createTopic(12);
        Member member = looking().subscribe();
        member.until("assigned", () -> member.consumer().report().partitions().size() == 12);

        List<TopicPartition> expected =
                IntStream.range(0, 12).mapToObj(kafka::partition).toList();
        assertThat(member.consumer().report().partitions())
                .extracting(PartitionReport::topicPartition)
                .isEqualTo(expected);
    }
}
