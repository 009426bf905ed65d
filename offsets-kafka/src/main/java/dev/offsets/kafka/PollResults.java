package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what the Kafka consumer polled into results: registers the records and positions, and lets records that the
 * former result has not handed out come again. Belongs to the loop thread.
 */
final class PollResults<K, V> {
    private static final Logger log = LoggerFactory.getLogger(PollResults.class);

    private final Consumer<K, V> consumer;
    private final Ownership ownership;
    private final Failures failures;
    private final Predicate<TopicPartition> pausedByUser;
    private final LogStarts logStarts;

    /** Whether next offsets may be missing from results although positions move: an interceptor may drop them. */
    private boolean nextOffsetsMayBeMissing;

    private final Wakeups wakeups;
    private TrackedRecords<K, V> newest;

    /** Batches of earlier results with records that were not handed out, while the user has paused their partitions. */
    private List<PartitionBatch<K, V>> heldBack = List.of();

    /** Where to go on reading, before the next poll, unless the incarnation has ended by then. */
    private final Map<TopicPartition, PendingSeek> toSeek = new HashMap<>();

    private record PendingSeek(OffsetTracker incarnation, OffsetAndMetadata position) {}

    PollResults(
            Consumer<K, V> consumer,
            Ownership ownership,
            Failures failures,
            Predicate<TopicPartition> pausedByUser,
            LogStarts logStarts,
            Wakeups wakeups,
            boolean nextOffsetsMayBeMissing) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.failures = failures;
        this.pausedByUser = pausedByUser;
        this.logStarts = logStarts;
        this.wakeups = wakeups;
        this.nextOffsetsMayBeMissing = nextOffsetsMayBeMissing;
        this.newest = new TrackedRecords<>(List.of(), ConsumerRecords.empty(), failures);
    }

    /** Whether there are records that were not handed out, and may be now. */
    boolean hasRest() {
        return Stream.concat(heldBack.stream(), newest.batches().stream())
                .anyMatch(batch -> hasRest(batch) && !pausedByUser.test(batch.topicPartition));
    }

    private static boolean hasRest(PartitionBatch<?, ?> batch) {
        return batch.notHandedOut() > 0 && !batch.incarnation.hasEnded();
    }

    void take(ConsumerRecords<K, V> polled) {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> fetched = new LinkedHashMap<>();
        boolean asPolled = true;
        for (TopicPartition topicPartition : polled.partitions()) {
            List<ConsumerRecord<K, V>> records = ascending(polled.records(topicPartition));
            if (!isOurs(topicPartition)) {
                log.warn(
                        "Records of {}, which is not assigned, are left out: an interceptor made them up",
                        topicPartition);
                asPolled = false;
            } else if (!records.isEmpty()) {
                fetched.put(topicPartition, records);
            }
        }
        Map<TopicPartition, OffsetAndMetadata> nextOffsets = new HashMap<>(polled.nextOffsets());
        nextOffsets.keySet().removeIf(topicPartition -> !isOurs(topicPartition));
        nextOffsetsMayBeMissing |= nextOffsets.isEmpty() && !fetched.isEmpty();
        boolean sentBack = sendBack(fetched, nextOffsets);
        Map<TopicPartition, PartitionBatch<K, V>> batches = new LinkedHashMap<>();
        List<PartitionBatch<K, V>> former = new ArrayList<>(heldBack);
        former.addAll(newest.batches());
        heldBack = new ArrayList<>();
        for (PartitionBatch<K, V> batch : former) {
            boolean hold = hasRest(batch) && pausedByUser.test(batch.topicPartition);
            ownership
                    .among(List.of(batch.topicPartition))
                    .forEach(partition -> partition.setNewestBatch(hold ? batch : null));
            if (hold) {
                heldBack.add(batch);
            } else if (hasRest(batch)) {
                add(batches, batch.topicPartition, batch.incarnation, batch.takeRest());
            }
        }
        asPolled &= batches.isEmpty() && !sentBack;
        fetched.forEach((topicPartition, records) -> add(
                batches, topicPartition, register(topicPartition, records, nextOffsets.get(topicPartition)), records));
        updatePositions(nextOffsets);
        // What is left of a former result is void if the position has just moved back.
        batches.values().removeIf(batch -> batch.incarnation.hasEnded());
        newest = new TrackedRecords<>(new ArrayList<>(batches.values()), asPolled ? polled : null, failures);
    }

    /**
     * Where the position has moved back by itself, and a record further back is incomplete: its work is void with the
     * incarnation, and it would not come again from where Kafka reads on. Such partitions are read from that record on
     * instead; what was polled of them is left out, and comes again then.
     */
    private boolean sendBack(
            Map<TopicPartition, List<ConsumerRecord<K, V>>> fetched,
            Map<TopicPartition, OffsetAndMetadata> nextOffsets) {
        Map<TopicPartition, Long> readFrom = new HashMap<>();
        nextOffsets.forEach((topicPartition, next) -> readFrom.put(topicPartition, next.offset()));
        fetched.forEach((topicPartition, records) ->
                readFrom.put(topicPartition, records.get(0).offset()));
        Set<TopicPartition> sentBack = new HashSet<>();
        readFrom.forEach((topicPartition, offset) -> {
            if (sendBack(topicPartition, offset)) {
                sentBack.add(topicPartition);
            }
        });
        fetched.keySet().removeAll(sentBack);
        nextOffsets.keySet().removeAll(sentBack);
        return !sentBack.isEmpty();
    }

    private boolean sendBack(TopicPartition topicPartition, long offset) {
        OwnedPartition partition = ownership.own(topicPartition);
        Optional<OffsetAndMetadata> incomplete = partition.incompleteBelow(offset);
        incomplete.ifPresent(further -> {
            partition.movedBackTo(further);
            toSeek.put(topicPartition, new PendingSeek(partition.tracker(), further));
        });
        return incomplete.isPresent();
    }

    /** After a poll, which must not fail any more now: sets the positions that are to be set, or leaves that for later. */
    void trySeekBack() {
        try {
            seekBack();
        } catch (RuntimeException e) {
            log.debug("A position is to be set before the next poll", e);
        }
    }

    /** Before each poll: sets the positions that are to be set. */
    void seekBack() {
        for (Map.Entry<TopicPartition, PendingSeek> pending : List.copyOf(toSeek.entrySet())) {
            if (!pending.getValue().incarnation.hasEnded()) {
                consumer.seek(pending.getKey(), pending.getValue().position);
            }
            toSeek.remove(pending.getKey());
        }
    }

    /**
     * After a poll that threw what Kafka's does not throw before it has taken records: what was taken and is lost is read
     * again.
     */
    void readLostAgain() {
        for (OwnedPartition partition : ownership.all()) {
            OffsetTracker tracker = partition.tracker();
            if (tracker == null) {
                throw new IllegalStateException(
                        "it is not known where reading " + partition.topicPartition + " had begun");
            }
            if (consumer.position(partition.topicPartition, Duration.ZERO) > tracker.position()) {
                consumer.seek(partition.topicPartition, tracker.position());
            }
        }
    }

    /** The newest result; without what a listener has made void since it was taken. */
    TrackedRecords<K, V> newest() {
        if (newest.batches().stream().anyMatch(batch -> batch.incarnation.hasEnded())) {
            List<PartitionBatch<K, V>> valid = new ArrayList<>(newest.batches());
            valid.removeIf(batch -> batch.incarnation.hasEnded());
            newest = new TrackedRecords<>(valid, null, failures);
        }
        return newest;
    }

    private boolean isOurs(TopicPartition topicPartition) {
        return ownership.owns(topicPartition) || consumer.assignment().contains(topicPartition);
    }

    private void add(
            Map<TopicPartition, PartitionBatch<K, V>> batches,
            TopicPartition topicPartition,
            OffsetTracker incarnation,
            List<ConsumerRecord<K, V>> records) {
        PartitionBatch<K, V> rest = batches.get(topicPartition);
        List<ConsumerRecord<K, V>> all = records;
        if (rest != null && rest.incarnation == incarnation) {
            all = new ArrayList<>(rest.records());
            all.addAll(records);
        }
        PartitionBatch<K, V> batch = new PartitionBatch<>(topicPartition, incarnation, all);
        batches.put(topicPartition, batch);
        ownership.own(topicPartition).setNewestBatch(batch);
    }

    private OffsetTracker register(
            TopicPartition topicPartition, List<ConsumerRecord<K, V>> records, OffsetAndMetadata next) {
        OwnedPartition partition = ownership.own(topicPartition);
        OffsetTracker tracker = partition.trackerFrom(records.get(0).offset());
        if (records.get(0).offset() > tracker.position() && next != null) {
            OptionalLong logStart = logStarts.at(topicPartition, next.offset());
            if (logStart.isPresent() && logStart.getAsLong() > tracker.position()) {
                partition.deletedBefore(logStart.getAsLong());
            }
        }
        for (ConsumerRecord<K, V> record : records) {
            if (record.offset() < tracker.position()) {
                continue; // the same offset twice, by an interceptor: one record, one outcome
            }
            if (record.leaderEpoch().isPresent()) {
                tracker.track(record.offset(), record.leaderEpoch().get());
            } else {
                tracker.track(record.offset());
            }
        }
        return tracker;
    }

    /** Kafka delivers in ascending order; an interceptor may change that. */
    private static <K, V> List<ConsumerRecord<K, V>> ascending(List<ConsumerRecord<K, V>> records) {
        for (int i = 1; i < records.size(); i++) {
            if (records.get(i).offset() < records.get(i - 1).offset()) {
                List<ConsumerRecord<K, V>> sorted = new ArrayList<>(records);
                sorted.sort(Comparator.comparingLong(ConsumerRecord::offset));
                return sorted;
            }
        }
        return records;
    }

    private void updatePositions(Map<TopicPartition, OffsetAndMetadata> nextOffsets) {
        nextOffsets.forEach(
                (topicPartition, next) -> ownership.own(topicPartition).reached(next));
        // The others may have been reset, which shows in no result: not before the next record, if one ever comes.
        for (OwnedPartition partition : ownership.all()) {
            TopicPartition topicPartition = partition.topicPartition;
            if (!nextOffsets.containsKey(topicPartition) && !toSeek.containsKey(topicPartition)) {
                readPosition(partition);
            }
        }
    }

    /** Asks for a position only if the consumer knows it without asking the broker. */
    private void readPosition(OwnedPartition partition) {
        try {
            long position = consumer.position(partition.topicPartition, Duration.ZERO);
            if (!sendBack(partition.topicPartition, position)) {
                partition.positionIs(position, nextOffsetsMayBeMissing);
            }
        } catch (WakeupException e) {
            wakeups.missed();
        } catch (RuntimeException e) {
            log.debug("{}: the position is not known yet", partition.topicPartition, e);
        }
    }
}
