package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Calls the user's listeners. What happens in the middle of bookkeeping waits until {@link #tell} is called where a
 * listener may call back: it may seek, commit or unsubscribe. What listeners throw is kept for the next poll, since it must
 * not get into the Kafka consumer's callbacks, nor between a poll and its records. For the loop thread.
 */
final class Events {
    private final TrackedConsumerListener listener;
    private final Queue<Runnable> untold = new ArrayDeque<>();
    private Throwable kept;

    Events(TrackedConsumerListener listener) {
        this.listener = listener;
    }

    void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        untold.add(() -> listener.onCommitted(offsets));
    }

    void commitFailed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception cause) {
        untold.add(() -> listener.onCommitFailed(offsets, cause));
    }

    void revoked(Map<TopicPartition, TrackerStatus> partitions, Optional<Exception> commitFailure) {
        untold.add(() -> listener.onRevoked(partitions, commitFailure));
    }

    void lost(Map<TopicPartition, TrackerStatus> partitions) {
        untold.add(() -> listener.onLost(partitions));
    }

    void positionJumped(TopicPartition partition, long from, long to) {
        untold.add(() -> listener.onPositionJumped(partition, from, to));
    }

    void statusChanged(TopicPartition partition, PartitionStatus before, PartitionStatus now) {
        untold.add(() -> listener.onStatusChanged(partition, before, now));
    }

    void partitionStopped(TopicPartition partition, long offset, Throwable cause) {
        untold.add(() -> listener.onPartitionStopped(partition, offset, cause));
    }

    <K, V> void leftOut(TopicPartition partition, List<ConsumerRecord<K, V>> records) {
        untold.add(() -> listener.onLeftOut(partition, records));
    }

    /** Tells the listener what has happened, in order. To be called where it may call back. */
    void tell() {
        Runnable event = untold.poll();
        while (event != null) {
            guarded(event);
            event = untold.poll();
        }
    }

    void guarded(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            if (kept == null) {
                kept = e;
            } else if (kept != e) {
                kept.addSuppressed(e);
            }
        }
    }

    /** What was thrown and nobody has been told of yet, later ones suppressed in the first; null when nothing. */
    Throwable takeKept() {
        Throwable taken = kept;
        kept = null;
        return taken;
    }
}
