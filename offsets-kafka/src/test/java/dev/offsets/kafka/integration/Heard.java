package dev.offsets.kafka.integration;

import dev.offsets.TrackerStatus;
import dev.offsets.kafka.TrackedConsumerListener;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Keeps what a consumer has told its listener. Written on the loop thread, read on any. */
final class Heard implements TrackedConsumerListener {
    record Jump(TopicPartition partition, long from, long to) {}

    final List<Map<TopicPartition, OffsetAndMetadata>> commits = new CopyOnWriteArrayList<>();
    final List<Exception> commitFailures = new CopyOnWriteArrayList<>();
    final List<TopicPartition> revoked = new CopyOnWriteArrayList<>();
    final List<Exception> lastCommitFailures = new CopyOnWriteArrayList<>();
    final List<TopicPartition> lost = new CopyOnWriteArrayList<>();
    final List<Jump> jumps = new CopyOnWriteArrayList<>();

    @Override
    public void onCommitted(Map<TopicPartition, OffsetAndMetadata> offsets) {
        commits.add(offsets);
    }

    @Override
    public void onCommitFailed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception cause) {
        commitFailures.add(cause);
    }

    @Override
    public void onRevoked(Map<TopicPartition, TrackerStatus> partitions, Optional<Exception> commitFailure) {
        revoked.addAll(partitions.keySet());
        commitFailure.ifPresent(lastCommitFailures::add);
    }

    @Override
    public void onLost(Map<TopicPartition, TrackerStatus> partitions) {
        lost.addAll(partitions.keySet());
    }

    @Override
    public void onPositionJumped(TopicPartition partition, long from, long to) {
        jumps.add(new Jump(partition, from, to));
    }
}
