package dev.offsets.kafka;

import java.util.function.Supplier;

/**
 * The newest glance, renewed by whoever wants one when it is a second old: so that somebody who reads a hundred metrics takes
 * one. Any thread.
 */
final class Glances {
    private static final long LONGEST_AGE_NANOS = 1_000_000_000;

    private record Taken(Glance glance, Object partitions, long atNanos) {}

    private final Supplier<Glance> take;
    private final Supplier<?> partitions;
    private final Time time;
    private volatile Taken newest;

    /** @param partitions another object after each change of what is owned */
    Glances(Supplier<Glance> take, Supplier<?> partitions, Time time) {
        this.take = take;
        this.partitions = partitions;
        this.time = time;
    }

    Glance newest() {
        Taken last = newest;
        Object present = partitions.get();
        if (last == null || last.partitions != present || time.nanoTime() - last.atNanos >= LONGEST_AGE_NANOS) {
            last = new Taken(take.get(), present, time.nanoTime());
            newest = last;
        }
        return last.glance;
    }
}
