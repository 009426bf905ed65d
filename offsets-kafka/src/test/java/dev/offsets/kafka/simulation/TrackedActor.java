package dev.offsets.kafka.simulation;

import dev.offsets.TrackerStatus;
import dev.offsets.kafka.CloseResult;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** A tracked consumer on the stage. What it receives stays unfinished until the script finishes it. */
final class TrackedActor implements Player {
    final TrackedConsumer<?, ?> consumer;
    private final String name;
    private final Transcript transcript;
    private final Map<String, TrackedRecord<?, ?>> held = new HashMap<>();
    private final Map<TopicPartition, StringBuilder> received = new LinkedHashMap<>();

    TrackedActor(String name, TrackedConsumer<?, ?> consumer, Transcript transcript) {
        this.name = name;
        this.consumer = consumer;
        this.transcript = transcript;
    }

    TrackedActor subscribe(TopicPartition anyPartition) {
        consumer.subscribe(List.of(anyPartition.topic()));
        return this;
    }

    @Override
    public void poll() {
        for (TrackedRecord<?, ?> record : consumer.poll(Actor.TURN)) {
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            held.put(partition + "@" + record.offset(), record);
            received.computeIfAbsent(partition, key -> new StringBuilder())
                    .append(' ')
                    .append(record.offset());
        }
    }

    @Override
    public Set<TopicPartition> assignment() {
        return consumer.assignment();
    }

    @Override
    public boolean hasRead(long offset) {
        Map<TopicPartition, TrackerStatus> status = consumer.status();
        return !status.isEmpty()
                && status.keySet().equals(assignment())
                && status.values().stream().allMatch(one -> one.position() >= offset);
    }

    @Override
    public void tellAll() {
        if (!received.isEmpty()) {
            Map<TopicPartition, String> told = new HashMap<>();
            received.forEach((partition, offsets) -> told.put(partition, offsets.toString()));
            transcript.add(name + " received", told);
            received.clear();
        }
    }

    boolean hasReceived(TopicPartition partition, long offset) {
        return held.containsKey(partition + "@" + offset);
    }

    void finish(TopicPartition partition, long... offsets) {
        for (long offset : offsets) {
            String receipt = held.get(partition + "@" + offset).complete().toString();
            transcript.add(name + " finishes @" + offset + ": " + receipt, Map.of(partition, ""));
        }
    }

    /** The same offset of several partitions. */
    void finishIn(Set<TopicPartition> partitions, long offset) {
        Map<TopicPartition, String> told = new HashMap<>();
        partitions.forEach(partition ->
                told.put(partition, " " + held.get(partition + "@" + offset).complete()));
        transcript.add(name + " finishes @" + offset + ":", told);
    }

    boolean hasCommitted(TopicPartition partition, long offset) {
        TrackerStatus status = consumer.status().get(partition);
        return status != null && status.committedOffset().orElse(-1) == offset;
    }

    void tellStatus() {
        Map<TopicPartition, String> told = new HashMap<>();
        consumer.status()
                .forEach((partition, status) -> told.put(
                        partition,
                        " position " + status.position() + ", committable " + status.committableOffset()
                                + ", incomplete " + status.incomplete()));
        transcript.add(name + " stands at", told);
    }

    void close(Duration timeout) {
        CloseResult result = consumer.close(timeout);
        transcript.add(name + " is closed: abandoned " + result.abandoned() + ", failures "
                + result.failures().size());
    }
}
