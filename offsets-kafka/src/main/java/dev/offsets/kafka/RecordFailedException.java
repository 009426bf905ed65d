package dev.offsets.kafka;

import org.apache.kafka.common.TopicPartition;

/**
 * A record failed and nothing says how to go on without it, so the consumer has stopped: {@link TrackedConsumer#poll}
 * throws this instead of fetching, after committing what had finished. The cause is what was given to
 * {@link TrackedRecord#fail}.
 *
 * <p>The record is neither lost nor committed past: it is the first, or among the first, that a restart delivers. To go
 * on without a restart, {@linkplain TrackedConsumer#seek seek} its partition: to its offset to try again, past it to
 * give it up.
 */
public final class RecordFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final TopicPartition topicPartition;
    private final long offset;

    RecordFailedException(TopicPartition topicPartition, long offset, Throwable cause) {
        super(
                "record " + topicPartition + "@" + offset + " failed: the consumer has stopped, nothing at or above"
                        + " this offset is committed. Restart it, or seek the partition, to go on",
                cause);
        this.topicPartition = topicPartition;
        this.offset = offset;
    }

    /** The topic and partition of the record that failed. */
    public TopicPartition topicPartition() {
        return topicPartition;
    }

    /** The offset of the record that failed. */
    public long offset() {
        return offset;
    }
}
