package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.Receipt;
import dev.offsets.kafka.CloseResult;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class RebalanceIT {
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 50;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void revocation_waitsForRunningWork_commitsIt_andTheNewOwnerStartsThere(Protocol protocol) throws Exception {
        produceEverywhere();
        kafka.createTopic(kafka.topic() + "-results", 1, Map.of());
        Member a = kafka.member(protocol)
                .policy(CommitPolicy.batched(10_000))
                .set(builder -> builder.drainTimeout(Duration.ofSeconds(20)))
                .subscribe();
        a.receive(PARTITIONS * RECORDS);
        ExecutorService pool = kafka.pool(1);
        // Running work, which ends only after the revocation has begun
        a.ledger()
                .beforeRevocation(revoked -> pool.execute(() -> a.received().stream()
                        .filter(record -> revoked.contains(partitionOf(record)))
                        .forEach(this::writeResultAndComplete)));

        Member b = kafka.member(protocol).subscribe().completeAll();
        untilShared(a, b);

        Set<TopicPartition> moved = b.consumer().assignment();
        for (TopicPartition partition : moved) {
            assertThat(kafka.committed()).containsEntry(partition, (long) RECORDS);
        }
        for (int partition = 0; partition < PARTITIONS; partition++) {
            kafka.produce(partition, 5);
        }
        Await.until(
                "B has received what is new",
                () -> {
                    a.turn();
                    b.turn();
                },
                () -> b.received().size() >= 5 * moved.size());
        for (TopicPartition partition : moved) {
            assertThat(b.receivedOffsets(partition)).containsExactly(50L, 51L, 52L, 53L, 54L);
        }
        a.ledger().beforeRevocation(revoked -> {});
    }

    private void writeResultAndComplete(TrackedRecord<String, String> record) {
        try {
            if (record.offset() % 10 == 0) {
                kafka.produce(kafka.topic() + "-results", 0, 1);
            }
            record.complete();
        } catch (Exception e) {
            record.fail(e);
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void unfinishedWork_atARevocation_isIgnoredAfterwards_andDoneByTheNewOwner(Protocol protocol) throws Exception {
        produceEverywhere();
        Map<TopicPartition, Map<Long, Integer>> accepted = new HashMap<>();
        Member a = kafka.member(protocol)
                .set(builder -> builder.drainTimeout(Duration.ofMillis(300)))
                .subscribe();
        a.receive(PARTITIONS * RECORDS);
        a.received().stream().filter(record -> record.offset() < 20).forEach(record -> complete(record, accepted));
        List<TrackedRecord<String, String>> late =
                a.received().stream().filter(record -> record.offset() >= 20).toList();

        Member b = kafka.member(protocol).subscribe().handle(record -> complete(record, accepted));
        untilShared(a, b);
        Set<TopicPartition> moved = b.consumer().assignment();
        int commitsBefore = commitsOf(a, moved);

        for (TrackedRecord<String, String> record : late) {
            Receipt expected = moved.contains(partitionOf(record)) || protocol == Protocol.CLASSIC_EAGER
                    ? Receipt.IGNORED
                    : Receipt.ACCEPTED;
            assertThat(complete(record, accepted)).as("%s", record).isEqualTo(expected);
        }
        // An eager rebalance has taken all from A, and given it some back
        a.received().forEach(record -> complete(record, accepted));
        a.handle(record -> complete(record, accepted));
        Map<TopicPartition, Long> ends = kafka.ends(PARTITIONS);
        Await.until(
                "all is committed by its owner",
                () -> {
                    a.turn();
                    b.turn();
                },
                () -> kafka.committed().equals(ends));
        for (TopicPartition partition : moved) {
            assertThat(b.receivedOffsets(partition).get(0)).isEqualTo(20);
        }
        assertThat(commitsOf(a, moved)).isEqualTo(commitsBefore);

        for (int partition = 0; partition < PARTITIONS; partition++) {
            kafka.produce(partition, 5);
        }
        CloseResult closed = a.consumer().close(Duration.ofSeconds(5));
        assertThat(closed.failures()).isEmpty();
        Map<TopicPartition, Long> newEnds = kafka.ends(PARTITIONS);
        b.until("B has taken all and finished it", () -> kafka.committed().equals(newEnds));
        assertThat(b.consumer().assignment()).hasSize(PARTITIONS);
        for (TopicPartition partition : newEnds.keySet()) {
            assertThat(accepted.get(partition).keySet())
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, RECORDS + 5).boxed().toList());
            assertThat(accepted.get(partition).values()).as("nothing twice").containsOnly(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void close_whileTheGroupRebalances_commitsWhatFinished(Protocol protocol) throws Exception {
        produceEverywhere();
        Member c = kafka.member(protocol)
                .set(builder -> builder.drainTimeout(Duration.ofMillis(100)))
                .subscribe();
        Member a = kafka.member(protocol)
                .policy(CommitPolicy.batched(10_000))
                .set(builder -> builder.drainTimeout(Duration.ofMillis(100)))
                .subscribe();
        untilShared(a, c);
        Set<TopicPartition> ofA = a.consumer().assignment();
        a.until("A has received all that is its own", () -> readToTheEnd(a));
        a.received().forEach(TrackedRecord::complete);

        // B joins and A takes part; C does not, so the rebalance can't end
        Member b = kafka.member(protocol).subscribe();
        for (int turns = 0; turns < 40; turns++) {
            b.turn();
            a.turn();
        }
        ExecutorService pool = kafka.pool(1);
        CompletableFuture<CloseResult> closing =
                CompletableFuture.supplyAsync(() -> a.consumer().close(Duration.ofSeconds(10)), pool);
        Await.until(
                "A has closed",
                () -> {
                    c.turn();
                    b.turn();
                },
                closing::isDone);

        CloseResult result = closing.get(0, TimeUnit.SECONDS);
        assertThat(result.failures()).isEmpty();
        assertThat(result.abandoned()).isZero();
        for (TopicPartition partition : ofA) {
            assertThat(kafka.committed()).containsEntry(partition, (long) RECORDS);
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void seekOnAssignment_byTheUsersListener_wins(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 30);
        Member first = kafka.member(protocol).subscribe().completeAll();
        first.until("committed is the end", () -> Long.valueOf(30).equals(kafka.committed(0)));
        first.close();

        Member[] second = new Member[1];
        second[0] = kafka.member(protocol)
                .listener(new OnAssignment(partitions ->
                        partitions.forEach(partition -> second[0].consumer().seek(partition, 5))))
                .subscribe();
        second[0].receive(25);
        second[0].received().stream().filter(record -> record.offset() < 10).forEach(TrackedRecord::complete);

        second[0].until(
                "committed is what the replay has reached",
                () -> Long.valueOf(10).equals(kafka.committed(0)));
        assertThat(second[0].receivedOffsets(kafka.partition(0)))
                .containsExactlyElementsOf(LongStream.range(5, 30).boxed().toList());
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void patternSubscription_takesUpANewTopic(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        String later = kafka.topic() + "-later";
        Member member =
                kafka.member(protocol).with("metadata.max.age.ms", 200).build().completeAll();
        member.consumer().subscribe(Pattern.compile(Pattern.quote(kafka.topic()) + ".*"));
        member.receive(10);

        kafka.createTopic(later, 2, Map.of());
        kafka.produce(later, 0, 10);
        kafka.produce(later, 1, 10);

        member.receive(30);
        member.until(
                "all is committed",
                () -> kafka.committed()
                        .equals(Map.of(
                                kafka.partition(0),
                                10L,
                                new TopicPartition(later, 0),
                                10L,
                                new TopicPartition(later, 1),
                                10L)));
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void groups_inOneProcess_doNotMix(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 20);
        Member one = kafka.member(protocol).subscribe().completeAll();
        Member other = kafka.member(protocol)
                .with("group.id", kafka.group() + "-other")
                .subscribe();
        other.receive(20);
        one.until("committed is the end", () -> Long.valueOf(20).equals(kafka.committed(0)));
        other.turns(3);
        assertThat(kafka.committed(kafka.group() + "-other")).isEmpty();

        other.received().subList(0, 3).forEach(TrackedRecord::complete);
        other.until(
                "the other has committed",
                () -> kafka.committed(kafka.group() + "-other").equals(Map.of(kafka.partition(0), 3L)));

        assertThat(kafka.committed(0)).isEqualTo(20);
        assertThat(one.consumer().status().get(kafka.partition(0)).incomplete()).isZero();
    }

    /** The cooperative protocol refuses commits of what is still owned; KIP-848 takes them. */
    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_COOPERATIVE", "CONSUMER"})
    void commit_inTheMiddleOfARebalance_isMadeUpFor(Protocol protocol) throws Exception {
        produceEverywhere();
        Heard heard = new Heard();
        Member idle = kafka.member(protocol).subscribe();
        Member member = kafka.member(protocol)
                .heardBy(heard)
                .set(builder -> builder.drainTimeout(Duration.ofMillis(100)))
                .subscribe();
        untilShared(member, idle);
        member.until("all is read", () -> readToTheEnd(member));
        Member newcomer = kafka.member(protocol).subscribe();
        ExecutorService pool = kafka.pool(1);
        AtomicBoolean joined = new AtomicBoolean();

        // The idle one takes no part, so that the rebalance can't end
        CompletableFuture<Void> joining = CompletableFuture.runAsync(
                () -> {
                    while (!joined.get()) {
                        newcomer.turn();
                    }
                },
                pool);
        try {
            member.until("the newcomer is known", () -> kafka.members() == 3);
            AtomicLong below = new AtomicLong();
            member.until("a commit has been answered", () -> {
                member.completeBelow(Math.min(below.incrementAndGet(), RECORDS / 2));
                return protocol == Protocol.CONSUMER
                        ? kafka.committed().values().stream().anyMatch(offset -> offset > 0)
                        : !heard.commitFailures.isEmpty();
            });
            if (protocol != Protocol.CONSUMER) {
                assertThat(heard.commitFailures).hasOnlyElementsOfType(RebalanceInProgressException.class);
            }
        } finally {
            joined.set(true);
            joining.get(20, TimeUnit.SECONDS);
        }
        List.of(member, idle, newcomer).forEach(Member::completeAll);
        member.received().forEach(TrackedRecord::complete);
        idle.received().forEach(TrackedRecord::complete);
        newcomer.received().forEach(TrackedRecord::complete);

        Map<TopicPartition, Long> ends = kafka.ends(PARTITIONS);
        Member.until("all is committed", () -> kafka.committed().equals(ends), member, idle, newcomer);
    }

    /** Each member that comes or goes moves the epochs of all on; whichever commits are refused for it, none is lost. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void commits_whileMembersComeAndGo_allArrive(Protocol protocol) throws Exception {
        kafka.createTopic(PARTITIONS);
        Member steady = kafka.member(protocol).subscribe().completeAll();
        for (int round = 1; round <= 3; round++) {
            Member passing = kafka.member(protocol).subscribe().completeAll();
            Await.until(
                    "the passing member has its share",
                    () -> {
                        produceOneEverywhere();
                        steady.turn();
                        passing.turn();
                    },
                    () -> passing.consumer().assignment().size() == PARTITIONS / 2
                            && !passing.received().isEmpty());
            // Its last commit may be refused: a rebalance that goes on needs the other member, which does not poll now
            passing.consumer().close(Duration.ofSeconds(1));
        }

        Map<TopicPartition, Long> ends = kafka.ends(PARTITIONS);
        steady.until("all is committed", () -> kafka.committed().equals(ends));
    }

    private void produceOneEverywhere() {
        try {
            kafka.produceEverywhere(PARTITIONS, 1);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static boolean readToTheEnd(Member member) {
        return member.consumer().status().keySet().equals(member.assignment())
                && member.consumer().status().values().stream().allMatch(status -> status.position() == RECORDS);
    }

    private void produceEverywhere() throws Exception {
        kafka.createTopic(PARTITIONS);
        kafka.produceEverywhere(PARTITIONS, RECORDS);
    }

    private static void untilShared(Member one, Member other) throws Exception {
        Await.until(
                "the partitions are shared out",
                () -> {
                    one.turn();
                    other.turn();
                },
                () -> one.consumer().assignment().size() == PARTITIONS / 2
                        && other.consumer().assignment().size() == PARTITIONS / 2);
    }

    /** Completes a record and counts it if that was the one time. */
    private static Receipt complete(
            TrackedRecord<String, String> record, Map<TopicPartition, Map<Long, Integer>> accepted) {
        Receipt receipt = record.complete();
        if (receipt == Receipt.ACCEPTED) {
            accepted.computeIfAbsent(partitionOf(record), partition -> new HashMap<>())
                    .merge(record.offset(), 1, Integer::sum);
        }
        return receipt;
    }

    private static int commitsOf(Member member, Set<TopicPartition> partitions) {
        return member.ledger().commits(partitions);
    }

    private static TopicPartition partitionOf(TrackedRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    private record OnAssignment(java.util.function.Consumer<Collection<TopicPartition>> action)
            implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            action.accept(partitions);
        }
    }
}
