package dev.offsets.examples.demo;

import java.util.List;

/** A consumer's poll loop, run by one thread until another stops it. */
interface ConsumerLoop {
    /** Polls, hands out work and commits until {@link #stop}; then waits for the work that runs. */
    void run() throws Exception;

    /** Makes {@link #run} end; any thread. */
    void stop();

    /** Where each partition stands, as far as the loop knows; any thread. */
    List<PartitionStatus> status();
}
