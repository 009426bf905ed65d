package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses each partition that holds as many records as allowed, and all that hold any while they together hold as many as
 * allowed; resumes them when they hold fewer. Pauses partitions that a failure has stopped. Keeps what the user has paused
 * apart from that. Belongs to the loop thread, but for {@link #pausedByUser} and
 * {@link #pausedByUs}.
 */
/*
 * Both kinds of pauses go when the partition leaves, as Kafka's do. Before acting, ours are compared with what the Kafka
 * consumer says is paused.
 */
final class Backpressure {
    private static final Logger log = LoggerFactory.getLogger(Backpressure.class);

    private final Consumer<?, ?> consumer;
    private final Ownership ownership;
    private final int maxInFlightPerPartition;
    private final int maxInFlight;
    private final Set<TopicPartition> pausedByUser = new HashSet<>();
    private final Set<TopicPartition> pausedByUs = new HashSet<>();
    private final Map<TopicPartition, OffsetTracker> stoppedIn = new HashMap<>();

    /** A copy of what the user has paused, for other threads. */
    private volatile Set<TopicPartition> published = Set.of();

    /** How many partitions are not fetched for reasons of ours, for other threads. */
    private volatile int pausedByUsNow;

    private boolean closing;

    Backpressure(Consumer<?, ?> consumer, Ownership ownership, TrackedConsumerBuilder<?, ?> settings) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.maxInFlightPerPartition = settings.maxInFlightPerPartition;
        this.maxInFlight = settings.maxInFlight;
    }

    /**
     * To be called after the trackers have advanced and before polling.
     *
     * @param waiting what else is not to be fetched now
     */
    void apply(Set<TopicPartition> waiting) {
        Set<TopicPartition> toHold = partitionsToHold();
        toHold.addAll(waiting);
        if (toHold.isEmpty() && pausedByUs.isEmpty()) {
            return;
        }
        Set<TopicPartition> assigned = consumer.assignment();
        List<TopicPartition> freed = new ArrayList<>(pausedByUs);
        freed.removeIf(partition ->
                toHold.contains(partition) || pausedByUser.contains(partition) || !assigned.contains(partition));
        if (!freed.isEmpty()) {
            consumer.resume(freed);
            log.debug("Resumed: {}", freed);
        }
        pausedByUs.retainAll(toHold);
        pausedByUs.addAll(toHold); // also should the call that pauses them be cut short
        pausedByUsNow = pausedByUs.size();
        if (!toHold.isEmpty()) {
            List<TopicPartition> toPause = new ArrayList<>(toHold);
            toPause.removeAll(consumer.paused());
            toPause.retainAll(assigned);
            if (!toPause.isEmpty()) {
                consumer.pause(toPause);
                log.debug("Paused, since they hold as many records as allowed, were stopped, or wait: {}", toPause);
            }
        }
    }

    private Set<TopicPartition> partitionsToHold() {
        stoppedIn.values().removeIf(OffsetTracker::hasEnded);
        long heldByAll = 0;
        for (OwnedPartition partition : ownership.all()) {
            // What a stopped one holds would never become less: it must not stop the others.
            heldByAll += stoppedIn.containsKey(partition.topicPartition) ? 0 : partition.recordsHeld();
        }
        Set<TopicPartition> toHold = new HashSet<>(stoppedIn.keySet());
        for (OwnedPartition partition : ownership.all()) {
            long held = partition.recordsHeld();
            if (held >= maxInFlightPerPartition || (held > 0 && heldByAll >= maxInFlight)) {
                toHold.add(partition.topicPartition);
            }
        }
        return toHold;
    }

    /** Fetches nothing of a partition any more in an incarnation. Answers whether it did until now. */
    boolean stop(TopicPartition partition, OffsetTracker incarnation) {
        return stoppedIn.put(partition, incarnation) != incarnation;
    }

    boolean isStopped(TopicPartition partition) {
        OffsetTracker incarnation = stoppedIn.get(partition);
        return incarnation != null && !incarnation.hasEnded();
    }

    void pause(Collection<TopicPartition> partitions) {
        consumer.pause(partitions);
        pausedByUser.addAll(partitions);
        publish();
    }

    void resume(Collection<TopicPartition> partitions) {
        Set<TopicPartition> resumed = new HashSet<>(partitions);
        resumed.removeAll(pausedByUs);
        consumer.resume(resumed);
        pausedByUser.removeAll(partitions);
        publish();
    }

    private void publish() {
        published = Set.copyOf(pausedByUser);
    }

    /** What the user has paused. Any thread. */
    Set<TopicPartition> pausedByUser() {
        return published;
    }

    /** How many partitions are not fetched since they hold too much, were stopped, or wait. Any thread. */
    int pausedByUs() {
        return pausedByUsNow;
    }

    boolean isPausedByUser(TopicPartition partition) {
        return pausedByUser.contains(partition);
    }

    /** Nothing is to be delivered any more: pauses everything, what will be assigned from now on included. */
    void pauseForClose() {
        closing = true;
        consumer.pause(consumer.assignment());
    }

    void assigned(Collection<TopicPartition> partitions) {
        if (closing) {
            consumer.pause(partitions);
        }
    }

    void gone(Collection<TopicPartition> partitions) {
        pausedByUser.removeAll(partitions);
        pausedByUs.removeAll(partitions);
        pausedByUsNow = pausedByUs.size();
        partitions.forEach(stoppedIn::remove);
        publish();
    }
}
