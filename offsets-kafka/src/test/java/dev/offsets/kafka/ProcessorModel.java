package dev.offsets.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What a processor promises, in the most obvious way: of all records that are ordered alike only the first that has not
 * finished may be started, and not while another is being worked on; nothing is started of a partition that is being taken
 * away; nothing is committed that was never finished. Writes down what is violated.
 */
final class ProcessorModel {
    private record Lane(TopicPartition topicPartition, Object key) {}

    private final Function<ConsumerRecord<String, String>, Object> ordering;
    final List<String> violations = new ArrayList<>();
    private final Set<TopicPartition> startable = new HashSet<>();
    /** Delivered in the present incarnation and not finished, in order. */
    private final Map<Lane, List<Long>> unfinished = new HashMap<>();

    private final Map<Lane, Integer> running = new HashMap<>();
    private final Map<TopicPartition, Integer> incarnations = new HashMap<>();
    private final Map<TopicPartition, TreeSet<Long>> neverFinished = new HashMap<>();

    /** @param ordering what a record is ordered by; null for nothing */
    ProcessorModel(Function<ConsumerRecord<String, String>, Object> ordering) {
        this.ordering = ordering;
    }

    private Lane lane(ConsumerRecord<String, String> record) {
        TopicPartition topicPartition = new TopicPartition(record.topic(), record.partition());
        return new Lane(topicPartition, ordering.apply(record));
    }

    void produced(TopicPartition topicPartition, long offset) {
        neverFinished.computeIfAbsent(topicPartition, none -> new TreeSet<>()).add(offset);
    }

    void assigned(TopicPartition topicPartition) {
        beginAnew(topicPartition);
        startable.add(topicPartition);
    }

    /** From now on nothing of it may be started. */
    void isBeingTakenAway(TopicPartition topicPartition) {
        startable.remove(topicPartition);
    }

    /** What was delivered before is void. */
    void beginAnew(TopicPartition topicPartition) {
        unfinished.keySet().removeIf(lane -> lane.topicPartition.equals(topicPartition));
        incarnations.merge(topicPartition, 1, Integer::sum);
    }

    void delivered(ConsumerRecord<String, String> record) {
        unfinished.computeIfAbsent(lane(record), none -> new ArrayList<>()).add(record.offset());
    }

    /** Answers the incarnation in which it was. */
    int started(List<ConsumerRecord<String, String>> records) {
        Map<Lane, List<Long>> byLane = new HashMap<>();
        for (ConsumerRecord<String, String> record : records) {
            byLane.computeIfAbsent(lane(record), none -> new ArrayList<>()).add(record.offset());
        }
        byLane.forEach(this::started);
        ConsumerRecord<String, String> first = records.get(0);
        return incarnations.get(new TopicPartition(first.topic(), first.partition()));
    }

    private void started(Lane lane, List<Long> offsets) {
        if (!startable.contains(lane.topicPartition)) {
            violations.add("start after revoke: " + lane.topicPartition + offsets);
        }
        if (lane.key == null) {
            return;
        }
        if (running.containsKey(lane)) {
            violations.add("two at once: " + lane + offsets);
        }
        List<Long> expected = unfinished.getOrDefault(lane, List.of());
        if (expected.size() < offsets.size()
                || !expected.subList(0, offsets.size()).equals(offsets)) {
            violations.add("out of order: " + lane + offsets + ", not " + expected);
        }
        running.merge(lane, offsets.size(), Integer::sum);
    }

    void finished(List<ConsumerRecord<String, String>> records, int incarnation) {
        ended(records);
        for (ConsumerRecord<String, String> record : records) {
            Lane lane = lane(record);
            if (incarnation == incarnations.get(lane.topicPartition)) {
                unfinished.getOrDefault(lane, new ArrayList<>()).remove(record.offset());
            }
            neverFinished.get(lane.topicPartition).remove(record.offset());
        }
    }

    /** The work on them has ended, and they have not finished. */
    void ended(List<ConsumerRecord<String, String>> records) {
        for (ConsumerRecord<String, String> record : records) {
            running.computeIfPresent(lane(record), (lane, count) -> count == 1 ? null : count - 1);
        }
    }

    void stored(TopicPartition topicPartition, Long offset) {
        TreeSet<Long> never = neverFinished.getOrDefault(topicPartition, new TreeSet<>());
        if (offset != null && !never.isEmpty() && offset > never.first()) {
            violations.add(
                    "committed " + offset + " of " + topicPartition + ", and " + never.first() + " was never finished");
        }
    }

    boolean allFinished() {
        return neverFinished.values().stream().allMatch(TreeSet::isEmpty);
    }
}
