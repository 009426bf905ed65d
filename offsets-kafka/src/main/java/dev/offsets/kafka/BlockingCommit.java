package dev.offsets.kafka;

import dev.offsets.kafka.Time.Deadline;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Commits and waits for the answer. A wakeup or an interrupt that comes in between is kept for later: the outcome of a commit
 * that it cut short is unknown, so the commit is sent again. For the loop thread.
 */
final class BlockingCommit {
    private final Consumer<?, ?> consumer;
    private final Wakeups wakeups;

    BlockingCommit(Consumer<?, ?> consumer, Wakeups wakeups) {
        this.consumer = consumer;
        this.wakeups = wakeups;
    }

    /** Answers why the commit failed; null if it was confirmed. */
    RuntimeException commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Deadline deadline) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    consumer.commitSync(offsets, deadline.remaining());
                    return null;
                } catch (WakeupException e) {
                    wakeups.missed();
                    if (deadline.isPast()) {
                        return cutShort(e);
                    }
                } catch (InterruptException e) {
                    interrupted = true;
                    Thread.interrupted();
                    if (deadline.isPast()) {
                        return cutShort(e);
                    }
                } catch (RuntimeException e) {
                    return e;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static TimeoutException cutShort(RuntimeException by) {
        return new TimeoutException(
                "a wakeup or an interrupt came before the answer to the commit, and no time was left to send it again:"
                        + " its outcome is unknown",
                by);
    }
}
