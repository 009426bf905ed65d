package dev.offsets.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses each partition that holds as many records as allowed, and all that hold any while they together hold as many as
 * allowed; resumes them when they hold fewer. Keeps what the user has paused apart from that. Belongs to the loop thread, but for
 * {@link #pausedByUser}.
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
    private final Set<TopicPartition> pausedByBound = new HashSet<>();

    /** A copy of what the user has paused, for other threads. */
    private volatile Set<TopicPartition> published = Set.of();

    private boolean closing;

    Backpressure(Consumer<?, ?> consumer, Ownership ownership, TrackedConsumerBuilder<?, ?> settings) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.maxInFlightPerPartition = settings.maxInFlightPerPartition;
        this.maxInFlight = settings.maxInFlight;
    }

    /** To be called after the trackers have advanced and before polling. */
    void apply() {
        Set<TopicPartition> atBound = partitionsAtBound();
        if (atBound.isEmpty() && pausedByBound.isEmpty()) {
            return;
        }
        Set<TopicPartition> assigned = consumer.assignment();
        List<TopicPartition> freed = new ArrayList<>(pausedByBound);
        freed.removeIf(partition ->
                atBound.contains(partition) || pausedByUser.contains(partition) || !assigned.contains(partition));
        if (!freed.isEmpty()) {
            consumer.resume(freed);
            log.debug("Resumed: {}", freed);
        }
        pausedByBound.retainAll(atBound);
        if (!atBound.isEmpty()) {
            // Ours from now on, also should the call that pauses them be cut short.
            pausedByBound.addAll(atBound);
            List<TopicPartition> toPause = new ArrayList<>(atBound);
            toPause.removeAll(consumer.paused());
            toPause.retainAll(assigned);
            if (!toPause.isEmpty()) {
                consumer.pause(toPause);
                log.debug("Paused, since they hold as many records as allowed: {}", toPause);
            }
        }
    }

    private Set<TopicPartition> partitionsAtBound() {
        long heldByAll = 0;
        for (OwnedPartition partition : ownership.all()) {
            heldByAll += partition.recordsHeld();
        }
        Set<TopicPartition> atBound = new HashSet<>();
        for (OwnedPartition partition : ownership.all()) {
            long held = partition.recordsHeld();
            if (held >= maxInFlightPerPartition || (held > 0 && heldByAll >= maxInFlight)) {
                atBound.add(partition.topicPartition);
            }
        }
        return atBound;
    }

    void pause(Collection<TopicPartition> partitions) {
        consumer.pause(partitions);
        pausedByUser.addAll(partitions);
        publish();
    }

    void resume(Collection<TopicPartition> partitions) {
        Set<TopicPartition> resumed = new HashSet<>(partitions);
        resumed.removeAll(pausedByBound);
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
        pausedByBound.removeAll(partitions);
        publish();
    }
}
