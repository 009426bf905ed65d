package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.kafka.Positions.Registered;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what the Kafka consumer polled into results, and lets records that the former result has not handed out come again.
 * Belongs to the loop thread.
 */
final class PollResults<K, V> {
    private static final Logger log = LoggerFactory.getLogger(PollResults.class);

    private final Consumer<K, V> consumer;
    private final Ownership ownership;
    private final Failures failures;
    private final Predicate<TopicPartition> pausedByUser;
    private final Positions positions;
    private final ResumeMaps maps;
    private TrackedRecords<K, V> newest;

    /** Batches of earlier results with records that were not handed out, while the user has paused their partitions. */
    private List<PartitionBatch<K, V>> heldBack = List.of();

    PollResults(
            Consumer<K, V> consumer,
            Ownership ownership,
            Failures failures,
            Predicate<TopicPartition> pausedByUser,
            Positions positions,
            ResumeMaps maps) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.failures = failures;
        this.pausedByUser = pausedByUser;
        this.positions = positions;
        this.maps = maps;
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
        Set<TopicPartition> sentBack = positions.sendBack(fetched, nextOffsets);
        fetched.keySet().removeAll(sentBack);
        nextOffsets.keySet().removeAll(sentBack);
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
        asPolled &= batches.isEmpty() && sentBack.isEmpty();
        maps.show(fetched, ownership.among(fetched.keySet()));
        for (Map.Entry<TopicPartition, List<ConsumerRecord<K, V>>> each : fetched.entrySet()) {
            TopicPartition topicPartition = each.getKey();
            Registered<K, V> registered =
                    positions.register(topicPartition, each.getValue(), nextOffsets.get(topicPartition));
            asPolled &= registered.toHandOut() == each.getValue();
            if (!registered.toHandOut().isEmpty()) {
                add(batches, topicPartition, registered.incarnation(), registered.toHandOut());
            }
        }
        positions.update(nextOffsets);
        // What is left of a former result is void if the position has just moved back.
        batches.values().removeIf(batch -> batch.incarnation.hasEnded());
        newest = new TrackedRecords<>(new ArrayList<>(batches.values()), asPolled ? polled : null, failures);
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

    /** Kafka delivers in ascending order; an interceptor may change that. */
    private static <K, V> List<ConsumerRecord<K, V>> ascending(List<ConsumerRecord<K, V>> records) {
        long last = -1;
        for (ConsumerRecord<K, V> record : records) {
            long offset = record.offset();
            if (offset < last) {
                List<ConsumerRecord<K, V>> sorted = new ArrayList<>(records);
                sorted.sort(Comparator.comparingLong(ConsumerRecord::offset));
                return sorted;
            }
            last = offset;
        }
        return records;
    }
}
