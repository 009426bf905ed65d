package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import dev.offsets.kafka.Time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a consumer: waits for running work, commits, fences, closes the Kafka consumer. On the loop thread, once. */
final class Closing {
    private static final long POLL_NANOS = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_RESERVE_NANOS = Duration.ofSeconds(2).toNanos();
    private static final Logger log = LoggerFactory.getLogger(Closing.class);

    private final Consumer<?, ?> consumer;
    private final Ownership ownership;
    private final Commits commits;
    private final Backpressure backpressure;
    private final Draining draining;
    private final Rebalances rebalances;
    private final Failures recordFailures;
    private final Time time;
    private final List<Throwable> failures = new ArrayList<>();
    private boolean canPoll = true;

    Closing(
            Consumer<?, ?> consumer,
            Ownership ownership,
            Commits commits,
            Backpressure backpressure,
            Draining draining,
            Rebalances rebalances,
            Failures recordFailures,
            Time time) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.commits = commits;
        this.backpressure = backpressure;
        this.draining = draining;
        this.rebalances = rebalances;
        this.recordFailures = recordFailures;
        this.time = time;
    }

    CloseResult close(Deadline deadline) {
        Deadline drainBy = deadline.shortenedBy(Math.min(LONGEST_RESERVE_NANOS, deadline.remainingNanos() / 4));
        rebalances.closeBy(drainBy, deadline);
        boolean interrupted = Thread.interrupted();
        long drained = 0;
        if (!interrupted) {
            long abandonedBefore = rebalances.abandonedRecords();
            long atStart = draining.begin(ownership.all());
            if (atStart > 0) {
                interrupted = drain(drainBy);
                long abandoned = rebalances.abandonedRecords() - abandonedBefore;
                drained = atStart - abandoned - draining.running(ownership.all());
            }
        }
        note(
                commits.commitNow(ownership.all(), deadline),
                "The last commit failed; what it covered may be delivered again");
        // Kafka's close would give up at once, and leave the group to find out.
        interrupted |= Thread.interrupted();
        note(recordFailures.current(), "A record failed; it will be delivered again");
        Map<TopicPartition, TrackerStatus> partitions = ownership.status();
        ownership.fence(ownership.all());
        closeConsumer(deadline);
        note(rebalances.takeKept(), "A rebalance listener failed");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        CloseResult result = new CloseResult(partitions, drained, failures);
        log.info("Closed: {} records finished while waiting, {} abandoned", result.drained(), result.abandoned());
        return result;
    }

    /** Polls with everything paused until no work runs. Answers if interrupted. */
    private boolean drain(Deadline drainBy) {
        while (draining.running(ownership.all()) > 0) {
            long left = drainBy.remainingNanos();
            if (left <= 0) {
                return false;
            }
            if (Thread.interrupted()) {
                return true;
            }
            Duration wait = Duration.ofNanos(Math.min(POLL_NANOS, left));
            if (!canPoll) {
                time.park(wait.toNanos());
                continue;
            }
            try {
                backpressure.pauseForClose();
                consumer.poll(wait);
            } catch (WakeupException e) {
                log.debug("A wakeup while closing: closing goes on", e);
            } catch (InterruptException e) {
                Thread.interrupted();
                return true;
            } catch (RuntimeException e) {
                note(e, "Polling while closing failed; waiting for running work without it");
                canPoll = false;
            }
        }
        return false;
    }

    /** KIP-1092 replaces close(Duration), but consumers before Kafka 4.1 have no other. */
    @SuppressWarnings("deprecation")
    private void closeConsumer(Deadline deadline) {
        try {
            consumer.close(deadline.remaining());
        } catch (RuntimeException e) {
            note(e, "Closing the Kafka consumer failed");
        }
    }

    private void note(Throwable failure, String meaning) {
        if (failure != null) {
            log.warn(meaning, failure);
            failures.add(failure);
        }
    }
}
