package dev.offsets.kafka;

import dev.offsets.kafka.Time.Deadline;
import java.util.Collection;

/** Waits, bounded, for the work that runs on partitions which are about to be given up. Belongs to the loop thread. */
final class Draining {
    private static final long PAUSE_NANOS = 1_000_000;

    private boolean explicitStarts;
    private final Time time;

    Draining(boolean explicitStarts, Time time) {
        this.explicitStarts = explicitStarts;
        this.time = time;
    }

    /** From now on, and before anything was delivered: records are started explicitly. */
    void startsAreExplicit() {
        explicitStarts = true;
    }

    /** Lets nothing more be started where starts are explicit, and answers how many records are being worked on. */
    long begin(Collection<OwnedPartition> partitions) {
        if (explicitStarts) {
            for (OwnedPartition partition : partitions) {
                if (partition.tracker() != null) {
                    partition.tracker().refuseStarts();
                }
            }
        }
        return running(partitions);
    }

    long running(Collection<OwnedPartition> partitions) {
        long running = 0;
        for (OwnedPartition partition : partitions) {
            running += partition.recordsRunning(explicitStarts);
        }
        return running;
    }

    /** Waits without polling, as it must be inside a rebalance callback. An interrupt ends the wait and stays set. */
    void awaitWithoutPolling(Collection<OwnedPartition> partitions, Deadline deadline) {
        while (running(partitions) > 0
                && !deadline.isPast()
                && !Thread.currentThread().isInterrupted()) {
            time.park(Math.min(PAUSE_NANOS, deadline.remainingNanos()));
        }
    }
}
