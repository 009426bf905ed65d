package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Writes down what a listener is told, one line each; throws where it is told to. */
final class EventLog implements TrackedConsumerListener {
    final List<String> events = new ArrayList<>();

    /** Where each partition stood that was revoked or lost, as of the last time. */
    final Map<TopicPartition, TrackerStatus> stood = new HashMap<>();

    /** What is thrown once, by the first word of an event. */
    final Map<String, RuntimeException> toThrow = new HashMap<>();

    private void happened(String kind, String what) {
        events.add(kind + " " + what);
        RuntimeException thrown = toThrow.remove(kind);
        if (thrown != null) {
            throw thrown;
        }
    }

    private static String offsets(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<String, Long> sorted = new TreeMap<>();
        offsets.forEach((partition, offset) -> sorted.put(partition.toString(), offset.offset()));
        return sorted.toString();
    }

    /** Each partition with its committable offset. */
    private static String statuses(Map<TopicPartition, TrackerStatus> partitions) {
        Map<String, Long> sorted = new TreeMap<>();
        partitions.forEach((partition, status) -> sorted.put(partition.toString(), status.committableOffset()));
        return sorted.toString();
    }

    @Override
    public void onCommitted(Map<TopicPartition, OffsetAndMetadata> offsets) {
        happened("committed", offsets(offsets));
    }

    @Override
    public void onCommitFailed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception cause) {
        happened("failed", offsets(offsets) + " " + cause.getMessage());
    }

    @Override
    public void onRevoked(Map<TopicPartition, TrackerStatus> partitions, Optional<Exception> commitFailure) {
        stood.putAll(partitions);
        happened(
                "revoked",
                statuses(partitions)
                        + commitFailure
                                .map(failure -> " " + failure.getMessage())
                                .orElse(""));
    }

    @Override
    public void onLost(Map<TopicPartition, TrackerStatus> partitions) {
        stood.putAll(partitions);
        happened("lost", statuses(partitions));
    }

    @Override
    public void onPositionJumped(TopicPartition partition, long from, long to) {
        happened("jumped", partition + " " + from + " -> " + to);
    }

    @Override
    public void onStatusChanged(TopicPartition partition, PartitionStatus before, PartitionStatus now) {
        happened("status", partition + " " + before.kind() + " -> " + now.kind());
    }

    @Override
    public void onPartitionStopped(TopicPartition partition, long offset, Throwable cause) {
        happened("stopped", partition + "@" + offset + " " + cause.getMessage());
    }

    @Override
    public void onLeftOut(TopicPartition partition, List<? extends ConsumerRecord<?, ?>> records) {
        happened(
                "leftOut",
                partition + " " + records.stream().map(ConsumerRecord::offset).toList());
    }
}
