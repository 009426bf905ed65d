package dev.offsets.kafka;

import dev.offsets.CommitPoint;
import dev.offsets.DecodedResumeMap;
import dev.offsets.EncodedResumeMap;
import dev.offsets.OffsetTracker;
import dev.offsets.ResumeMap;
import dev.offsets.kafka.OwnedPartition.Snapshot;
import dev.offsets.kafka.Time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores with commits which records above them are finished, and lets whoever resumes from one leave these out. Belongs to
 * the loop thread, but for what it counts.
 */
/*
 * What is left out, and what is named, has been read of the one log that a map is bound to: see ShownLogs. What can't be
 * shown is delivered, or is not named.
 */
final class ResumeMaps {
    private static final Logger log = LoggerFactory.getLogger(ResumeMaps.class);

    private static final EncodedResumeMap NONE = new EncodedResumeMap("", 0, 0);

    private final ShownLogs logs;
    private final Events events;
    private final ConsumerMetrics metrics;
    private final Time time;
    private final long intervalNanos;
    private final MapRoom room;

    /** @param topicIds null where there are to be no maps */
    ResumeMaps(
            TopicIds topicIds,
            TrackedConsumerBuilder<?, ?> settings,
            Events events,
            ConsumerMetrics metrics,
            Duration longestRequest) {
        this.events = events;
        this.metrics = metrics;
        this.time = settings.time;
        this.intervalNanos = Time.saturatedNanos(settings.resumeMapInterval);
        this.room = new MapRoom(settings.resumeMapCharacters);
        this.logs = topicIds == null ? null : new ShownLogs(topicIds, time, longestRequest, intervalNanos / 2);
    }

    boolean isOn() {
        return logs != null;
    }

    /**
     * Partitions are assigned, of which nothing has been fetched yet: lets those that have a map stored resume with it, where
     * it is known which topic they are of.
     */
    void resume(List<OwnedPartition> partitions, Deadline deadline) {
        if (!isOn() || partitions.isEmpty()) {
            return;
        }
        List<OwnedPartition> unknown = logs.learn(partitions, deadline);
        partitions.stream().filter(partition -> partition.resumption.isKnown()).forEach(ResumeMaps::decode);
        if (!unknown.isEmpty()) {
            log.warn(
                    "The topic's id could not be told of {}, or is another one than before: until they are assigned again"
                            + " there are no resume maps of them, and everything from the committed offsets on is delivered",
                    unknown.stream().map(partition -> partition.topicPartition).toList());
        }
    }

    private static void decode(OwnedPartition partition) {
        OffsetAndMetadata stored = partition.readAtAssignment();
        if (stored == null) {
            return;
        }
        long base = stored.offset();
        DecodedResumeMap decoded = ResumeMap.decode(stored.metadata(), logId(partition), base);
        switch (decoded.outcome()) {
            case ABSENT -> {}
            case INTACT -> {
                log.info(
                        "{}: resumes at {} with {} records above it finished",
                        partition.topicPartition,
                        base,
                        decoded.map().finishedRecords());
                partition.resumeWith(decoded.map());
            }
            default ->
                log.warn(
                        "{}: the metadata stored with offset {} is no resume map for this log and offset ({}); everything"
                                + " from there on is delivered",
                        partition.topicPartition,
                        base,
                        decoded.outcome());
        }
    }

    private static long logId(OwnedPartition partition) {
        return partition.resumption.logId(partition.topicPartition.partition());
    }

    /**
     * Records were polled and are not registered yet. Where a map may name some, its topic must still be the one that it
     * was made for; otherwise it is believed no longer.
     */
    <K, V> void show(Map<TopicPartition, List<ConsumerRecord<K, V>>> fetched, List<OwnedPartition> owned) {
        if (!isOn()) {
            return;
        }
        List<OwnedPartition> doubtful = new ArrayList<>();
        for (OwnedPartition partition : owned) {
            List<ConsumerRecord<K, V>> records = fetched.get(partition.topicPartition);
            OffsetTracker tracker = partition.tracker();
            if (tracker != null && tracker.mayLeaveOut(records.get(0).offset())) {
                doubtful.add(partition);
            }
        }
        if (doubtful.isEmpty()) {
            return;
        }
        doubtful.removeAll(logs.show(doubtful, Deadline.in(time, Duration.ofNanos(Long.MAX_VALUE))));
        for (OwnedPartition partition : doubtful) {
            log.warn(
                    "{}: the log can't be shown to be the one of the resume map; everything from {} on is delivered",
                    partition.topicPartition,
                    partition.tracker().position());
            partition.tracker().distrustResumeMap();
        }
    }

    /** Records of a partition were registered: says so, once, if they are not those that its resume map speaks of. */
    void registered(OwnedPartition partition) {
        OffsetTracker tracker = partition.tracker();
        if (tracker.isResumeMapRefuted() && partition.resumption.isRefutedForTheFirstTime()) {
            log.warn(
                    "{}: a record below {} is not the one that the resume map speaks of, or is missing; everything from"
                            + " there on is delivered",
                    partition.topicPartition,
                    tracker.position());
        }
    }

    /** Records were left out of what a poll returns. */
    <K, V> void leftOut(OwnedPartition partition, List<ConsumerRecord<K, V>> records) {
        metrics.count(Counter.RECORDS_LEFT_OUT, records.size());
        partition.watch.leftOut(records.size());
        events.leftOut(partition.topicPartition, records);
    }

    /** In each turn of the loop. */
    void takeTurn(Collection<OwnedPartition> partitions) {
        if (isOn()) {
            logs.takeTurn(partitions);
        }
    }

    /** Before a last commit: lets maps name all that has finished until now, with a bounded wait. */
    void showFinished(Collection<OwnedPartition> partitions, Deadline deadline) {
        if (isOn()) {
            logs.showFinished(partitions, deadline.dividedBy(2));
        }
    }

    /** Whether a commit of a partition would store a map that tells of more records than what is stored. */
    boolean hasNews(OwnedPartition partition) {
        OffsetTracker tracker = partition.tracker();
        if (!isOn() || room.isNone() || tracker == null || !partition.resumption.mayHaveNews(tracker)) {
            return false;
        }
        boolean isNews = partition.replayExposure() > 0
                && partition.resumption.isNews(wholeMap(partition, tracker.commitPoint()), tracker);
        if (!isNews) {
            partition.resumption.noNews(tracker);
        }
        return isNews;
    }

    private static ResumeMap wholeMap(OwnedPartition partition, CommitPoint point) {
        OffsetTracker tracker = partition.tracker();
        return tracker.resumeMap(point, partition.resumption.shownBelow(tracker));
    }

    /** Whether a commit is due for the map alone. */
    boolean isDue(OwnedPartition partition, long now) {
        return isOn()
                && !logs.isAsking()
                && partition.resumption.sinceSentNanos(now) >= intervalNanos
                && hasNews(partition);
    }

    /**
     * What goes with a commit that is being sent, taken after its point.
     *
     * @param partitions how many partitions the request has
     * @param now the same for all of them, so that those whose maps are sent together are due together the next time
     */
    EncodedResumeMap mapFor(OwnedPartition partition, CommitPoint point, int partitions, long now) {
        if (!isOn()) {
            return NONE;
        }
        OffsetTracker tracker = partition.tracker();
        Resumption resumption = partition.resumption;
        if (resumption.takeLeavesOutNextMap() || !resumption.isKnown() || room.isNone()) {
            resumption.sentWithoutMap(tracker, now);
            return NONE;
        }
        int most = room.charactersEach(partitions);
        EncodedResumeMap map = wholeMap(partition, point).encode(logId(partition), most);
        resumption.sent(tracker, map.finishedRecords(), now);
        if (map.leftOut() > 0 && resumption.thereIsNoRoom()) {
            log.warn(
                    "{}: in {} characters is no room for {} of the records finished above {}; they would be delivered again",
                    partition.topicPartition,
                    most,
                    map.leftOut(),
                    point.offset());
        }
        return map;
    }

    /** A request is stored, with its maps. */
    void stored(List<Snapshot> snapshots) {
        for (Snapshot snapshot : snapshots) {
            metrics.count(Counter.RESUME_MAP_BYTES, snapshot.map().text().length());
            metrics.count(Counter.RECORDS_WITHOUT_ROOM, snapshot.map().leftOut());
        }
        room.stored(texts(snapshots));
    }

    /**
     * A commit has failed. Where the broker has refused the length of its maps, or may have, the offsets are to be sent again
     * at once, without maps. Which of the maps it was the client does not say; others may have been stored.
     *
     * @return whether it was that
     */
    boolean wereRefused(List<Snapshot> snapshots, Exception failure) {
        boolean refused = room.wereRefused(texts(snapshots), failure);
        if (refused) {
            snapshots.forEach(snapshot -> snapshot.partition().resumption.leaveOutNextMap());
        }
        return refused;
    }

    private static Map<TopicPartition, String> texts(List<Snapshot> snapshots) {
        return snapshots.stream()
                .collect(Collectors.toMap(
                        Snapshot::topicPartition, snapshot -> snapshot.map().text()));
    }
}
