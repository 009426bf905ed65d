package dev.offsets.kafka.integration;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.Assertions;

/** Waits for a condition, bounded. */
final class Await {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final long BETWEEN_LOOKS_NANOS = Duration.ofMillis(2).toNanos();

    private Await() {}

    /** Waits until a condition that others bring about holds. */
    static void until(String condition, Callable<Boolean> holds) throws Exception {
        until(condition, () -> LockSupport.parkNanos(BETWEEN_LOOKS_NANOS), holds);
    }

    /** Does something again and again, until a condition holds. */
    static void until(String condition, Runnable turn, Callable<Boolean> holds) throws Exception {
        until(condition, BOUND, turn, holds);
    }

    /** The same with a bound of its own, for what takes its time. */
    static void until(String condition, Duration bound, Runnable turn, Callable<Boolean> holds) throws Exception {
        long start = System.nanoTime();
        while (!holds.call()) {
            if (System.nanoTime() - start > bound.toNanos()) {
                Assertions.fail("not within %s: %s", bound, condition);
            }
            turn.run();
        }
    }
}
