package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.kafka.PartitionStatus.InvalidCommit;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the Admin, if there is one, for the ends of the logs of a running consumer's partitions, and keeps the newest answer.
 * Any thread; nothing blocks.
 */
final class LookUps {
    private static final Logger log = LoggerFactory.getLogger(LookUps.class);
    private static final int INTERVALS_TO_LIVE = 3;

    /** Where a partition was before its end was asked for: it can't have been above the end. */
    private record Before(OffsetTracker incarnation, long position, OptionalLong committed) {}

    private record Answer(
            Map<TopicPartition, Before> before, Map<TopicPartition, LogLookUp.Found> logs, long atNanos) {}

    private final Admin admin;
    private final boolean closesAdmin;
    private final IsolationLevel isolationLevel;
    private final long intervalNanos;
    private final Time time;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile long askedAtNanos;
    private volatile Answer newest;
    /** Of the last answer; used by the one that is being asked for. */
    private boolean failed;

    /** @param admin null for none */
    LookUps(Admin admin, boolean closesAdmin, IsolationLevel isolationLevel, Duration interval, Time time) {
        this.admin = admin;
        this.closesAdmin = closesAdmin;
        this.isolationLevel = isolationLevel;
        this.intervalNanos = Time.saturatedNanos(interval);
        this.time = time;
        this.askedAtNanos = time.nanoTime() - intervalNanos;
    }

    boolean hasAdmin() {
        return admin != null;
    }

    /** Asks, unless that was done within the interval, or no answer has come yet. */
    void askIfDue(List<OwnedPartition> partitions) {
        if (time.nanoTime() - askedAtNanos >= intervalNanos) {
            ask(partitions);
        }
    }

    /** Asks, unless no answer has come yet. */
    void ask(List<OwnedPartition> partitions) {
        if (admin == null || partitions.isEmpty() || !asking.compareAndSet(false, true)) {
            return;
        }
        askedAtNanos = time.nanoTime();
        Map<TopicPartition, Before> before = new HashMap<>();
        Map<TopicPartition, OwnedPartition> asked = new HashMap<>();
        for (OwnedPartition partition : partitions) {
            asked.put(partition.topicPartition, partition);
            OffsetTracker tracker = partition.tracker();
            if (tracker != null) {
                before.put(
                        partition.topicPartition, new Before(tracker, tracker.position(), partition.watch.committed()));
            }
        }
        LogLookUp.of(admin, asked.keySet()).whenComplete((logs, failure) -> {
            if (logs != null) {
                newest = new Answer(before, logs, time.nanoTime());
                tellOfFailure(logs);
            }
            asking.set(false);
        });
    }

    private void tellOfFailure(Map<TopicPartition, LogLookUp.Found> logs) {
        Throwable failure = logs.values().stream()
                .map(LogLookUp.Found::failure)
                .filter(each -> each != null)
                .findFirst()
                .orElse(null);
        if (failure != null && !failed) {
            log.warn("The ends of some logs could not be looked up; reports don't know them", failure);
        } else if (failure == null && failed) {
            log.info("The ends of all logs are known again");
        }
        failed = failure != null;
    }

    /** The ends of a partition's log, and what was beyond them, the position or the committed offset. */
    record Seen(LogBounds bounds, Optional<InvalidCommit> beyondEnd) {
        static final Seen NOTHING = new Seen(LogBounds.UNKNOWN, Optional.empty());
    }

    /** What is known of the ends of a partition's log, of which the position is not known. */
    LogBounds bounds(TopicPartition topicPartition) {
        LogLookUp.Found found = found(newest, topicPartition);
        return found == null ? LogBounds.UNKNOWN : found.bounds();
    }

    /** What is known of the ends of a log; nothing where no answer has come, or none for long. */
    Seen seen(OwnedPartition partition, OffsetTracker incarnation, long position) {
        Answer answer = newest;
        LogLookUp.Found found = found(answer, partition.topicPartition);
        if (found == null) {
            return Seen.NOTHING;
        }
        OptionalLong end = found.bounds().highWatermark();
        Before before = answer.before.get(partition.topicPartition);
        if (before != null) {
            OptionalLong wasPosition =
                    before.incarnation == incarnation ? OptionalLong.of(before.position) : OptionalLong.empty();
            OptionalLong wasCommitted =
                    before.committed.equals(partition.watch.committed()) ? before.committed : OptionalLong.empty();
            for (OptionalLong offset : List.of(wasPosition, wasCommitted)) {
                if (Lag.isBeyond(offset, end)) {
                    return new Seen(
                            found.bounds(), Optional.of(new InvalidCommit(offset.getAsLong(), end.getAsLong())));
                }
            }
        }
        return new Seen(found.bounds().withPosition(position, isolationLevel), Optional.empty());
    }

    private LogLookUp.Found found(Answer answer, TopicPartition topicPartition) {
        return answer == null || isOld(answer) ? null : answer.logs.get(topicPartition);
    }

    private boolean isOld(Answer answer) {
        return (time.nanoTime() - answer.atNanos) / INTERVALS_TO_LIVE > intervalNanos;
    }

    void close(Duration timeout) {
        if (closesAdmin && admin != null) {
            admin.close(timeout);
        }
    }
}
