package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.OffsetTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Who works on a record: known while its thread has started nothing else. */
class StartsTest {
    private final Starts starts = new Starts();
    private final OffsetTracker incarnation = OffsetTracker.startingAt(0);

    private Thread onAThread(Runnable action) throws InterruptedException {
        Thread thread = new Thread(action);
        thread.start();
        thread.join();
        return thread;
    }

    @Test
    void newestStartOfAThread_isKnown() {
        starts.started(incarnation, 7);
        assertThat(starts.startedBy(incarnation, 7)).contains(Thread.currentThread());

        starts.started(incarnation, 3);
        assertThat(starts.startedBy(incarnation, 7)).isEmpty();
        assertThat(starts.startedBy(incarnation, 3)).contains(Thread.currentThread());
    }

    @Test
    void sameOffsetOfAnotherIncarnation_isAnotherRecord() {
        OffsetTracker other = OffsetTracker.startingAt(0);
        starts.started(incarnation, 7);
        assertThat(starts.startedBy(other, 7)).isEmpty();

        starts.started(other, 7);
        assertThat(starts.startedBy(incarnation, 7)).isEmpty();
        assertThat(starts.startedBy(other, 7)).contains(Thread.currentThread());
    }

    @Test
    void nothingStarted_nobodyIsKnown() {
        assertThat(starts.startedBy(incarnation, 0)).isEmpty();
        assertThat(starts.startedBy(incarnation, -1)).isEmpty();
    }

    @Test
    void manyShortThreads_leaveTheOneThatHangsKnown() throws InterruptedException {
        starts.started(incarnation, 0);
        for (int offset = 1; offset < 2_000; offset++) {
            int started = offset;
            Thread thread = onAThread(() -> starts.started(incarnation, started));
            assertThat(starts.startedBy(incarnation, started)).contains(thread);
        }

        assertThat(starts.startedBy(incarnation, 0)).contains(Thread.currentThread());
    }

    @Test
    void manyThreadsAtOnce_areKnownByNoOtherRecordThanTheirs() throws InterruptedException {
        int threads = 64;
        CountDownLatch started = new CountDownLatch(threads);
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int own = i;
            all.add(new Thread(() -> {
                for (int turn = 0; turn < 1_000; turn++) {
                    starts.started(incarnation, own + threads * turn);
                }
                started.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        all.forEach(Thread::start);
        started.await();

        for (int i = 0; i < threads; i++) {
            assertThat(starts.startedBy(incarnation, i + threads * 999)).contains(all.get(i));
        }
        end.countDown();
        for (Thread thread : all) {
            thread.join();
        }
    }
}
