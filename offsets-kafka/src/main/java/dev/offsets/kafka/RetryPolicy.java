package dev.offsets.kafka;

import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * Tries a failed record again after a delay that doubles from attempt to attempt, until a limit is reached; then does
 * something else. Made by {@link FailurePolicy#retry()}.
 *
 * <p>Defaults: delays from 100 ms up to 10 s; ten attempts if neither {@link #attempts} nor {@link #within} is given; then
 * the consumer stops.
 *
 * <p>Delays are spread by up to a fifth in either direction, so that records that failed together are not all tried again
 * together. The spread depends on the record and the attempt alone: a policy is a pure function.
 *
 * <p>Immutable: each method returns another policy. May be shared.
 */
public final class RetryPolicy implements FailurePolicy {
    static final RetryPolicy DEFAULT = new RetryPolicy(
            RetryPolicy.NO_LIMIT, null, Duration.ofMillis(100), Duration.ofSeconds(10), FailureAction.stopConsumer());

    private static final int NO_LIMIT = 0;
    private static final int DEFAULT_ATTEMPTS = 10;
    private static final double SPREAD = 0.2;

    private final int attempts;
    private final Duration within;
    private final Duration firstDelay;
    private final Duration longestDelay;
    private final FailureAction then;

    private RetryPolicy(int attempts, Duration within, Duration firstDelay, Duration longestDelay, FailureAction then) {
        this.attempts = attempts;
        this.within = within;
        this.firstDelay = firstDelay;
        this.longestDelay = longestDelay;
        this.then = then;
    }

    /**
     * How many attempts are made in all.
     *
     * @param attempts one or more, the first one included
     */
    public RetryPolicy attempts(int attempts) {
        if (attempts < 1) {
            throw new IllegalArgumentException(
                    "attempts(" + attempts + "): it must be one or more, the first attempt included");
        }
        return new RetryPolicy(attempts, within, firstDelay, longestDelay, then);
    }

    /**
     * For how long attempts begin. An attempt that would have to begin later than this after the first is not made. May be
     * joined with {@link #attempts}: the limit that is reached first counts.
     *
     * @param duration more than zero
     */
    public RetryPolicy within(Duration duration) {
        Objects.requireNonNull(duration, "duration");
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException("within(" + duration + "): the duration must be more than zero");
        }
        return new RetryPolicy(attempts, duration, firstDelay, longestDelay, then);
    }

    /**
     * How long to wait before the next attempt: at first, doubling with each attempt, and at the longest, give or take a
     * fifth.
     *
     * @param first zero or more; zero is no delay at all, however many attempts
     * @param longest {@code first} or more
     */
    public RetryPolicy backoff(Duration first, Duration longest) {
        Objects.requireNonNull(first, "first");
        Objects.requireNonNull(longest, "longest");
        if (first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("backoff(" + first + ", " + longest
                    + "): the first delay must be zero or more, and the longest no shorter than the first");
        }
        return new RetryPolicy(attempts, within, first, longest, then);
    }

    /** When the limit is reached, sends the record to a topic for dead letters; see {@link FailureAction#deadLetter}. */
    public FailurePolicy thenDeadLetter(DeadLetters deadLetters) {
        return then(FailureAction.deadLetter(deadLetters));
    }

    /**
     * When the limit is reached, gives the record up; see {@link FailureAction#skip}.
     *
     * @param reason why, for the log
     */
    public FailurePolicy thenSkip(String reason) {
        return then(FailureAction.skip(reason));
    }

    /** When the limit is reached, stops the record's partition; see {@link FailureAction#stopPartition}. */
    public FailurePolicy thenStopPartition() {
        return then(FailureAction.stopPartition());
    }

    /** When the limit is reached, stops the consumer; see {@link FailureAction#stopConsumer}. The default. */
    public FailurePolicy thenStopConsumer() {
        return then(FailureAction.stopConsumer());
    }

    private FailurePolicy then(FailureAction action) {
        return new RetryPolicy(attempts, within, firstDelay, longestDelay, action);
    }

    @Override
    public FailureAction onFailure(RecordFailure failure) {
        if (attemptLimit() != NO_LIMIT && failure.attempts() >= attemptLimit()) {
            return then;
        }
        Duration delay = delayAfter(failure);
        if (within != null && failure.sinceFirstAttempt().compareTo(within.minus(delay)) > 0) {
            return then;
        }
        return FailureAction.retryAfter(delay);
    }

    private int attemptLimit() {
        return attempts == NO_LIMIT && within == null ? DEFAULT_ATTEMPTS : attempts;
    }

    private Duration delayAfter(RecordFailure failure) {
        double doubled = Time.saturatedNanos(firstDelay) * Math.pow(2, failure.attempts() - 1.0);
        double delay = Math.min(doubled, Time.saturatedNanos(longestDelay));
        return Duration.ofNanos((long) (delay * (1 + SPREAD * spread(failure))));
    }

    /** From -1 to 1, always the same for a record and an attempt. */
    private static double spread(RecordFailure failure) {
        TopicPartition topicPartition = failure.topicPartition();
        long seed =
                31 * (31 * (31L * topicPartition.topic().hashCode() + topicPartition.partition()) + failure.offset())
                        + failure.attempts();
        // Neighbouring numbers are to give spreads that have nothing in common: the finisher of SplitMix64.
        long mixed = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        mixed ^= mixed >>> 31;
        return (mixed >> 11) * 0x1p-52;
    }

    @Override
    public String toString() {
        StringBuilder sentence = new StringBuilder("retry");
        if (attemptLimit() != NO_LIMIT) {
            sentence.append(", ").append(attemptLimit()).append(" attempts");
        }
        if (within != null) {
            sentence.append(", within ").append(within);
        }
        sentence.append(", backing off from ").append(firstDelay).append(" to ").append(longestDelay);
        return sentence.append(", then ").append(Always.words(then)).toString();
    }
}
