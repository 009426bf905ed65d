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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores with commits which records above them are finished, and lets whoever resumes from one leave these out. Belongs to
 * the loop thread, but for what it counts.
 */
/*
 * All that is believed or written of a log hangs on the topic's id, which is asked for
 *
 *  - when a partition is assigned, before anything of it is fetched;
 *  - after a poll has returned records that a map names, and before they are left out;
 *  - before the records of a poll are named in a map.
 *
 * The same id before and after is the same log all the time between. Another one, or none, and what could not be shown is
 * delivered, or is not named. See docs/resume-map.md.
 */
final class ResumeMaps {
    private static final Logger log = LoggerFactory.getLogger(ResumeMaps.class);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);
    private static final long PAUSE_NANOS = 200_000;
    private static final EncodedResumeMap NONE = new EncodedResumeMap("", 0, 0);
    /** Below this there is no room for more than a handful of runs. */
    static final int FEWEST_CHARACTERS = 64;

    /**
     * What all maps of one request have together at most: the coordinator writes a request as one batch, which must not be
     * larger than the offsets topic allows, by default a mebibyte.
     */
    private static final int CHARACTERS_OF_A_REQUEST = 500_000;

    /** What an incarnation had read when its topic's id was asked for. */
    private record Reading(OffsetTracker incarnation, long position) {}

    private record Question(Map<OwnedPartition, Reading> readings, CompletableFuture<Map<String, Uuid>> answer) {}

    private final TopicIds topicIds;
    private final Events events;
    private final Time time;
    private final Duration longestWait;
    private final long intervalNanos;
    private int mostCharacters;
    /** Asked in the course of things; null when there is none. */
    private Question pending;

    private long askedAtNanos;

    // Written by the loop thread, read by any.
    private volatile long charactersStored;
    private volatile long recordsLeftOut;
    private volatile long recordsWithoutRoom;

    /** @param topicIds null where there are to be no maps */
    ResumeMaps(TopicIds topicIds, TrackedConsumerBuilder<?, ?> settings, Events events, Duration longestRequest) {
        this.topicIds = topicIds;
        this.events = events;
        this.time = settings.time;
        this.longestWait = longestRequest.compareTo(LONGEST_WAIT) < 0 ? longestRequest : LONGEST_WAIT;
        this.intervalNanos = Time.saturatedNanos(settings.resumeMapInterval);
        this.mostCharacters = settings.resumeMapCharacters;
        this.askedAtNanos = time.nanoTime();
    }

    boolean isOn() {
        return topicIds != null;
    }

    // ---- reading ----

    /**
     * Partitions are assigned, of which nothing has been fetched yet: finds out what their topics are, and lets those that
     * have a map stored resume with it.
     */
    void resume(List<OwnedPartition> partitions, Deadline deadline) {
        if (!isOn() || partitions.isEmpty()) {
            return;
        }
        Map<String, Uuid> ids = answer(ask(partitions), deadline);
        List<TopicPartition> unknown = new ArrayList<>();
        for (OwnedPartition partition : partitions) {
            Uuid id = ids.get(partition.topicPartition.topic());
            if (id == null) {
                unknown.add(partition.topicPartition);
            } else {
                partition.resumption.readingBegins(id);
                decode(partition);
            }
        }
        if (!unknown.isEmpty()) {
            log.warn(
                    "The topic's id could not be told of {}: until they are assigned again there are no resume maps of them,"
                            + " and everything from the committed offsets on is delivered",
                    unknown);
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
            if (records != null
                    && partition.tracker() != null
                    && partition.tracker().mayLeaveOut(records.get(0).offset())) {
                doubtful.add(partition);
            }
        }
        if (doubtful.isEmpty()) {
            return;
        }
        Question question = ask(doubtful);
        Set<OwnedPartition> shown = apply(question, answer(question, Deadline.in(time, longestWait)));
        for (OwnedPartition partition : doubtful) {
            if (!shown.contains(partition)) {
                log.warn(
                        "{}: the log can't be shown to be the one of the resume map; everything from {} on is delivered",
                        partition.topicPartition,
                        partition.tracker().position());
                partition.tracker().distrustResumeMap();
            }
        }
    }

    /** Records were left out of what a poll returns. */
    <K, V> void leftOut(OwnedPartition partition, List<ConsumerRecord<K, V>> records) {
        recordsLeftOut += records.size();
        partition.watch.leftOut(records.size());
        events.leftOut(partition.topicPartition, records);
    }

    // ---- asking ----

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
        return new Question(readings, topicIds.ask(topics));
    }

    /** Waits for an answer; empty if it does not come in time. An interrupt ends the wait and stays set. */
    private Map<String, Uuid> answer(Question question, Deadline deadline) {
        Deadline bound = Deadline.in(time, longestWait);
        Deadline sooner = bound.remainingNanos() < deadline.remainingNanos() ? bound : deadline;
        while (!question.answer.isDone()
                && !sooner.isPast()
                && !Thread.currentThread().isInterrupted()) {
            time.park(Math.min(PAUSE_NANOS, sooner.remainingNanos()));
        }
        return question.answer.getNow(Map.of());
    }

    /** Takes an answer in, and answers for which partitions all that had been read is shown to be of the one log. */
    private Set<OwnedPartition> apply(Question question, Map<String, Uuid> ids) {
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

    // ---- writing ----

    /** In each turn of the loop: asks and listens, so that maps may name what has finished. */
    void takeTurn(Collection<OwnedPartition> partitions) {
        if (!isOn()) {
            return;
        }
        if (pending != null && pending.answer.isDone()) {
            apply(pending, pending.answer.join());
            pending = null;
        }
        long now = time.nanoTime();
        if (pending == null && now - askedAtNanos >= intervalNanos / 2) {
            List<OwnedPartition> toShow =
                    partitions.stream().filter(ResumeMaps::hasToBeShown).toList();
            if (!toShow.isEmpty()) {
                askedAtNanos = now;
                pending = ask(toShow);
            }
        }
    }

    private static boolean hasToBeShown(OwnedPartition partition) {
        return partition.tracker() != null && partition.resumption.hasToBeShown(partition.tracker());
    }

    /** Before a last commit: the same for all that has finished until now, with a bounded wait. */
    void showAll(Collection<OwnedPartition> partitions, Deadline deadline) {
        if (!isOn()) {
            return;
        }
        List<OwnedPartition> toShow =
                partitions.stream().filter(ResumeMaps::hasToBeShown).toList();
        if (!toShow.isEmpty()) {
            Question question = ask(toShow);
            apply(question, answer(question, deadline.dividedBy(2)));
        }
    }

    /** Whether a commit of a partition would store a map that tells of more records than what is stored. */
    boolean hasNews(OwnedPartition partition) {
        OffsetTracker tracker = partition.tracker();
        if (!isOn() || mostCharacters == 0 || tracker == null || !partition.resumption.mayHaveNews(tracker)) {
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
                && pending == null
                && partition.resumption.sinceSentNanos(now) >= intervalNanos
                && hasNews(partition);
    }

    /**
     * What goes with a commit that is being sent, taken after its point.
     *
     * @param partitions how many partitions the request has
     */
    EncodedResumeMap mapFor(OwnedPartition partition, CommitPoint point, int partitions) {
        if (!isOn()) {
            return NONE;
        }
        OffsetTracker tracker = partition.tracker();
        Resumption resumption = partition.resumption;
        if (resumption.takeLeavesOutNextMap() || !resumption.isKnown() || mostCharacters == 0) {
            resumption.sentWithoutMap(tracker, time.nanoTime());
            return NONE;
        }
        int most = charactersEach(mostCharacters, partitions);
        EncodedResumeMap map = wholeMap(partition, point).encode(logId(partition), most);
        resumption.sent(tracker, map.finishedRecords(), time.nanoTime());
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

    /** How long the map of one partition may be in a request with so many. */
    static int charactersEach(int most, int partitions) {
        return Math.min(most, CHARACTERS_OF_A_REQUEST / partitions);
    }

    /** A commit is stored, with its map. */
    void stored(Snapshot snapshot) {
        charactersStored += snapshot.map().text().length();
        recordsWithoutRoom += snapshot.map().leftOut();
    }

    /**
     * A commit has failed. Where the broker has refused the length of a map, the offsets are to be sent again at once,
     * without maps, and later maps are shorter. Which of them it was the client does not say; others may have been stored.
     *
     * @return whether it was that
     */
    boolean wereRefused(List<Snapshot> snapshots, Exception failure) {
        int longest = snapshots.stream()
                .mapToInt(snapshot -> snapshot.map().text().length())
                .max()
                .orElse(0);
        boolean tooLong =
                failure instanceof OffsetMetadataTooLarge || failure instanceof InvalidCommitOffsetSizeException;
        if (longest == 0 || !tooLong) {
            return false;
        }
        mostCharacters = longest / 2 < FEWEST_CHARACTERS ? 0 : longest / 2;
        log.warn(
                "The broker refused a resume map of at most {} characters, of {}: they have at most {} from now on. See the"
                        + " broker's offset.metadata.max.bytes, and max.message.bytes of __consumer_offsets",
                longest,
                snapshots.stream().map(Snapshot::topicPartition).toList(),
                mostCharacters);
        snapshots.forEach(snapshot -> snapshot.partition().resumption.leaveOutNextMap());
        return true;
    }

    // ---- counts; any thread ----

    /** How many characters of metadata have been stored, in all commits together. Each is one byte. */
    long charactersStored() {
        return charactersStored;
    }

    /** How many records have been left out of what polls returned. */
    long recordsLeftOut() {
        return recordsLeftOut;
    }

    /** How many finished records were not named for lack of room, summed over all commits. */
    long recordsWithoutRoom() {
        return recordsWithoutRoom;
    }
}
