package dev.offsets.kafka;

import dev.offsets.CommitPolicy;
import dev.offsets.CommitProgress;
import dev.offsets.kafka.OwnedPartition.Snapshot;
import dev.offsets.kafka.Time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends commits and keeps what is pending until it is confirmed. Belongs to the loop thread.
 */
/*
 * One request carries every partition with progress. At most one asynchronous request is in flight; when it fails, or its
 * callback doesn't come in time, the next one carries the then newest committable offsets: a request is never repeated as
 * it was, so an older offset is never sent after a newer one.
 */
final class Commits {
    /** Progress for which the policy names no time is committed when it is this old: see CommitPolicy. */
    static final long LONGEST_UNCOMMITTED_NANOS = Duration.ofSeconds(30).toNanos();

    private static final long FIRST_BACKOFF_NANOS = Duration.ofMillis(100).toNanos();
    private static final long LONGEST_BACKOFF_NANOS = Duration.ofSeconds(10).toNanos();
    private static final Logger log = LoggerFactory.getLogger(Commits.class);

    private record Request(long number, List<Snapshot> snapshots, long sentAtNanos) {}

    private final Consumer<?, ?> consumer;
    private final Ownership ownership;
    private final CommitPolicy policy;
    private final long giveUpAfterNanos;
    private final Time time;

    private long requestsSent;
    private long lastSentAtNanos;
    private Request inFlight;
    private int failuresInARow;
    private long retryNotBeforeNanos;
    private boolean wakeupSwallowed;

    Commits(Consumer<?, ?> consumer, Ownership ownership, CommitPolicy policy, long giveUpAfterNanos, Time time) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.policy = policy;
        this.giveUpAfterNanos = giveUpAfterNanos;
        this.time = time;
        this.lastSentAtNanos = time.nanoTime();
    }

    /**
     * Sends an asynchronous commit if one is due.
     *
     * @return the time until one may be due, in nanoseconds
     */
    long sendIfDue() {
        long now = time.nanoTime();
        if (inFlight != null) {
            long waited = now - inFlight.sentAtNanos;
            if (waited < giveUpAfterNanos) {
                return giveUpAfterNanos - waited;
            }
            log.warn("A commit was not answered for {}; its outcome is unknown", Duration.ofNanos(waited));
            settle(inFlight, null, false);
        }
        Optional<CommitProgress> progress = progress(now);
        if (progress.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long untilDue = Math.max(nanosUntilDue(progress.get()), failuresInARow == 0 ? 0 : retryNotBeforeNanos - now);
        if (untilDue > 0) {
            return untilDue;
        }
        send();
        if (inFlight != null) {
            return giveUpAfterNanos;
        }
        // Answered at once: look again in the next turn, or after the backoff.
        return failuresInARow == 0 ? 0 : Math.max(0, retryNotBeforeNanos - time.nanoTime());
    }

    boolean isInFlight() {
        return inFlight != null;
    }

    private long nanosUntilDue(CommitProgress progress) {
        Optional<Duration> untilDue = policy.timeUntilDue(progress);
        if (untilDue == null) {
            throw new IllegalStateException("the commit policy " + policy
                    + " returned null: it must return the time until a commit is due, or an empty Optional");
        }
        return untilDue.isPresent()
                ? Time.saturatedNanos(untilDue.get())
                : LONGEST_UNCOMMITTED_NANOS - Time.saturatedNanos(progress.timeSinceCommittable());
    }

    private Optional<CommitProgress> progress(long now) {
        boolean any = false;
        long oldest = 0;
        long covered = 0;
        long held = 0;
        for (OwnedPartition partition : ownership.all()) {
            held += partition.recordsHeld();
            if (partition.hasProgress()) {
                any = true;
                oldest = Math.max(oldest, now - partition.progressSinceNanos());
                covered += partition.recordsCoveredSinceCommit();
            }
        }
        if (!any) {
            return Optional.empty();
        }
        long completedAhead = held == 0 ? 0 : completedAhead();
        return Optional.of(new CommitProgress(
                covered,
                Duration.ofNanos(oldest),
                Duration.ofNanos(now - lastSentAtNanos),
                held - completedAhead,
                completedAhead));
    }

    private long completedAhead() {
        long completedAhead = 0;
        for (OwnedPartition partition : ownership.all()) {
            if (partition.recordsHeld() > 0) {
                completedAhead += partition.tracker().recordsCompletedAhead();
            }
        }
        return completedAhead;
    }

    private void send() {
        Request request = new Request(++requestsSent, snapshots(ownership.all()), time.nanoTime());
        inFlight = request;
        lastSentAtNanos = request.sentAtNanos;
        try {
            consumer.commitAsync(
                    offsets(request.snapshots), (offsets, exception) -> settle(request, exception, exception == null));
        } catch (RuntimeException e) {
            settle(request, e, false);
        }
    }

    /** Called by the Kafka consumer as a callback among others: never throws. */
    private void settle(Request request, Exception exception, boolean confirmed) {
        boolean current = request == inFlight;
        if (current) {
            inFlight = null;
        }
        if (confirmed) {
            request.snapshots.forEach(snapshot -> snapshot.partition().confirmed(snapshot, request.number));
        } else {
            request.snapshots.forEach(snapshot -> snapshot.partition().notConfirmed(request.number));
        }
        if (!current) {
            return;
        }
        if (confirmed) {
            succeeded();
        } else {
            failed(request, exception);
        }
    }

    private void succeeded() {
        if (failuresInARow > 0) {
            log.info("Commits succeed again after {} that failed", failuresInARow);
        }
        failuresInARow = 0;
    }

    private void failed(Request request, Exception exception) {
        if (failuresInARow == 0) {
            log.warn(
                    "Commit of {} failed; the newest offsets will be sent again",
                    offsets(request.snapshots),
                    exception);
        }
        long backoff = FIRST_BACKOFF_NANOS << Math.min(failuresInARow, 16);
        retryNotBeforeNanos = time.nanoTime() + Math.min(backoff, LONGEST_BACKOFF_NANOS);
        failuresInARow++;
    }

    /**
     * Commits what the given partitions have to commit, and waits for the answer. A wakeup or an interrupt that comes in
     * between is kept for later: the outcome of a commit that it cut short is unknown, so the commit is sent again.
     *
     * @return why it failed, or null if it was confirmed or there was nothing to commit
     */
    RuntimeException commitNow(Collection<OwnedPartition> partitions, Deadline deadline) {
        partitions.forEach(OwnedPartition::advance);
        List<Snapshot> snapshots = snapshots(partitions);
        if (snapshots.isEmpty()) {
            return null;
        }
        long number = ++requestsSent;
        lastSentAtNanos = time.nanoTime();
        RuntimeException failure = commitSync(offsets(snapshots), deadline);
        if (failure == null) {
            succeeded();
        }
        for (Snapshot snapshot : snapshots) {
            if (failure == null) {
                snapshot.partition().confirmed(snapshot, number);
            } else {
                snapshot.partition().notConfirmed(number);
            }
        }
        return failure;
    }

    private RuntimeException commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Deadline deadline) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    consumer.commitSync(offsets, deadline.remaining());
                    return null;
                } catch (WakeupException e) {
                    wakeupSwallowed = true;
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

    /** Whether a wakeup that was meant for poll reached a commit instead; asking resets it. */
    boolean takeSwallowedWakeup() {
        boolean swallowed = wakeupSwallowed;
        wakeupSwallowed = false;
        return swallowed;
    }

    private static List<Snapshot> snapshots(Collection<OwnedPartition> partitions) {
        List<Snapshot> snapshots = new ArrayList<>();
        for (OwnedPartition partition : partitions) {
            if (partition.hasProgress()) {
                snapshots.add(partition.snapshot());
            }
        }
        return snapshots;
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets(List<Snapshot> snapshots) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        snapshots.forEach(snapshot -> offsets.put(snapshot.topicPartition(), snapshot.offset()));
        return offsets;
    }
}
