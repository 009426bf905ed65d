package dev.offsets.kafka.simulation;

import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * The simulated clock and everything that is to happen. Whoever waits lets time pass, and with it runs what is due, so
 * that the moves of all actors interleave on one thread. A move that begins inside another's wait ends before that wait
 * does; by how much such waits were late is counted, to be allowed for where a bound is checked.
 */
final class VirtualTime {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Event> agenda = new PriorityQueue<>();
    private final Runnable afterEach;
    private long nowNanos = SECOND;
    private long scheduled;
    private long lateNanos;

    VirtualTime(Runnable afterEach) {
        this.afterEach = afterEach;
    }

    long now() {
        return nowNanos;
    }

    /** How much later than they should have all waits together have ended. */
    long late() {
        return lateNanos;
    }

    void in(long nanos, Runnable action) {
        agenda.add(new Event(nowNanos + nanos, scheduled++, action));
    }

    /** A call that takes a moment, in which nothing else happens. */
    void tick() {
        nowNanos += 1_000;
    }

    /** Lets time pass until a moment, or until something is so. */
    void passUntil(long moment, BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            Event next = agenda.peek();
            if (next == null || next.at > moment) {
                nowNanos = Math.max(nowNanos, moment);
                break;
            }
            agenda.poll();
            nowNanos = Math.max(nowNanos, next.at);
            next.action.run();
            afterEach.run();
        }
        lateNanos += Math.max(0, nowNanos - moment);
    }

    void pass(long nanos) {
        passUntil(nanos > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + nanos, () -> false);
    }
}
