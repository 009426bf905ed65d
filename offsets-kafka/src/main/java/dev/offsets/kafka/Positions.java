package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the Kafka consumer's positions: registers what is about to be handed out, notices where reading goes on elsewhere,
 * and sets positions itself where a record would not come again otherwise. Belongs to the loop thread.
 */
final class Positions {
    private static final Logger log = LoggerFactory.getLogger(Positions.class);

    private final Consumer<?, ?> consumer;
    private final Ownership ownership;
    private final LogStarts logStarts;
    private final Wakeups wakeups;
    private final ResumeMaps maps;

    /** Whether next offsets may be missing from results although positions move: an interceptor may drop them. */
    private boolean nextOffsetsMayBeMissing;

    /** Where to go on reading, before the next poll, unless the incarnation has ended by then. */
    private final Map<TopicPartition, PendingSeek> toSeek = new HashMap<>();

    private record PendingSeek(OffsetTracker incarnation, OffsetAndMetadata position) {}

    Positions(
            Consumer<?, ?> consumer,
            Ownership ownership,
            LogStarts logStarts,
            Wakeups wakeups,
            ResumeMaps maps,
            boolean nextOffsetsMayBeMissing) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.logStarts = logStarts;
        this.wakeups = wakeups;
        this.maps = maps;
        this.nextOffsetsMayBeMissing = nextOffsetsMayBeMissing;
    }

    /**
     * Where the position has moved back by itself, and a record further back is incomplete: its work is void with the
     * incarnation, and it would not come again from where Kafka reads on. Such partitions are read from that record on
     * instead; what was polled of them is to be left out, and comes again then.
     */
    <K, V> Set<TopicPartition> sendBack(
            Map<TopicPartition, List<ConsumerRecord<K, V>>> fetched,
            Map<TopicPartition, OffsetAndMetadata> nextOffsets) {
        nextOffsetsMayBeMissing |= nextOffsets.isEmpty() && !fetched.isEmpty();
        Map<TopicPartition, Long> readFrom = new HashMap<>();
        nextOffsets.forEach((topicPartition, next) -> readFrom.put(topicPartition, next.offset()));
        fetched.forEach((topicPartition, records) ->
                readFrom.put(topicPartition, records.get(0).offset()));
        Set<TopicPartition> sentBack = new HashSet<>();
        readFrom.forEach((topicPartition, offset) -> {
            if (sendBack(topicPartition, offset)) {
                sentBack.add(topicPartition);
            } else {
                endIfMovedBack(ownership.own(topicPartition), offset);
            }
        });
        return sentBack;
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

    /** Before anything is waited for: what is still reported for it must not be accepted meanwhile. */
    private static void endIfMovedBack(OwnedPartition partition, long offset) {
        if (partition.tracker() != null) {
            partition.trackerFrom(offset);
        }
    }

    /** After a poll, which must not fail any more now: sets the positions that are to be set, or leaves that for later. */
    void trySeekBack() {
        try {
            seekBack();
        } catch (RuntimeException e) {
            log.debug("A position is to be set before the next poll", e);
        }
    }

    /**
     * A poll has thrown at a record, after it may have moved positions over holes, and those alone: over records it would have
     * returned them.
     */
    void passedHoles() {
        for (OwnedPartition partition : ownership.all()) {
            if (partition.tracker() != null && !toSeek.containsKey(partition.topicPartition)) {
                readPosition(partition, true);
            }
        }
    }

    /**
     * Reading has come to a record that it can't get past.
     *
     * @return the incarnation that goes on there; empty if the position has moved back by itself, and is set further back
     */
    Optional<OffsetTracker> standAt(TopicPartition topicPartition, long offset) {
        return toSeek.containsKey(topicPartition) || sendBack(topicPartition, offset)
                ? Optional.empty()
                : Optional.of(ownership.own(topicPartition).trackerFrom(offset));
    }

    /** Tracks a record that was not polled, and lets reading go on behind it, in the same incarnation. */
    void passOver(TopicPartition topicPartition, long offset, OffsetTracker incarnation) {
        incarnation.track(offset);
        toSeek.put(topicPartition, new PendingSeek(incarnation, new OffsetAndMetadata(offset + 1)));
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

    /** Records that were registered, and the incarnation that they belong to. */
    record Registered<K, V>(OffsetTracker incarnation, List<ConsumerRecord<K, V>> toHandOut) {}

    /**
     * Registers the records of one partition, in ascending order of offsets, before they are handed out.
     *
     * @param next the position after them; null where it is not known
     * @return those that are to be handed out: all, but for what a resume map says is finished
     */
    <K, V> Registered<K, V> register(
            TopicPartition topicPartition, List<ConsumerRecord<K, V>> records, OffsetAndMetadata next) {
        OwnedPartition partition = ownership.own(topicPartition);
        OffsetTracker tracker = partition.trackerFrom(records.get(0).offset());
        if (records.get(0).offset() > tracker.position() && next != null) {
            OptionalLong logStart = logStarts.at(topicPartition, next.offset());
            if (logStart.isPresent() && logStart.getAsLong() > tracker.position()) {
                partition.deletedBefore(logStart.getAsLong());
            }
        }
        RecordTimestamps timestamps = partition.watch.timestamps();
        Set<Long> leftOut = new HashSet<>();
        long position = tracker.position();
        for (ConsumerRecord<K, V> record : records) {
            long offset = record.offset();
            if (offset < position) {
                continue; // the same offset twice, by an interceptor: one record, one outcome
            }
            if (track(record, tracker)) {
                timestamps.note(offset, record.timestamp());
            } else {
                leftOut.add(offset);
            }
            position = offset + 1;
        }
        partition.recordsEndAt(tracker.position());
        maps.registered(partition);
        return new Registered<>(tracker, leftOut.isEmpty() ? records : without(leftOut, partition, records));
    }

    /** Answers whether the record is to be handed out. */
    private boolean track(ConsumerRecord<?, ?> record, OffsetTracker tracker) {
        if (record.leaderEpoch().isEmpty()) {
            tracker.track(record.offset());
            return true;
        }
        int leaderEpoch = record.leaderEpoch().get();
        if (!maps.isOn()) {
            return tracker.track(record.offset(), leaderEpoch);
        }
        int size = record.serializedKeySize() + record.serializedValueSize();
        return tracker.track(record.offset(), leaderEpoch, record.timestamp(), size);
    }

    private <K, V> List<ConsumerRecord<K, V>> without(
            Set<Long> leftOut, OwnedPartition partition, List<ConsumerRecord<K, V>> records) {
        List<ConsumerRecord<K, V>> toHandOut = new ArrayList<>(records);
        toHandOut.removeIf(record -> leftOut.contains(record.offset()));
        List<ConsumerRecord<K, V>> others = new ArrayList<>(records);
        others.removeIf(record -> !leftOut.contains(record.offset()));
        maps.leftOut(partition, others);
        return toHandOut;
    }

    /** Moves the trackers on over the holes after the last records, and notices what no record has shown. */
    void update(Map<TopicPartition, OffsetAndMetadata> nextOffsets) {
        nextOffsets.forEach(
                (topicPartition, next) -> ownership.own(topicPartition).reached(next));
        // The others may have been reset, which shows in no result: not before the next record, if one ever comes.
        for (OwnedPartition partition : ownership.all()) {
            TopicPartition topicPartition = partition.topicPartition;
            if (!nextOffsets.containsKey(topicPartition) && !toSeek.containsKey(topicPartition)) {
                readPosition(partition, nextOffsetsMayBeMissing);
            }
        }
    }

    /** Asks for a position only if the consumer knows it without asking the broker. */
    private void readPosition(OwnedPartition partition, boolean mayHavePassedRecords) {
        try {
            long position = consumer.position(partition.topicPartition, Duration.ZERO);
            if (!sendBack(partition.topicPartition, position)) {
                partition.positionIs(position, mayHavePassedRecords);
            }
        } catch (WakeupException e) {
            wakeups.missed();
        } catch (RuntimeException e) {
            log.debug("{}: the position is not known yet", partition.topicPartition, e);
        }
    }
}
