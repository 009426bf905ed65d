package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Partitions that a policy has stopped, for the loop thread to stop fetching. Any thread adds. */
final class PartitionStops {
    private static final Logger log = LoggerFactory.getLogger(PartitionStops.class);

    private record Stop(TopicPartition topicPartition, long offset, OffsetTracker incarnation, Throwable cause) {}

    private final Backpressure backpressure;
    private final Events events;
    private final Queue<Stop> reported = new ConcurrentLinkedQueue<>();

    PartitionStops(Backpressure backpressure, Events events) {
        this.backpressure = backpressure;
        this.events = events;
    }

    void add(TopicPartition topicPartition, long offset, OffsetTracker incarnation, Throwable cause) {
        reported.add(new Stop(topicPartition, offset, incarnation, cause));
    }

    /** Loop thread. */
    void apply() {
        for (Stop stop = reported.poll(); stop != null; stop = reported.poll()) {
            if (!stop.incarnation.hasEnded() && backpressure.stop(stop.topicPartition, stop.incarnation)) {
                log.error(
                        "{} is stopped, since {}@{} failed: nothing more of it is started or fetched, nothing at or above"
                                + " this offset is committed",
                        stop.topicPartition,
                        stop.topicPartition,
                        stop.offset,
                        stop.cause);
                events.partitionStopped(stop.topicPartition, stop.offset, stop.cause);
            }
        }
    }
}
