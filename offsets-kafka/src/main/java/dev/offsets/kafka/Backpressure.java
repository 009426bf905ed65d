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
 * allowed; resumes them when they hold fewer. Keeps what the user has paused apart from that. Belongs to the loop thread.
 */
/*
 * A pause of ours is a flag of the owned partition and goes with it. A pause of the user's is kept as long as Kafka keeps
 * one: it goes when the partition leaves. Before acting, both are compared with what the Kafka consumer says is paused.
 */
final class Backpressure {
    private static final Logger log = LoggerFactory.getLogger(Backpressure.class);

    private final Consumer<?, ?> consumer;
    private final Ownership ownership;
    private final int maxInFlightPerPartition;
    private final int maxInFlight;
    private final Set<TopicPartition> pausedByUser = new HashSet<>();
    private boolean closing;

    Backpressure(Consumer<?, ?> consumer, Ownership ownership, TrackedConsumerBuilder<?, ?> settings) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.maxInFlightPerPartition = settings.maxInFlightPerPartition;
        this.maxInFlight = settings.maxInFlight;
    }

    /** To be called after the trackers have advanced and before polling. */
    void apply() {
        List<TopicPartition> over = new ArrayList<>();
        List<TopicPartition> freed = new ArrayList<>();
        long heldByAll = 0;
        for (OwnedPartition partition : ownership.all()) {
            heldByAll += partition.recordsHeld();
        }
        for (OwnedPartition partition : ownership.all()) {
            long held = partition.recordsHeld();
            if (held >= maxInFlightPerPartition || (held > 0 && heldByAll >= maxInFlight)) {
                over.add(partition.topicPartition);
                if (!partition.isPausedByBound()) {
                    partition.setPausedByBound(true);
                    log.debug(
                            "{} paused: it holds {} records, the lowest incomplete one at {}",
                            partition.topicPartition,
                            partition.recordsHeld(),
                            partition.tracker().committableOffset());
                }
            } else if (partition.isPausedByBound()) {
                partition.setPausedByBound(false);
                if (!pausedByUser.contains(partition.topicPartition)) {
                    freed.add(partition.topicPartition);
                }
                log.debug("{} resumed", partition.topicPartition);
            }
        }
        if (!over.isEmpty()) {
            over.removeAll(consumer.paused());
            over.retainAll(consumer.assignment());
            consumer.pause(over);
        }
        if (!freed.isEmpty()) {
            freed.retainAll(consumer.assignment());
            consumer.resume(freed);
        }
    }

    void pause(Collection<TopicPartition> partitions) {
        consumer.pause(partitions);
        pausedByUser.addAll(partitions);
    }

    void resume(Collection<TopicPartition> partitions) {
        Set<TopicPartition> resumed = new HashSet<>(partitions);
        for (OwnedPartition partition : ownership.among(partitions)) {
            if (partition.isPausedByBound()) {
                resumed.remove(partition.topicPartition);
            }
        }
        consumer.resume(resumed);
        pausedByUser.removeAll(partitions);
    }

    Set<TopicPartition> pausedByUser() {
        return Set.copyOf(pausedByUser);
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
    }
}
