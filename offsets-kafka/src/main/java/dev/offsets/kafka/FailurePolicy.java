package dev.offsets.kafka;

import java.util.Objects;

/**
 * What to do when an attempt at a record has failed. A policy is a pure function of the {@linkplain RecordFailure failure} to
 * the {@linkplain FailureAction action}; those made here read like the sentence that says what they do:
 *
 * <pre>{@code
 * FailurePolicy.retry()
 *         .attempts(5)
 *         .backoff(Duration.ofMillis(100), Duration.ofSeconds(10))
 *         .thenDeadLetter(deadLetters)
 *         .when(InvalidOrderException.class, FailurePolicy.skip("not an order"))
 * }</pre>
 *
 * <p>Some failures never get here, since no policy may make them a finish: an interrupt, and a {@link VirtualMachineError}
 * other than a {@link StackOverflowError}. They stop the consumer.
 *
 * <p>A user's own policy is called on whatever thread found out about the failure, on several at once, once for each failed
 * attempt; it must not block. If it throws or answers null, the consumer stops, with that suppressed in the failure. The
 * policies made here are immutable and may be shared.
 */
@FunctionalInterface
public interface FailurePolicy {
    /**
     * What comes of a failed attempt.
     *
     * @param failure the attempt; never null
     */
    FailureAction onFailure(RecordFailure failure);

    /** Tries again, with a growing delay; then stops the consumer, unless told otherwise. See {@link RetryPolicy}. */
    static RetryPolicy retry() {
        return RetryPolicy.DEFAULT;
    }

    /** Sends the record to a topic for dead letters; see {@link FailureAction#deadLetter}. */
    static FailurePolicy deadLetter(DeadLetters deadLetters) {
        return new Always(FailureAction.deadLetter(deadLetters));
    }

    /**
     * Gives the record up; see {@link FailureAction#skip}.
     *
     * @param reason why, for the log
     */
    static FailurePolicy skip(String reason) {
        return new Always(FailureAction.skip(reason));
    }

    /** Stops the record's partition, and lets the others go on; see {@link FailureAction#stopPartition}. */
    static FailurePolicy stopPartition() {
        return new Always(FailureAction.stopPartition());
    }

    /** Stops the consumer: what happens where no policy is given. See {@link FailureAction#stopConsumer}. */
    static FailurePolicy stopConsumer() {
        return new Always(FailureAction.stopConsumer());
    }

    /**
     * This policy, but another one for errors of a type and its subclasses. Where there are several, the first whose type
     * fits decides, as among catch blocks: name subclasses first.
     *
     * @param type the type of the error itself; what caused it is not looked at
     * @throws IllegalArgumentException if an earlier {@code when} covers this type already, so that this one would never
     *     decide
     */
    default FailurePolicy when(Class<? extends Throwable> type, FailurePolicy other) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(other, "other");
        return PolicyByType.of(this, type, other);
    }
}
