package dev.offsets.kafka;

import java.time.Duration;
import java.util.Objects;

/**
 * What comes of an attempt at a record that has failed, as a {@link FailurePolicy} decides it. Values; immutable but for the
 * {@link DeadLetters} they name.
 */
public sealed interface FailureAction {
    /**
     * Another attempt, not before so much time has passed. Meanwhile the record occupies no thread, and holds back only what
     * is ordered behind it.
     *
     * @param delay zero or more
     */
    static FailureAction retryAfter(Duration delay) {
        return new RetryAfter(delay);
    }

    /** The record is sent to a topic for dead letters, and counts as finished once the send is confirmed. */
    static FailureAction deadLetter(DeadLetters deadLetters) {
        return new DeadLetter(deadLetters);
    }

    /**
     * The record is given up: it counts as finished, and a line in the log says so.
     *
     * @param reason why, for the log
     */
    static FailureAction skip(String reason) {
        return new Skip(reason);
    }

    /**
     * Nothing more of the record's partition is started or fetched, until it is sought, or leaves this consumer and comes
     * back; what has finished of it is committed, the record is not, and the other partitions go on. See
     * {@link TrackedConsumerListener#onPartitionStopped}.
     */
    static FailureAction stopPartition() {
        return new StopPartition();
    }

    /** The consumer stops: its next poll commits what has finished and throws a {@link RecordFailedException}. */
    static FailureAction stopConsumer() {
        return new StopConsumer();
    }

    /** See {@link #retryAfter}. */
    record RetryAfter(Duration delay) implements FailureAction {
        public RetryAfter {
            Objects.requireNonNull(delay, "delay");
            if (delay.isNegative()) {
                throw new IllegalArgumentException("retryAfter(" + delay + "): the delay must be zero or more");
            }
        }
    }

    /** See {@link #deadLetter}. */
    record DeadLetter(DeadLetters deadLetters) implements FailureAction {
        public DeadLetter {
            Objects.requireNonNull(deadLetters, "deadLetters");
        }
    }

    /** See {@link #skip}. */
    record Skip(String reason) implements FailureAction {
        public Skip {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** See {@link #stopPartition}. */
    record StopPartition() implements FailureAction {}

    /** See {@link #stopConsumer}. */
    record StopConsumer() implements FailureAction {}
}
