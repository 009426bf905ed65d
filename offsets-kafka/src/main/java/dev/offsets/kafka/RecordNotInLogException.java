package dev.offsets.kafka;

import org.apache.kafka.common.TopicPartition;

/**
 * A record was to be sent as a dead letter, and is not in its topic any more: it was deleted, by retention or on request, or
 * compacted away, or the topic was made anew. What is to be done then, the policy of {@link DeadLetters#ifSendFails} says.
 */
public final class RecordNotInLogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final TopicPartition topicPartition;
    private final long offset;

    RecordNotInLogException(TopicPartition topicPartition, long offset, Throwable cause) {
        super(
                "record " + topicPartition + "@" + offset
                        + " is not in its topic any more: its bytes can't be sent as a dead letter",
                cause);
        this.topicPartition = topicPartition;
        this.offset = offset;
    }

    /** The topic and partition of the record. */
    public TopicPartition topicPartition() {
        return topicPartition;
    }

    /** The offset of the record. */
    public long offset() {
        return offset;
    }
}
