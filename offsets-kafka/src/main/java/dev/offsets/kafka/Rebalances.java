package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import dev.offsets.kafka.Time.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes partitions on and gives them up. The Kafka consumer calls it on the loop thread, inside poll, close and
 * unsubscribe; the user's own listener runs inside it. It never throws into the Kafka consumer: what the user's listener
 * throws is kept for the next poll.
 */
final class Rebalances {
    private static final Logger log = LoggerFactory.getLogger(Rebalances.class);

    private final Ownership ownership;
    private final Commits commits;
    private final Backpressure backpressure;
    private final LogStarts logStarts;
    private final Draining draining;
    private final StoredOffsets storedOffsets;
    private final ResumeMaps maps;
    private final Events events;
    private final ConsumerMetrics metrics;
    private final Duration drainTimeout;
    private final Duration requestTimeout;
    private final Time time;
    private Deadline drainBy;
    private Deadline closeBy;
    private long abandonedWork;
    private long unfinishedRecords;

    Rebalances(
            Ownership ownership,
            Commits commits,
            Backpressure backpressure,
            LogStarts logStarts,
            Draining draining,
            StoredOffsets storedOffsets,
            ResumeMaps maps,
            Events events,
            ConsumerMetrics metrics,
            Duration drainTimeout,
            Duration requestTimeout,
            Time time) {
        this.ownership = ownership;
        this.commits = commits;
        this.backpressure = backpressure;
        this.logStarts = logStarts;
        this.draining = draining;
        this.storedOffsets = storedOffsets;
        this.maps = maps;
        this.events = events;
        this.metrics = metrics;
        this.drainTimeout = drainTimeout;
        this.requestTimeout = requestTimeout;
        this.time = time;
    }

    /** The listener to subscribe with. */
    ConsumerRebalanceListener around(ConsumerRebalanceListener users) {
        return new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                events.guarded(() -> take(partitions));
                events.guarded(() -> users.onPartitionsAssigned(partitions));
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                events.guarded(() -> giveUp(partitions));
                events.guarded(() -> users.onPartitionsRevoked(partitions));
                // Should the user's listener have sought one of them.
                forget(ownership.among(partitions), partitions);
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                events.guarded(() -> lose(partitions));
                events.guarded(() -> users.onPartitionsLost(partitions));
                forget(ownership.among(partitions), partitions);
            }
        };
    }

    void take(Collection<TopicPartition> partitions) {
        Set<TopicPartition> added = new HashSet<>(partitions);
        ownership.all().forEach(partition -> added.remove(partition.topicPartition));
        added.forEach(ownership::own);
        backpressure.assigned(partitions);
        Deadline deadline = bounded(requestTimeout, closeBy);
        storedOffsets.find(ownership.among(added), deadline);
        maps.resume(ownership.among(added), deadline);
    }

    /**
     * No new work, a bounded wait for what was started, one blocking commit, and then the fence, whatever came of the
     * commit. Partitions that are not owned, or not any more, are left alone.
     */
    void giveUp(Collection<TopicPartition> partitions) {
        List<OwnedPartition> given = ownership.among(partitions);
        if (given.isEmpty()) {
            return;
        }
        Optional<Exception> commitFailure = Optional.empty();
        try {
            draining.begin(given);
            draining.awaitWithoutPolling(given, bounded(drainTimeout, drainBy));
            long abandoned = draining.running(given);
            abandon(abandoned);
            if (abandoned > 0) {
                metrics.count(Counter.DRAINS_ABANDONED, 1);
                log.warn(
                        "{} records of {} were still being worked on at the end of the wait; they will be delivered again",
                        abandoned,
                        partitions);
            }
            RuntimeException failure = commits.commitNow(given, bounded(requestTimeout, closeBy));
            if (failure != null) {
                log.warn("The last commit of {} failed; what it covered may be delivered again", partitions, failure);
                commitFailure = Optional.of(failure);
            }
        } finally {
            events.revoked(Ownership.status(given), commitFailure);
            forget(given, partitions);
            events.tell();
        }
    }

    private Deadline bounded(Duration timeout, Deadline closing) {
        Deadline bound = Deadline.in(time, timeout);
        return closing == null || bound.remainingNanos() < closing.remainingNanos() ? bound : closing;
    }

    /** From now on nothing waits longer than until this: for work, and for what comes after it. */
    void closeBy(Deadline drainBy, Deadline closeBy) {
        this.drainBy = drainBy;
        this.closeBy = closeBy;
    }

    private void lose(Collection<TopicPartition> partitions) {
        List<OwnedPartition> lost = ownership.among(partitions);
        if (!lost.isEmpty()) {
            abandon(draining.running(lost));
            log.warn("{} lost without a last commit; what was not committed will be delivered again", partitions);
            events.lost(Ownership.status(lost));
            forget(lost, partitions);
            events.tell();
        }
    }

    private void abandon(long running) {
        abandonedWork += running;
        metrics.count(Counter.RECORDS_ABANDONED, running);
    }

    private void forget(List<OwnedPartition> given, Collection<TopicPartition> partitions) {
        for (TrackerStatus status : Ownership.status(given).values()) {
            unfinishedRecords += status.incomplete();
        }
        ownership.fence(given);
        commits.forgetTopicsNotOwned();
        backpressure.gone(partitions);
        partitions.forEach(logStarts::gone);
    }

    /** How many records were still being worked on when their partitions went, so far. */
    long abandonedWork() {
        return abandonedWork;
    }

    /** How many records had not finished when their partitions went, so far; worked on or not. */
    long unfinishedRecords() {
        return unfinishedRecords;
    }
}
