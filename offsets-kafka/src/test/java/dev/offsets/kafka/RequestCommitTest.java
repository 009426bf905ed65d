package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.SimulatedConsumer.Kind.ASYNC;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.junit.jupiter.api.Test;

/** A commit that is asked for, from any thread, whatever the policy says. */
class RequestCommitTest {
    private final Rig rig = Rig.committingOnlyAtTheEnd().subscribed(P0, P1);

    private void deliver() {
        rig.kafka.records(P0, 0, 9);
        rig.kafka.records(P1, 0, 9);
        rig.poll();
    }

    @Test
    void requested_whatFinishedIsCommittedInTheNextTurn() {
        deliver();
        rig.complete(P0, 0, 1, 3);
        rig.complete(P1, 0);
        rig.tick();
        assertThat(rig.kafka.commits).isEmpty();

        rig.consumer.requestCommit();
        assertThat(rig.kafka.commits).isEmpty();
        rig.tick();
        assertThat(rig.requests(ASYNC)).containsExactly(Map.of(P0, 2L, P1, 1L));
    }

    @Test
    void requestedOnce_laterProgressWaitsForThePolicy() {
        deliver();
        rig.complete(P0, 0);
        rig.consumer.requestCommit();
        rig.tick();
        rig.complete(P0, 1);
        rig.tick(Duration.ofHours(1));

        assertThat(rig.sent(P0)).containsExactly(1L);
    }

    @Test
    void requestedManyTimes_isOneCommit() {
        deliver();
        rig.complete(P0, 0);
        for (int i = 0; i < 100; i++) {
            rig.consumer.requestCommit();
        }
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(1L);
    }

    @Test
    void nothingToCommit_nothingIsSentAndTheRequestIsOver() {
        deliver();
        rig.consumer.requestCommit();
        rig.tick();
        rig.complete(P0, 0);
        rig.tick(Duration.ofHours(1));

        assertThat(rig.kafka.commits).isEmpty();
    }

    @Test
    void nothingAssigned_nothingIsSent() {
        Rig idle = Rig.committingOnlyAtTheEnd().subscribed();
        idle.consumer.requestCommit();
        idle.tick();
        idle.consumer.requestCommit();
        idle.consumer.close(Duration.ofSeconds(1));
        idle.consumer.requestCommit();

        assertThat(idle.kafka.commits).isEmpty();
    }

    @Test
    void requestedWhileAPollWaits_isCommittedWithinTheLook() {
        deliver();
        rig.time.after(Duration.ofMillis(500), () -> {
            rig.complete(P0, 0);
            rig.consumer.requestCommit();
        });
        rig.tick(Duration.ofMillis(520));

        assertThat(rig.sent(P0)).containsExactly(1L);
    }

    @Test
    void commitInFlight_isSentWhenThatIsAnswered() {
        deliver();
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.consumer.requestCommit();
        rig.tick();
        rig.complete(P0, 1);
        rig.consumer.requestCommit();
        rig.tick(Duration.ofSeconds(10));
        assertThat(rig.sent(P0)).containsExactly(1L);

        rig.kafka.releaseAnswers();
        rig.tick(Duration.ofMillis(50));
        assertThat(rig.sent(P0)).containsExactly(1L, 2L);
    }

    @Test
    void afterAFailedCommit_isSentAfterTheBackoff() {
        deliver();
        rig.kafka.failNextAsync(new RebalanceInProgressException());
        rig.complete(P0, 0);
        rig.consumer.requestCommit();
        rig.tick();
        rig.complete(P0, 1);
        rig.consumer.requestCommit();
        rig.tick(Duration.ofMillis(50));
        assertThat(rig.sent(P0)).containsExactly(1L);

        rig.tick(Duration.ofMillis(100));
        assertThat(rig.sent(P0)).containsExactly(1L, 2L);
    }

    @Test
    void itsCommitFails_isSentAgainWithoutASecondRequest() {
        for (Exception failure :
                List.of(new RebalanceInProgressException(), new RetriableCommitFailedException("once"))) {
            Rig failing = Rig.committingOnlyAtTheEnd().subscribed(P0);
            failing.kafka.records(P0, 0, 9);
            failing.poll();
            failing.kafka.failNextAsync(failure);
            failing.complete(P0, 0);
            failing.consumer.requestCommit();
            failing.tick();
            failing.complete(P0, 1);
            failing.tick(Duration.ofMillis(150));

            assertThat(failing.sent(P0)).as("%s", failure).containsExactly(1L, 2L);
            assertThat(failing.stored(P0)).isEqualTo(2);
        }
    }

    @Test
    void itsCommitIsNeverAnswered_isSentAgainAfterTheApiTimeout() {
        deliver();
        rig.kafka.holdAnswers();
        rig.complete(P0, 0);
        rig.consumer.requestCommit();
        rig.tick();
        rig.kafka.dropAnswers();
        rig.tick(Duration.ofSeconds(62));

        assertThat(rig.sent(P0)).containsExactly(1L, 1L);
        assertThat(rig.status(P0).committedOffset()).hasValue(1);
    }

    @Test
    void revokedBeforeTheNextTurn_itIsCommittedOnceByRevocation() {
        deliver();
        rig.completeAll(P0, 0, 9);
        rig.completeAll(P1, 0, 9);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceEagerly());
        rig.tick();
        rig.consumer.requestCommit();
        rig.tick(Duration.ofSeconds(1));

        assertThat(rig.sent(P0)).containsExactly(10L);
        assertThat(rig.sent(P1)).containsExactly(10L);
    }

    @Test
    void eightThreadsRequestAfterEachCompletion_everythingIsCommittedWithoutThePolicy() throws Exception {
        int threads = 8;
        int each = 1_000;
        rig.kafka.maxPollRecords = threads * each;
        rig.kafka.records(P0, 0, threads * each - 1);
        var records = rig.poll();
        ExecutorService workers = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread;
                running.add(workers.submit(() -> {
                    start.await();
                    for (int i = 0; i < each; i++) {
                        records.get(i * threads + first).complete();
                        rig.consumer.requestCommit();
                    }
                    return null;
                }));
            }
            start.countDown();
            while (running.stream().anyMatch(future -> !future.isDone())) {
                rig.tick();
            }
            for (Future<?> future : running) {
                future.get(10, TimeUnit.SECONDS);
            }
        } finally {
            workers.shutdownNow();
        }
        rig.tick();
        rig.tick();

        assertThat(rig.stored(P0)).isEqualTo(threads * each);
        assertThat(rig.sent(P0)).isSorted().doesNotHaveDuplicates();
        assertThat(rig.time.elapsed()).isZero();
    }
}
