package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Is told what a {@link TrackedConsumer} does on its own: commits, partitions that are given up, positions that
 * move, and how its partitions fare.
 *
 * <p>All methods are called on the loop thread, inside {@link TrackedConsumer#poll}, {@link TrackedConsumer#commitSync()},
 * {@link TrackedConsumer#close} and their like, soon after what they tell of and in its order; they must not block. They may
 * call the consumer, but for poll and close. What they throw is kept, and thrown by the next poll
 * before that fetches; it changes nothing else. Each does nothing unless overridden.
 */
public interface TrackedConsumerListener {
    /**
     * A commit was confirmed by the broker.
     *
     * @param offsets what was stored: for each partition the next offset to read
     */
    default void onCommitted(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    /**
     * A commit failed, or its outcome is not known. As long as the partitions are owned, what they have finished is
     * committed again, at the then newest offsets, after a growing delay of up to ten seconds.
     *
     * @param offsets what was to be stored; some of it may have been
     * @param cause why, as the Kafka consumer said it; a {@link org.apache.kafka.common.errors.TimeoutException} when no
     *     answer came in time
     */
    default void onCommitFailed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception cause) {}

    /**
     * Partitions were revoked: running work was waited for, within the bound, what finished was committed, and nothing is
     * committed for them from now on. Called before the user's own rebalance listener. What close gives up at its end is
     * in the {@link CloseResult} instead.
     *
     * @param partitions where each stood: its incomplete records will be delivered again, to the next owner. Work that
     *     still runs on them here may then run at the same time as theirs
     * @param commitFailure why the last commit failed; empty if it did not
     */
    default void onRevoked(Map<TopicPartition, TrackerStatus> partitions, Optional<Exception> commitFailure) {}

    /**
     * Partitions were lost: this consumer was taken for dead, and they may have another owner already. Nothing was waited
     * for or committed.
     *
     * @param partitions where each stood: what it had not committed will be delivered again
     */
    default void onLost(Map<TopicPartition, TrackerStatus> partitions) {}

    /**
     * Consuming of a partition goes on elsewhere than where it would have, although nobody sought it. Where it moved back,
     * the log was truncated, or was deleted and created again, or the reset policy applied; what was delivered before is
     * void. Where it moved ahead, the offsets between were not read: their records were deleted, by retention or on
     * request, or the reset policy passed over them.
     *
     * @param from the next offset that would have been read
     * @param to the offset that was read next, or from which on there was something to read
     */
    default void onPositionJumped(TopicPartition partition, long from, long to) {}

    /**
     * A partition is worse off than it was, or has recovered. What is worse is told at the next look
     * ({@link TrackedConsumerBuilder#lookEvery}), since the {@link StatusThresholds} have let it last for a while; what is
     * better once it has been better for {@link StatusThresholds#settledAfter}. Between {@code OK}, {@code CAUGHT_UP} and
     * {@code UNKNOWN} nothing is told. The log has a line for each.
     *
     * @param before the status that was told before; {@code UNKNOWN} when none was
     * @param now the status now
     */
    default void onStatusChanged(TopicPartition partition, PartitionStatus before, PartitionStatus now) {}

    /**
     * A {@link FailurePolicy} has stopped a partition: nothing of it is started or fetched any more, and nothing at or
     * above the record's offset is committed. It begins anew when the partition is {@linkplain TrackedConsumer#seek sought},
     * or has left this consumer and comes back.
     *
     * @param offset the record that failed
     * @param cause why its last attempt failed
     */
    default void onPartitionStopped(TopicPartition partition, long offset, Throwable cause) {}

    /**
     * Records were fetched and are not handed out: the {@linkplain TrackedConsumerBuilder#resumeMaps() resume map} that was
     * stored with the offset where this consumer resumed says that they have finished before.
     *
     * @param records in ascending order of offsets
     */
    default void onLeftOut(TopicPartition partition, List<? extends ConsumerRecord<?, ?>> records) {}
}
