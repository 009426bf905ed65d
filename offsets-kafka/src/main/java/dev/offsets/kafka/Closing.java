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
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a consumer: waits for running work, commits, fences, closes the Kafka consumer. On the loop thread, once. */
final class Closing {
    private static final long POLL_NANOS = Duration.ofMillis(10).toNanos();
    private static final long REBALANCE_POLL_NANOS = Duration.ofMillis(50).toNanos();
    private static final long LONGEST_RESERVE_NANOS = Duration.ofSeconds(2).toNanos();
    private static final Logger log = LoggerFactory.getLogger(Closing.class);

    private final Consumer<?, ?> consumer;
    private final Ownership ownership;
    private final Commits commits;
    private final Backpressure backpressure;
    private final Draining draining;
    private final Rebalances rebalances;
    private final Events events;
    private final Failures recordFailures;
    private final Time time;
    private final List<Throwable> failures = new ArrayList<>();
    private boolean canPoll;
    private boolean interrupted;

    Closing(
            Consumer<?, ?> consumer,
            Ownership ownership,
            Commits commits,
            Backpressure backpressure,
            Draining draining,
            Rebalances rebalances,
            Events events,
            Failures recordFailures,
            Time time,
            boolean canPoll) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.commits = commits;
        this.backpressure = backpressure;
        this.draining = draining;
        this.rebalances = rebalances;
        this.events = events;
        this.recordFailures = recordFailures;
        this.time = time;
        this.canPoll = canPoll;
    }

    CloseResult close(Deadline deadline) {
        long reserveNanos = Math.min(LONGEST_RESERVE_NANOS, deadline.remainingNanos() / 4);
        Deadline drainBy = deadline.shortenedBy(reserveNanos);
        rebalances.closeBy(drainBy, deadline);
        interrupted = Thread.interrupted();
        long drained = 0;
        long abandonedBefore = rebalances.abandonedWork();
        long unfinishedBefore = rebalances.unfinishedRecords();
        long atStart = draining.begin(ownership.all());
        if (atStart > 0 && !interrupted) {
            drain(drainBy);
            long gone = rebalances.abandonedWork() - abandonedBefore;
            drained = atStart - gone - draining.running(ownership.all());
        }
        commit(deadline, reserveNanos / 2);
        note(recordFailures.current(), "A record failed; it will be delivered again");
        Map<TopicPartition, TrackerStatus> partitions = ownership.status();
        ownership.fence(ownership.all());
        closeConsumer(deadline);
        events.tell();
        note(events.takeKept(), "A listener failed");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        long abandoned = partitions.values().stream()
                .mapToLong(TrackerStatus::incomplete)
                .sum();
        abandoned += rebalances.unfinishedRecords() - unfinishedBefore;
        CloseResult result = new CloseResult(partitions, drained, abandoned, failures);
        log.info("Closed: {} records finished while waiting, {} abandoned", result.drained(), result.abandoned());
        return result;
    }

    /** Waits until no work runs, and leaves some of the time for the commit. */
    private void drain(Deadline drainBy) {
        while (draining.running(ownership.all()) > 0) {
            long left = drainBy.remainingNanos();
            if (left <= 0) {
                return;
            }
            interrupted |= Thread.interrupted();
            if (interrupted) {
                return;
            }
            long wait = Math.min(POLL_NANOS, left);
            if (canPoll) {
                poll(wait);
            } else {
                time.park(wait);
            }
        }
    }

    /** The last commit. While a rebalance has it refused, polling is what brings that to its end. */
    private void commit(Deadline deadline, long reserveNanos) {
        RuntimeException failure = commitNow(deadline);
        while (failure instanceof RebalanceInProgressException && canPoll && !interrupted) {
            long left = deadline.remainingNanos() - reserveNanos;
            if (left <= 0) {
                break;
            }
            poll(Math.min(REBALANCE_POLL_NANOS, left));
            failure = commitNow(deadline);
        }
        note(failure, "The last commit failed; what it covered may be delivered again");
    }

    private RuntimeException commitNow(Deadline deadline) {
        RuntimeException failure = commits.commitNow(ownership.all(), deadline);
        // Set, it would cut Kafka's close short, which would leave the group to find out.
        interrupted |= Thread.interrupted();
        return failure;
    }

    /** Takes part in the group, with everything paused. */
    private void poll(long waitNanos) {
        try {
            pauseEverything();
            consumer.poll(Duration.ofNanos(waitNanos));
        } catch (WakeupException e) {
            log.debug("A wakeup while closing: closing goes on", e);
        } catch (InterruptException e) {
            interrupted |= Thread.interrupted();
        } catch (RuntimeException e) {
            note(e, "Polling while closing failed; closing goes on without it");
            canPoll = false;
        }
    }

    private void pauseEverything() {
        try {
            backpressure.pauseForClose();
        } catch (IllegalStateException e) {
            // A partition has just gone. Should records come all the same, they are not registered, and come again.
            log.debug("Not everything could be paused while closing", e);
        }
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
