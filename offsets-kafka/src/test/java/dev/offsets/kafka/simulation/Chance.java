package dev.offsets.kafka.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** One actor's dice. Each has its own, so that what one of them does not do changes little for the others. */
final class Chance {
    private final SplittableRandom random;

    Chance(long seed, String actor) {
        random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + actor.hashCode());
        random.nextLong();
    }

    /** True so many times out of a thousand. */
    boolean perMille(int times) {
        return random.nextInt(1_000) < times;
    }

    /** From one number to another, both included. */
    int between(int from, int to) {
        return random.nextInt(from, to + 1);
    }

    long nanos(long from, long to) {
        return random.nextLong(from, to + 1);
    }

    /** Milliseconds between two numbers, as nanoseconds. */
    long millis(long from, long to) {
        return random.nextLong(from * VirtualTime.MILLI, to * VirtualTime.MILLI + 1);
    }

    double fraction() {
        return random.nextDouble();
    }

    <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    @SafeVarargs
    final <T> T pick(T... options) {
        return options[random.nextInt(options.length)];
    }
}
