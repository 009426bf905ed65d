package dev.offsets.kafka;

import java.time.Duration;

/** How long to leave something alone that has failed: longer each time, and never quite the same. For one thread. */
final class Backoff {
    private static final long FIRST_NANOS = Duration.ofMillis(100).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int DOUBLED_AT_MOST = 7;

    private final Time time;
    private int failures;
    private long notBeforeNanos;

    Backoff(Time time) {
        this.time = time;
    }

    void failed() {
        long doubled = Math.min(FIRST_NANOS << Math.min(failures, DOUBLED_AT_MOST), LONGEST_NANOS);
        // Up to a fifth less, so that many consumers that failed together don't come back together.
        notBeforeNanos = time.nanoTime() + doubled - (long) (doubled / 5 * time.random());
        failures++;
    }

    /** Answers how many failures in a row this success has ended. */
    int succeeded() {
        int ended = failures;
        failures = 0;
        return ended;
    }

    /** Zero or less: go ahead. */
    long nanosLeft() {
        return failures == 0 ? 0 : notBeforeNanos - time.nanoTime();
    }

    int failures() {
        return failures;
    }
}
