package dev.offsets.kafka;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A clock that moves only when somebody waits on it, and runs what was scheduled when its moment comes. It begins shortly
 * before the nanoseconds overflow, as {@link System#nanoTime} may.
 */
final class VirtualTime implements Time {
    private static final long START_NANOS =
            Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();

    private record Scheduled(long atNanos, long number, Runnable action) {}

    private final PriorityQueue<Scheduled> scheduled =
            new PriorityQueue<>(Comparator.comparingLong(Scheduled::atNanos).thenComparingLong(Scheduled::number));
    private long elapsedNanos;
    private long nanosPerReading;
    private long schedules;
    private int readingsUntilAction;
    private Runnable actionAtReading;

    @Override
    public long nanoTime() {
        if (actionAtReading != null && --readingsUntilAction == 0) {
            Runnable action = actionAtReading;
            actionAtReading = null;
            action.run();
        }
        elapsedNanos += nanosPerReading;
        return START_NANOS + elapsedNanos;
    }

    /** From now on the machine is busy: between two readings of the clock so much time passes. */
    void eachReadingTakes(Duration duration) {
        nanosPerReading = duration.toNanos();
    }

    /** The epoch was when this clock began. */
    @Override
    public long wallClockMillis() {
        return elapsed().toMillis();
    }

    /** As the real one: returns at once when the thread is interrupted. */
    @Override
    public void park(long nanos) {
        if (!Thread.currentThread().isInterrupted()) {
            advance(Duration.ofNanos(nanos));
        }
    }

    /** No jitter. */
    @Override
    public double random() {
        return 0;
    }

    Duration elapsed() {
        return Duration.ofNanos(elapsedNanos);
    }

    /** Runs an action when so much time has passed from now: what a worker does meanwhile. */
    void after(Duration delay, Runnable action) {
        scheduled.add(new Scheduled(elapsedNanos + delay.toNanos(), schedules++, action));
    }

    /** Runs an action when this clock is read so many times from now: what happens elsewhere at that very moment. */
    void atReading(int number, Runnable action) {
        readingsUntilAction = number;
        actionAtReading = action;
    }

    void advance(Duration duration) {
        long endNanos = elapsedNanos + duration.toNanos();
        while (!scheduled.isEmpty() && scheduled.peek().atNanos <= endNanos) {
            Scheduled next = scheduled.remove();
            elapsedNanos = Math.max(elapsedNanos, next.atNanos);
            next.action.run();
        }
        elapsedNanos = Math.max(elapsedNanos, endNanos);
    }
}
