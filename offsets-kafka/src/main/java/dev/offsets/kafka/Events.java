package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Calls the user's listeners from where an exception must not get out: inside the Kafka consumer's callbacks, or in the
 * middle of bookkeeping. What they throw is kept for the next poll. For the loop thread.
 */
final class Events {
    private final TrackedConsumerListener listener;
    private Throwable kept;

    Events(TrackedConsumerListener listener) {
        this.listener = listener;
    }

    void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        guarded(() -> listener.onCommitted(offsets));
    }

    void commitFailed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception cause) {
        guarded(() -> listener.onCommitFailed(offsets, cause));
    }

    void revoked(Map<TopicPartition, TrackerStatus> partitions, Optional<Exception> commitFailure) {
        guarded(() -> listener.onRevoked(partitions, commitFailure));
    }

    void lost(Map<TopicPartition, TrackerStatus> partitions) {
        guarded(() -> listener.onLost(partitions));
    }

    void positionJumped(TopicPartition partition, long from, long to) {
        guarded(() -> listener.onPositionJumped(partition, from, to));
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
