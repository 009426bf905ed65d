package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.TrackerStatus;
import dev.offsets.kafka.Diagnosis.Inside;
import dev.offsets.kafka.Glance.PartitionGlance;
import dev.offsets.kafka.PartitionStatus.Unknown;
import dev.offsets.kafka.PartitionStatus.Worker;
import dev.offsets.kafka.PartitionWatch.ClientLag;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Reports on a running consumer. The loop thread looks at the partitions from time to time, to see since when they are as
 * they are and to tell of changes; any thread may ask for a report, which goes on from the last look.
 */
final class Reporting {
    private final Ownership ownership;
    private final Backpressure backpressure;
    private final Time time;
    private final String group;
    private final Optional<String> clientId;
    private final IsolationLevel isolationLevel;
    private final long intervalNanos;
    private final Duration window;
    private final Diagnosis diagnosis;
    private final LookUps lookUps;
    private final Starts starts;

    private volatile boolean polling;
    private volatile long polledAtNanos;

    // The loop thread's own.
    private final FetchMetric clientLags;
    private final StatusChanges changes;
    private long lookedAtNanos;
    private List<OwnedPartition> lookedAt = List.of();

    Reporting(
            Consumer<?, ?> consumer,
            Ownership ownership,
            Backpressure backpressure,
            Events events,
            Starts starts,
            TrackedConsumerBuilder<?, ?> settings,
            ConsumerConfiguration configuration) {
        this.ownership = ownership;
        this.backpressure = backpressure;
        this.time = settings.time;
        this.starts = starts;
        this.group = configuration.group();
        this.clientId = configuration.clientId();
        this.isolationLevel = configuration.isolationLevel();
        this.intervalNanos = Time.saturatedNanos(settings.lookInterval);
        this.window = settings.statusThresholds.fallingBehindWindow();
        this.diagnosis = new Diagnosis(settings.statusThresholds);
        this.lookUps = new LookUps(settings.admin, settings.ownAdmin, isolationLevel, settings.lookInterval, time);
        // The consumer's own currentLag() may ask a broker, or wait for the consumer's other thread.
        this.clientLags = new FetchMetric(consumer, "records-lag");
        this.changes = new StatusChanges(events, settings.statusThresholds);
        this.polledAtNanos = time.nanoTime();
        this.lookedAtNanos = polledAtNanos;
    }

    String group() {
        return group;
    }

    /** Notes that the loop is in poll. */
    <T> T whilePolling(Supplier<T> poll) {
        polling = true;
        try {
            return poll.get();
        } finally {
            polledAtNanos = time.nanoTime();
            polling = false;
        }
    }

    /** Loop thread, in each turn. Answers how long, in nanoseconds, it need not be called. */
    long lookIfDue() {
        List<OwnedPartition> owned = ownership.published();
        long now = time.nanoTime();
        if (owned != lookedAt) {
            lookedAt = owned;
            clientLags.forgetAll();
            changes.retain(
                    owned.stream().map(partition -> partition.topicPartition).collect(Collectors.toSet()));
            lookUps.ask(owned);
            lookedAtNanos = now;
        } else if (now - lookedAtNanos >= intervalNanos) {
            lookedAtNanos = now;
            look(owned, now);
            lookUps.ask(owned);
        }
        return lookUps.hasAdmin() ? intervalNanos - (now - lookedAtNanos) : Long.MAX_VALUE;
    }

    private void look(List<OwnedPartition> owned, long now) {
        Set<TopicPartition> paused = backpressure.pausedByUser();
        for (OwnedPartition partition : owned) {
            OffsetTracker tracker = partition.tracker();
            if (tracker != null) {
                measureClientLag(partition, tracker);
                Look look = new Look(partition, tracker, paused, now);
                partition.watch.lookedAt(look.trend);
                changes.see(partition.topicPartition, look.status, now);
            }
        }
    }

    private void measureClientLag(OwnedPartition partition, OffsetTracker tracker) {
        OptionalLong lag =
                partition.isRightBehindRecords() ? clientLags.of(partition.topicPartition) : OptionalLong.empty();
        partition.watch.clientLagIs(lag.isPresent() ? new ClientLag(tracker.position(), lag.getAsLong()) : null);
    }

    /** Any thread. */
    GroupReport report() {
        long nowMillis = time.wallClockMillis();
        List<PartitionReport> partitions =
                glance(nowMillis).values().stream().map(PartitionGlance::report).toList();
        return GroupReport.at(nowMillis, group, isolationLevel, Optional.empty(), partitions);
    }

    /** Any thread. */
    Glance glance(ProcessorStatus processor) {
        return new Glance(
                glance(time.wallClockMillis()),
                backpressure.pausedByUs(),
                backpressure.pausedByUser().size(),
                processor);
    }

    private Map<TopicPartition, PartitionGlance> glance(long nowMillis) {
        List<OwnedPartition> owned = ownership.published();
        lookUps.askIfDue(owned);
        Set<TopicPartition> paused = backpressure.pausedByUser();
        long now = time.nanoTime();
        Map<TopicPartition, PartitionGlance> partitions = new LinkedHashMap<>();
        for (OwnedPartition partition : owned) {
            OffsetTracker tracker = partition.tracker();
            if (tracker == null) {
                LogBounds bounds = lookUps.bounds(partition.topicPartition);
                PartitionFacts facts = facts(partition, bounds, Optional.empty());
                partitions.put(
                        partition.topicPartition,
                        glance(facts, new Unknown("the position is not known yet"), nowMillis));
            } else {
                Look look = new Look(partition, tracker, paused, now);
                partitions.put(partition.topicPartition, glance(look.facts, look.status, nowMillis));
            }
        }
        return partitions;
    }

    private static PartitionGlance glance(PartitionFacts facts, PartitionStatus status, long nowMillis) {
        return new PartitionGlance(facts, facts.report(status, nowMillis));
    }

    private PartitionFacts facts(OwnedPartition partition, LogBounds bounds, Optional<TrackerStatus> status) {
        PartitionWatch watch = partition.watch;
        return new PartitionFacts(
                partition.topicPartition,
                isolationLevel,
                bounds,
                status,
                watch.committed(),
                OptionalLong.empty(),
                ofStatus(status, known -> partition.replayExposure(known.completedAhead())),
                ofStatus(status, known -> watch.leftOut()),
                status.map(known -> watch.clientLagAt(known.position())).orElse(OptionalLong.empty()),
                timestamp(watch, status),
                clientId);
    }

    private static OptionalLong ofStatus(Optional<TrackerStatus> status, ToLongFunction<TrackerStatus> number) {
        return status.isPresent() ? OptionalLong.of(number.applyAsLong(status.get())) : OptionalLong.empty();
    }

    private static OptionalLong timestamp(PartitionWatch watch, Optional<TrackerStatus> status) {
        OptionalLong lowest = status.map(TrackerStatus::lowestIncompleteOffset).orElse(OptionalLong.empty());
        return lowest.isPresent() ? watch.timestamps().at(lowest.getAsLong()) : OptionalLong.empty();
    }

    /** One look at one partition, by any thread: what is known, how that goes on from the last look, what follows. */
    private final class Look {
        final PartitionFacts facts;
        final PartitionTrend trend;
        final PartitionStatus status;

        Look(OwnedPartition partition, OffsetTracker tracker, Set<TopicPartition> paused, long now) {
            PartitionWatch watch = partition.watch;
            TrackerStatus tracked = tracker.status();
            LookUps.Seen seen = lookUps.seen(partition, tracker, tracked.position());
            PartitionTrend last = watch.trend();
            facts = facts(partition, seen.bounds(), Optional.of(tracked));
            trend = last == null ? PartitionTrend.beginning(facts, now) : last.next(facts, now, window);
            Inside inside = new Inside(
                    trend,
                    watch.trouble(),
                    watch.loss(),
                    seen.beyondEnd(),
                    paused.contains(partition.topicPartition),
                    watch.isUnreadableAt(tracked.position()),
                    polling ? Duration.ZERO : Duration.ofNanos(time.nanoTime() - polledAtNanos),
                    offset -> starts.startedBy(tracker, offset).map(Reporting::worker));
            status = diagnosis.of(facts, inside, now);
        }
    }

    private static Worker worker(Thread thread) {
        return new Worker(thread.getName(), List.of(thread.getStackTrace()));
    }

    void close(Duration timeout) {
        lookUps.close(timeout);
    }
}
