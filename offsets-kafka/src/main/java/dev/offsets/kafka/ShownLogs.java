package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.kafka.Time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows which logs what has been read is of, by asking for topics' ids. Belongs to the loop thread. */
/*
 * A topic that has one id before something is read and afterwards had it all the time between, since no id is given twice.
 * See docs/resume-map.md.
 */
final class ShownLogs {
    private static final Logger log = LoggerFactory.getLogger(ShownLogs.class);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);
    private static final long PAUSE_NANOS = 200_000;

    /** What an incarnation had read when its topic's id was asked for. */
    private record Reading(OffsetTracker incarnation, long position) {}

    private record Question(Map<OwnedPartition, Reading> readings, CompletableFuture<Map<String, Uuid>> answer) {}

    private final TopicIds topicIds;
    private final Time time;
    private final Duration longestWait;
    private final long intervalNanos;
    /**
     * What topics were when partitions of theirs were last assigned. The Kafka consumer may still hold what it fetched then,
     * and return it now; should the topic be another one since, that would be taken for a part of the new one.
     */
    private final Map<String, Uuid> learned = new HashMap<>();

    /** Asked in the course of things; null when there is none. */
    private Question pending;

    private long askedAtNanos;

    /** An answer did not come in time, and none has come since: none is waited for. Set back on any thread. */
    private volatile boolean silent;

    /** @param intervalNanos the least time between two questions that nobody waits for */
    ShownLogs(TopicIds topicIds, Time time, Duration longestRequest, long intervalNanos) {
        this.topicIds = topicIds;
        this.time = time;
        this.longestWait = longestRequest.compareTo(LONGEST_WAIT) < 0 ? longestRequest : LONGEST_WAIT;
        this.intervalNanos = intervalNanos;
        this.askedAtNanos = time.nanoTime();
    }

    /**
     * Before anything of partitions is fetched: learns what their topics are. Answers of which that is not known.
     */
    List<OwnedPartition> learn(List<OwnedPartition> partitions, Deadline deadline) {
        Map<String, Uuid> ids = await(ask(partitions), deadline);
        List<OwnedPartition> unknown = new ArrayList<>();
        for (OwnedPartition partition : partitions) {
            String topic = partition.topicPartition.topic();
            Uuid id = ids.get(topic);
            if (id == null || !learned.getOrDefault(topic, id).equals(id)) {
                unknown.add(partition);
            } else {
                partition.resumption.readingBegins(id);
            }
        }
        learned.putAll(ids);
        return unknown;
    }

    /** Waits for an answer. Answers for which partitions all that has been read is shown to be of the one log. */
    Set<OwnedPartition> show(Collection<OwnedPartition> partitions, Deadline deadline) {
        Question question = ask(partitions);
        return take(question, await(question, deadline));
    }

    /** The same for what has finished and has yet to be shown. */
    void showFinished(Collection<OwnedPartition> partitions, Deadline deadline) {
        List<OwnedPartition> toShow =
                partitions.stream().filter(ShownLogs::hasToBeShown).toList();
        if (!toShow.isEmpty()) {
            show(toShow, deadline);
        }
    }

    /** In each turn of the loop: the same without waiting. */
    void takeTurn(Collection<OwnedPartition> partitions) {
        long sinceAsked = time.nanoTime() - askedAtNanos;
        if (pending != null) {
            // The next question waits for the next turn, so that in this one there is time for what the answer has
            // shown.
            if (pending.answer.isDone()) {
                take(pending, pending.answer.join());
                pending = null;
            } else if (sinceAsked >= longestWait.toNanos()) {
                pending = null;
                silent = true;
            }
        } else if (sinceAsked >= intervalNanos) {
            askFor(partitions.stream().filter(ShownLogs::hasToBeShown).toList());
        }
    }

    private void askFor(List<OwnedPartition> toShow) {
        if (!toShow.isEmpty()) {
            askedAtNanos = time.nanoTime();
            pending = ask(toShow);
        }
    }

    /** Whether an answer may come soon. */
    boolean isAsking() {
        return pending != null && !silent;
    }

    private static boolean hasToBeShown(OwnedPartition partition) {
        return partition.tracker() != null && partition.resumption.hasToBeShown(partition.tracker());
    }

    private Question ask(Collection<OwnedPartition> partitions) {
        Map<OwnedPartition, Reading> readings = new HashMap<>();
        for (OwnedPartition partition : partitions) {
            OffsetTracker tracker = partition.tracker();
            if (tracker != null) {
                readings.put(partition, new Reading(tracker, tracker.position()));
            }
        }
        Set<String> topics = partitions.stream()
                .map(partition -> partition.topicPartition.topic())
                .collect(Collectors.toSet());
        return new Question(readings, topicIds.ask(topics).thenApply(this::answered));
    }

    private Map<String, Uuid> answered(Map<String, Uuid> ids) {
        if (!ids.isEmpty()) {
            silent = false;
        }
        return ids;
    }

    /** Empty if the answer does not come in time. An interrupt ends the wait and stays set. */
    private Map<String, Uuid> await(Question question, Deadline deadline) {
        Deadline bound = Deadline.in(time, longestWait);
        Deadline sooner = bound.remainingNanos() < deadline.remainingNanos() ? bound : deadline;
        while (!question.answer.isDone()
                && !silent
                && !sooner.isPast()
                && !Thread.currentThread().isInterrupted()) {
            time.park(Math.min(PAUSE_NANOS, sooner.remainingNanos()));
        }
        if (!question.answer.isDone() && bound.isPast()) {
            silent = true;
        }
        return question.answer.getNow(Map.of());
    }

    private static Set<OwnedPartition> take(Question question, Map<String, Uuid> ids) {
        return question.readings.entrySet().stream()
                .filter(entry -> isShown(entry.getKey(), entry.getValue(), ids))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static boolean isShown(OwnedPartition partition, Reading reading, Map<String, Uuid> ids) {
        Uuid id = ids.get(partition.topicPartition.topic());
        boolean wasKnown = partition.resumption.isKnown();
        boolean shown = id != null && partition.resumption.hasId(id, reading.incarnation, reading.position);
        if (wasKnown && !partition.resumption.isKnown()) {
            log.warn(
                    "{}: the topic was deleted and created again while it was read; there are no resume maps until it is"
                            + " assigned again",
                    partition.topicPartition);
        }
        return shown;
    }
}
