package dev.offsets;

/** A hash of numbers that is the same everywhere and always: it is stored with the commits. */
final class Mixing {
    private static final long FIRST_FACTOR = 0xbf58476d1ce4e5b9L;
    private static final long SECOND_FACTOR = 0x94d049bb133111ebL;
    private static final long INCREMENT = 0x9e3779b97f4a7c15L;

    private Mixing() {}

    static long mix(long first, long second) {
        return mix(mix(first + INCREMENT) + second + INCREMENT);
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * FIRST_FACTOR;
        mixed = (mixed ^ mixed >>> 27) * SECOND_FACTOR;
        return mixed ^ mixed >>> 31;
    }
}
