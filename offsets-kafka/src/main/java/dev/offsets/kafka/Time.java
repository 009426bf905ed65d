package dev.offsets.kafka;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** The clock and the way to wait on it, so that tests can bring their own. */
interface Time {
    Time SYSTEM = new Time() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(nanos);
        }

        @Override
        public double random() {
            return ThreadLocalRandom.current().nextDouble();
        }
    };

    /** Monotonic time in nanoseconds. */
    long nanoTime();

    /** The time of day, in milliseconds since the epoch: to compare with timestamps, and to be shown. Nothing is timed by it. */
    default long wallClockMillis() {
        return System.currentTimeMillis();
    }

    /** Waits about that long; returns at once when the thread is interrupted. */
    void park(long nanos);

    /** A random number from 0 to 1, to spread out what would otherwise happen to many at once. */
    double random();

    /** A duration in nanoseconds; those that don't fit are as long as a {@code long} allows. */
    static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** A moment and a duration from it, both in nanoseconds, as a deadline that is never past because of an overflow. */
    record Deadline(Time time, long startNanos, long lengthNanos) {
        static Deadline in(Time time, Duration duration) {
            return new Deadline(time, time.nanoTime(), Math.max(0, saturatedNanos(duration)));
        }

        Deadline shortenedBy(long nanos) {
            return new Deadline(time, startNanos, Math.max(0, lengthNanos - nanos));
        }

        long remainingNanos() {
            return Math.max(0, lengthNanos - (time.nanoTime() - startNanos));
        }

        /** A deadline after one of so many parts of what is left. */
        Deadline dividedBy(int parts) {
            return new Deadline(time, time.nanoTime(), remainingNanos() / parts);
        }

        Duration remaining() {
            return Duration.ofNanos(remainingNanos());
        }

        boolean isPast() {
            return remainingNanos() == 0;
        }
    }
}
