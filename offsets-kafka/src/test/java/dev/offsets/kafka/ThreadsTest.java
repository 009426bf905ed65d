package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.Receipt;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** One thread at a time uses the consumer; any thread reports, wakes up and looks at the status. */
class ThreadsTest {
    private final Rig rig = Rig.committingAtOnce().subscribed(P0);

    private static <T> T onAnotherThread(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "other");
        thread.start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } finally {
            thread.join();
        }
    }

    @Test
    void secondThreadDuringAPoll_isRefused() {
        rig.kafka.insideNextPoll(() -> {
            for (Callable<?> call : List.<Callable<?>>of(
                    () -> rig.consumer.poll(Duration.ZERO),
                    () -> rig.consumer.close(Duration.ZERO),
                    () -> rig.consumer.assignment(),
                    () -> rig.consumer.paused(),
                    () -> rig.consumer.groupMetadata())) {
                assertThatThrownBy(() -> onAnotherThread(call))
                        .isInstanceOf(ConcurrentModificationException.class)
                        .hasMessage(
                                "a TrackedConsumer is for one thread: "
                                        + Thread.currentThread().getName()
                                        + " is using it, and other called it. Workers report"
                                        + " through records; only wakeup(), requestCommit(), status() and report() are for any thread");
            }
        });
        rig.tick();

        assertThat(rig.kafka.isClosed()).isFalse();
    }

    @Test
    void secondThreadAfterThePoll_isServed() throws Exception {
        rig.tick();

        assertThat(onAnotherThread(() -> rig.consumer.assignment())).containsExactly(P0);
    }

    @Test
    void reportsStatusAndWakeup_areForAnyThread_alsoDuringAPoll() {
        rig.kafka.records(P0, 0, 1);
        rig.poll();
        rig.kafka.insideNextPoll(() -> {
            try {
                assertThat(onAnotherThread(() -> rig.record(P0, 0).complete())).isEqualTo(Receipt.ACCEPTED);
                assertThat(onAnotherThread(() -> rig.consumer.status())).containsOnlyKeys(P0);
                onAnotherThread(() -> {
                    rig.consumer.wakeup();
                    return null;
                });
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });

        assertThatThrownBy(() -> rig.poll()).isInstanceOf(org.apache.kafka.common.errors.WakeupException.class);
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(1L);
    }

    @Test
    void closed_leavesNoThreadBehind() {
        var before = Thread.getAllStackTraces().keySet();
        Rig other = Rig.committingAtOnce().subscribed(P0);
        other.kafka.records(P0, 0, 9);
        other.poll();
        other.completeAll(P0, 0, 9);
        other.tick();
        other.consumer.close();

        assertThat(before).containsAll(Thread.getAllStackTraces().keySet());
    }
}
