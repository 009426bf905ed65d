package dev.offsets.kafka;

import dev.offsets.CommitPolicy;
import dev.offsets.CommitProgress;
import dev.offsets.kafka.OwnedPartition.Snapshot;
import dev.offsets.kafka.Time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends commits and keeps what is pending until it is confirmed. Belongs to the loop thread, but for {@link #request}.
 */
/*
 * One request carries every partition with progress. At most one asynchronous request is in flight; when it fails, or its
 * callback doesn't come in time, the next one carries the then newest committable offsets: a request is never repeated as
 * it was, so an older offset is never sent after a newer one.
 *
 * When a failure may be one topic's own, each topic of the request is committed apart from then on, until it succeeds:
 * see TroubledTopics. The others go on together.
 */
final class Commits {
    /** Progress for which the policy names no time is committed when it is this old: see CommitPolicy. */
    static final long LONGEST_UNCOMMITTED_NANOS = Duration.ofSeconds(30).toNanos();

    private static final Logger log = LoggerFactory.getLogger(Commits.class);

    private record Request(List<Snapshot> snapshots, long sentAtNanos) {
        Map<TopicPartition, OffsetAndMetadata> offsets() {
            return snapshots.stream().collect(Collectors.toMap(Snapshot::topicPartition, Snapshot::offset));
        }

        Set<String> topics() {
            return snapshots.stream()
                    .map(snapshot -> snapshot.topicPartition().topic())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private final Consumer<?, ?> consumer;
    private final Ownership ownership;
    private final CommitPolicy policy;
    private final long giveUpAfterNanos;
    private final long keepAliveNanos;
    private final Events events;
    private final ConsumerMetrics metrics;
    private final Time time;
    private final Backoff backoff;
    private final TroubledTopics troubled;
    private final BlockingCommit blocking;
    private final ResumeMaps maps;

    private volatile boolean requested;

    /** What finished is to be committed whatever the policy says: it was requested, a commit has failed, a map is due. */
    private boolean dueAnyway;

    private long requestsSent;
    private long lastSentAtNanos;
    private Request inFlight;
    private boolean lastWasApart;

    Commits(
            Consumer<?, ?> consumer,
            Ownership ownership,
            TrackedConsumerBuilder<?, ?> settings,
            Duration giveUpAfter,
            Events events,
            Wakeups wakeups,
            ResumeMaps maps,
            ConsumerMetrics metrics) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.policy = settings.commitPolicy;
        this.giveUpAfterNanos = Time.saturatedNanos(giveUpAfter);
        this.keepAliveNanos = Time.saturatedNanos(settings.commitKeepAlive);
        this.events = events;
        this.metrics = metrics;
        this.blocking = new BlockingCommit(consumer, wakeups);
        this.maps = maps;
        this.time = settings.time;
        this.backoff = new Backoff(time);
        this.troubled = new TroubledTopics(time);
        this.lastSentAtNanos = time.nanoTime();
    }

    /** Any thread: what has finished is to be committed in the loop's next turn, whatever the policy says. */
    void request() {
        requested = true;
    }

    /** To be called before the trackers advance, so that the request covers what had finished when it was made. */
    void takeRequest() {
        if (requested) {
            requested = false;
            dueAnyway = true;
        }
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
            settle(
                    inFlight,
                    new TimeoutException(
                            "no answer to a commit within " + Duration.ofNanos(waited) + ": its outcome is unknown"));
        }
        if (backoff.nanosLeft() > 0) {
            return backoff.nanosLeft();
        }
        List<OwnedPartition> healthy = new ArrayList<>();
        List<OwnedPartition> withMapDue = new ArrayList<>();
        long untilKeepAlive = addWhatToCommit(healthy, withMapDue, now);
        List<OwnedPartition> apart = takeNextTroubled(healthy);
        dueAnyway |= !Collections.disjoint(healthy, withMapDue);
        long untilApart = apart.isEmpty() ? Long.MAX_VALUE : troubled.nanosLeft(topicOf(apart.get(0)));
        long untilDue = healthy.isEmpty() ? Long.MAX_VALUE : nanosUntilDue(healthy, now);
        if (untilApart <= 0 && (untilDue > 0 || !lastWasApart)) {
            lastWasApart = true;
            return send(apart, now);
        }
        dueAnyway = false;
        if (untilDue <= 0) {
            lastWasApart = false;
            return send(healthy, now);
        }
        return Math.min(Math.min(untilDue, untilApart), untilKeepAlive);
    }

    boolean isInFlight() {
        return inFlight != null;
    }

    /**
     * Adds the partitions with progress, and those whose keep-alive or resume map is due; answers when the next keep-alive
     * is.
     */
    private long addWhatToCommit(List<OwnedPartition> partitions, List<OwnedPartition> withMapDue, long now) {
        long untilNext = Long.MAX_VALUE;
        for (OwnedPartition partition : ownership.all()) {
            long untilKeepAlive = partition.nanosUntilKeepAlive(keepAliveNanos, now);
            boolean mapIsDue = maps.isDue(partition, now);
            if (mapIsDue) {
                withMapDue.add(partition);
            }
            if (partition.hasProgress() || untilKeepAlive <= 0 || mapIsDue) {
                partitions.add(partition);
            } else {
                untilNext = Math.min(untilNext, untilKeepAlive);
            }
        }
        return untilNext;
    }

    /** Takes the partitions of troubled topics out, and answers those of the topic that is to be tried next. */
    private List<OwnedPartition> takeNextTroubled(List<OwnedPartition> partitions) {
        if (troubled.isEmpty()) {
            return List.of();
        }
        List<OwnedPartition> all = partitions.stream()
                .filter(partition -> troubled.contains(topicOf(partition)))
                .collect(Collectors.toList());
        partitions.removeAll(all);
        String next = troubled.next(all.stream().map(Commits::topicOf).collect(Collectors.toSet()));
        all.removeIf(partition -> !topicOf(partition).equals(next));
        return all;
    }

    private long nanosUntilDue(List<OwnedPartition> partitions, long now) {
        if (dueAnyway || partitions.stream().anyMatch(partition -> partition.isDueAnyway(keepAliveNanos, now))) {
            return 0;
        }
        CommitProgress progress = progress(partitions, now);
        Optional<Duration> untilDue = policy.timeUntilDue(progress);
        if (untilDue == null) {
            throw new IllegalStateException("the commit policy " + policy
                    + " returned null: it must return the time until a commit is due, or an empty Optional");
        }
        return untilDue.isPresent()
                ? Time.saturatedNanos(untilDue.get())
                : LONGEST_UNCOMMITTED_NANOS - Time.saturatedNanos(progress.timeSinceCommittable());
    }

    private CommitProgress progress(List<OwnedPartition> partitions, long now) {
        long oldest = 0;
        long covered = 0;
        for (OwnedPartition partition : partitions) {
            oldest = Math.max(oldest, now - partition.progressSinceNanos());
            covered += partition.recordsCoveredSinceCommit();
        }
        long held = 0;
        long completedAhead = 0;
        long replayExposure = 0;
        for (OwnedPartition partition : ownership.all()) {
            if (partition.recordsHeld() > 0) {
                held += partition.recordsHeld();
                completedAhead += partition.tracker().recordsCompletedAhead();
            }
            replayExposure += partition.replayExposure();
        }
        return new CommitProgress(
                covered,
                Duration.ofNanos(oldest),
                Duration.ofNanos(now - lastSentAtNanos),
                held - completedAhead,
                completedAhead,
                replayExposure);
    }

    /** Sends one asynchronous request; answers how long, in nanoseconds, nothing else will be due. */
    private long send(List<OwnedPartition> partitions, long now) {
        Request request = newRequest(partitions, now);
        inFlight = request;
        try {
            consumer.commitAsync(
                    request.offsets(), (offsets, exception) -> events.guarded(() -> settle(request, exception)));
        } catch (RuntimeException e) {
            settle(request, e);
        }
        return inFlight == null ? backoff.nanosLeft() : giveUpAfterNanos;
    }

    private Request newRequest(Collection<OwnedPartition> partitions, long now) {
        lastSentAtNanos = now;
        requestsSent++;
        metrics.count(Counter.COMMITS_SENT, 1);
        List<Snapshot> snapshots = new ArrayList<>();
        partitions.forEach(partition -> snapshots.add(partition.snapshot(requestsSent, maps, partitions.size(), now)));
        return new Request(snapshots, now);
    }

    /** The outcome of a request. */
    private void settle(Request request, Exception failure) {
        boolean current = request == inFlight;
        if (current) {
            inFlight = null;
        }
        if (failure == null) {
            confirmed(request);
        } else if (current) {
            failed(request, failure);
            if (maps.wereRefused(request.snapshots, failure)) {
                dueAnyway = true;
            } else {
                retryLater(request, failure);
            }
        }
    }

    private void confirmed(Request request) {
        request.snapshots.forEach(this::confirmed);
        maps.stored(request.snapshots);
        metrics.commitConfirmed(time.nanoTime() - request.sentAtNanos);
        events.committed(request.offsets());
        int failures = backoff.succeeded();
        boolean healed = troubled.succeeded(request.topics());
        if (failures > 0 || healed) {
            log.info("Commits of {} succeed again", request.topics());
        }
    }

    private void confirmed(Snapshot snapshot) {
        snapshot.partition().confirmed(snapshot);
        // If the partition has gone and come back: the client may have sent later what it had held back.
        for (OwnedPartition present : ownership.among(Set.of(snapshot.topicPartition()))) {
            if (present != snapshot.partition()) {
                present.formerCommitConfirmed();
            }
        }
    }

    private void retryLater(Request request, Exception failure) {
        Set<String> topics = request.topics();
        if (CommitFailures.mayConcernOneTopic(failure)) {
            if (!troubled.containsAll(topics)) {
                log.warn("Commit of {} failed; each topic will be committed apart", request.offsets(), failure);
            }
            troubled.failed(topics);
        } else {
            if (backoff.failures() == 0) {
                log.warn("Commit of {} failed; the newest offsets will be sent again", request.offsets(), failure);
            }
            backoff.failed();
            dueAnyway = true;
        }
    }

    /**
     * Commits what the given partitions have to commit, and waits for the answer. If that fails and it may be one topic's
     * own fault, each topic is tried apart in what is left of the time. A wakeup or an interrupt that comes in between is
     * kept for later: the outcome of a commit that it cut short is unknown, so the commit is sent again.
     *
     * @return why it failed, or why the first topic did; null if all was confirmed or there was nothing to commit
     */
    RuntimeException commitNow(Collection<OwnedPartition> partitions, Deadline deadline) {
        partitions.forEach(OwnedPartition::advance);
        maps.showFinished(partitions, deadline);
        List<OwnedPartition> toCommit = partitions.stream()
                .filter(partition -> partition.hasProgress() || maps.hasNews(partition))
                .collect(Collectors.toList());
        if (toCommit.isEmpty()) {
            return null;
        }
        Map<String, List<OwnedPartition>> byTopic =
                toCommit.stream().collect(Collectors.groupingBy(Commits::topicOf, TreeMap::new, Collectors.toList()));
        if (byTopic.size() == 1) {
            return commitSync(toCommit, deadline);
        }
        RuntimeException failure = commitSync(toCommit, deadline.dividedBy(2));
        if (failure == null || !CommitFailures.mayConcernOneTopicWhenBlocking(failure)) {
            return failure;
        }
        RuntimeException first = null;
        int topicsLeft = byTopic.size();
        for (List<OwnedPartition> ofOneTopic : byTopic.values()) {
            RuntimeException ofTopic = commitSync(ofOneTopic, deadline.dividedBy(topicsLeft--));
            if (first == null) {
                first = ofTopic;
            } else if (ofTopic != null && ofTopic != first) {
                first.addSuppressed(ofTopic);
            }
        }
        return first;
    }

    private RuntimeException commitSync(List<OwnedPartition> partitions, Deadline deadline) {
        Request request = newRequest(partitions, time.nanoTime());
        RuntimeException failure = blocking.commitSync(request.offsets(), deadline);
        if (failure != null && maps.wereRefused(request.snapshots, failure)) {
            request = newRequest(partitions, time.nanoTime());
            failure = blocking.commitSync(request.offsets(), deadline);
        }
        if (failure == null) {
            confirmed(request);
        } else {
            failed(request, failure);
        }
        return failure;
    }

    private void failed(Request request, Exception failure) {
        metrics.count(Counter.COMMITS_FAILED, 1);
        request.snapshots.forEach(snapshot -> snapshot.partition().commitFailed(failure));
        events.commitFailed(request.offsets(), failure);
    }

    /** Partitions have gone: their topics' troubles are forgotten with them. */
    void forgetTopicsNotOwned() {
        troubled.retain(ownership.all().stream().map(Commits::topicOf).collect(Collectors.toSet()));
    }

    private static String topicOf(OwnedPartition partition) {
        return partition.topicPartition.topic();
    }
}
