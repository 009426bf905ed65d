package dev.offsets.kafka;

import java.time.Duration;
import org.apache.kafka.common.TopicPartition;

/**
 * A record has held its partition back for longer than {@link TrackedConsumerBuilder#stopWhenStuckFor} allows, so the consumer has
 * stopped: {@link TrackedConsumer#poll} throws this instead of fetching, after committing what had finished. Closing the
 * consumer hands its partitions to another member, or to this process' next start, which delivers the record again.
 */
public final class RecordStuckException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final TopicPartition topicPartition;
    private final long offset;

    RecordStuckException(TopicPartition topicPartition, long offset, Duration heldBack, Duration limit) {
        super("record " + topicPartition + "@" + offset + " has held its partition back for " + heldBack
                + ", longer than " + limit
                + ": the consumer has stopped, nothing at or above this offset is committed");
        this.topicPartition = topicPartition;
        this.offset = offset;
    }

    /** The topic and partition of the record that is stuck. */
    public TopicPartition topicPartition() {
        return topicPartition;
    }

    /** The offset of the record that is stuck. */
    public long offset() {
        return offset;
    }
}
