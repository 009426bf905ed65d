package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.Receipt;
import dev.offsets.kafka.CloseResult;
import dev.offsets.kafka.RecordFailedException;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ways in which a loop ends: what finished is committed, and no exception is lost. */
@Timeout(180)
class EndOfLoopIT {
    /** Commits nothing within a test, but for the end. */
    private static final CommitPolicy AT_THE_END = CommitPolicy.batched(1_000);

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void wakeup_endsALongPoll_andCloseCommits(Protocol protocol) throws Exception {
        Member member = tenReceived(protocol);
        member.received().forEach(TrackedRecord::complete);
        CountDownLatch polling = new CountDownLatch(1);
        CompletableFuture<CloseResult> loop = CompletableFuture.supplyAsync(
                () -> {
                    polling.countDown();
                    assertThatThrownBy(() -> member.consumer().poll(Duration.ofSeconds(60)))
                            .isInstanceOf(WakeupException.class);
                    return member.consumer().close(Duration.ofSeconds(10));
                },
                kafka.pool(1));

        polling.await();
        member.consumer().wakeup();

        CloseResult result = loop.get(20, TimeUnit.SECONDS);
        assertThat(result.failures()).isEmpty();
        assertThat(kafka.committed(0)).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void wakeup_whileClosing_cutsNeitherTheWaitNorTheCommitShort(Protocol protocol) throws Exception {
        Member member = tenReceived(protocol);
        ExecutorService pool = kafka.pool(1);
        pool.execute(() -> member.received().forEach(record -> {
            member.consumer().wakeup();
            record.complete();
        }));

        CloseResult result = member.consumer().close(Duration.ofSeconds(10));

        assertThat(result.failures()).isEmpty();
        assertThat(result.abandoned()).isZero();
        assertThat(kafka.committed(0)).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void interrupt_endsALongPoll_andCloseCommitsAndKeepsIt(Protocol protocol) throws Exception {
        Member member = tenReceived(protocol);
        member.received().subList(0, 6).forEach(TrackedRecord::complete);
        CountDownLatch polling = new CountDownLatch(1);
        CompletableFuture<CloseResult> closed = new CompletableFuture<>();
        Thread loop = new Thread(() -> {
            try {
                polling.countDown();
                assertThatThrownBy(() -> member.consumer().poll(Duration.ofSeconds(60)))
                        .isInstanceOf(InterruptException.class);
                CloseResult result = member.consumer().close(Duration.ofSeconds(10));
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                closed.complete(result);
            } catch (Throwable e) {
                closed.completeExceptionally(e);
            }
        });
        loop.start();

        polling.await();
        loop.interrupt();

        CloseResult result = closed.get(20, TimeUnit.SECONDS);
        assertThat(result.failures()).isEmpty();
        assertThat(result.abandoned()).isEqualTo(4);
        assertThat(kafka.committed(0)).isEqualTo(6);
        loop.join();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void close_waitsForRunningWork_andIgnoresWhatComesLater(Protocol protocol) throws Exception {
        Member member = tenReceived(protocol);
        ExecutorService pool = kafka.pool(1);
        pool.execute(() -> member.received().subList(0, 9).forEach(TrackedRecord::complete));

        CloseResult result = member.consumer().close(Duration.ofMillis(800));

        assertThat(result.failures()).isEmpty();
        assertThat(result.abandoned()).isEqualTo(1);
        assertThat(kafka.committed(0)).isEqualTo(9);
        assertThat(member.received().get(9).complete()).isEqualTo(Receipt.IGNORED);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void close_withPartitionsAssignedByHand_commits(Protocol protocol) throws Exception {
        kafka.createTopic(2);
        kafka.produce(0, 10);
        kafka.produce(1, 10);
        Member member = kafka.member(protocol).policy(AT_THE_END).build();
        member.consumer().assign(List.of(kafka.partition(0), kafka.partition(1)));
        member.receive(20);
        member.received(kafka.partition(0)).forEach(TrackedRecord::complete);
        member.received(kafka.partition(1)).subList(0, 4).forEach(TrackedRecord::complete);
        assertThat(kafka.committed()).isEmpty();

        CloseResult result = member.consumer().close(Duration.ofMillis(500));

        assertThat(result.failures()).isEmpty();
        assertThat(kafka.committed(0)).isEqualTo(10);
        assertThat(kafka.committed(1)).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void failedRecord_stopsTheLoop_afterACommitOfWhatFinished(Protocol protocol) throws Exception {
        Member member = tenReceived(protocol);
        member.received().subList(0, 5).forEach(TrackedRecord::complete);
        member.received().get(7).complete();
        member.received().get(5).fail(new IllegalStateException("no"));

        assertThatThrownBy(member::turn)
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining(kafka.partition(0) + "@5")
                .hasRootCauseMessage("no");

        assertThat(kafka.committed(0)).isEqualTo(5);
    }

    /** Kafka's own close may drop the answer to an asynchronous commit. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void close_withACommitInFlight_knowsWhatIsStored(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Heard heard = new Heard();
        Member member = kafka.member(protocol).heardBy(heard).subscribe();
        member.receive(10);
        member.completeBelow(10);
        member.consumer().poll(Duration.ZERO);
        assertThat(member.ledger().commits(Set.of(kafka.partition(0)))).isEqualTo(1);

        CloseResult result = member.consumer().close(Duration.ofSeconds(10));

        assertThat(result.failures()).isEmpty();
        assertThat(result.partitions().get(kafka.partition(0)).committedOffset())
                .hasValue(10);
        assertThat(heard.commits).last().isEqualTo(kafka.commits());
        assertThat(kafka.committed(0)).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void close_leavesTheGroup_soThatOthersNeedNotWait(Protocol protocol) throws Exception {
        Member member = tenReceived(protocol);
        member.completeBelow(10);
        assertThat(kafka.members()).isEqualTo(1);

        member.close();

        assertThat(kafka.members()).isZero();
    }

    private Member tenReceived(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member(protocol).policy(AT_THE_END).subscribe();
        member.receive(10);
        return member;
    }
}
