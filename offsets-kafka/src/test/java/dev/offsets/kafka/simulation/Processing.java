package dev.offsets.kafka.simulation;

import dev.offsets.kafka.FailurePolicy;
import dev.offsets.kafka.RecordProcessorBuilder;
import dev.offsets.kafka.RetryPolicy;
import java.time.Duration;

/**
 * How the users of one run have a processor work for them; drawn from the seed.
 *
 * @param atOnce whether a handler is done when it returns, rather than when its stage completes
 * @param maxBatch how many records a handler gets at most; zero where it gets them one by one
 * @param onLoopThread whether the executor runs what it is given on the calling thread
 */
record Processing(
        Order order,
        boolean atOnce,
        int maxBatch,
        int maxConcurrency,
        boolean onLoopThread,
        int attempts,
        Duration firstBackoff,
        Then then) {
    enum Order {
        NONE,
        KEY,
        PARTITION
    }

    /** What comes of a record whose attempts have all failed. */
    enum Then {
        SKIP,
        STOP_PARTITION,
        STOP_CONSUMER
    }

    /** Null where users report what their workers do themselves. */
    static Processing drawnFrom(Chance chance) {
        if (!chance.perMille(400)) {
            return null;
        }
        return new Processing(
                chance.pick(Order.NONE, Order.KEY, Order.KEY, Order.PARTITION),
                chance.perMille(200),
                chance.pick(0, 0, 1, 3, 10),
                chance.pick(1, 2, 5, 50),
                chance.perMille(300),
                chance.between(1, 4),
                Duration.ofMillis(chance.pick(1, 30, 300)),
                chance.pick(Then.values()));
    }

    /** What the records that are worked on one after another have in common; null for a record without an order. */
    Object orderOf(Entry entry) {
        return switch (order) {
            case NONE -> null;
            case KEY -> entry.key();
            case PARTITION -> "the partition";
        };
    }

    void order(RecordProcessorBuilder<Long, Entry> builder) {
        switch (order) {
            case NONE -> builder.unordered();
            case KEY -> builder.orderedByKey();
            case PARTITION -> builder.orderedByPartition();
        }
    }

    FailurePolicy failurePolicy() {
        RetryPolicy retry =
                FailurePolicy.retry().attempts(attempts).backoff(firstBackoff, firstBackoff.multipliedBy(4));
        return switch (then) {
            case SKIP -> retry.thenSkip("given up");
            case STOP_PARTITION -> retry.thenStopPartition();
            case STOP_CONSUMER -> retry.thenStopConsumer();
        };
    }

    @Override
    public String toString() {
        return "processor of " + maxConcurrency + (onLoopThread ? " on the loop thread" : "") + ", order " + order
                + (maxBatch > 0 ? ", batches of " + maxBatch : "") + (atOnce ? ", done at once" : "") + ", " + attempts
                + " attempts from " + firstBackoff + ", then " + then;
    }
}
