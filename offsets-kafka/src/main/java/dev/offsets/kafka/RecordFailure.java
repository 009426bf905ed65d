package dev.offsets.kafka;

import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * An attempt at a record that has failed: what a {@link FailurePolicy} decides by.
 *
 * @param topicPartition where the record is from
 * @param offset the record's offset
 * @param attempts how many attempts have been made, this one included: one or more. An attempt as part of a batch counts.
 *     Attempts at sending a dead letter are counted anew, for the policy of {@link DeadLetters#ifSendFails}
 * @param sinceFirstAttempt how long ago the first of these attempts began
 * @param error why this attempt failed: what the handler threw, or what its stage completed with, without the
 *     {@link java.util.concurrent.CompletionException} around it
 */
public record RecordFailure(
        TopicPartition topicPartition, long offset, int attempts, Duration sinceFirstAttempt, Throwable error) {
    public RecordFailure {
        Objects.requireNonNull(topicPartition, "topicPartition");
        Objects.requireNonNull(sinceFirstAttempt, "sinceFirstAttempt");
        Objects.requireNonNull(error, "error");
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts is " + attempts + ": it must be one or more");
        }
    }
}
