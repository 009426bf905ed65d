package dev.offsets.benchmarks.pools;

/** A contender at work. */
interface Pool {
    /** Finishes what has begun, commits it, and stops. */
    void stop() throws InterruptedException;
}
