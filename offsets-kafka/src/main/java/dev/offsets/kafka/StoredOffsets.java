package dev.offsets.kafka;

import dev.offsets.kafka.Time.Deadline;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the broker, when partitions are assigned, what the group has stored for them. For the loop thread. */
final class StoredOffsets {
    private static final Logger log = LoggerFactory.getLogger(StoredOffsets.class);

    private final Consumer<?, ?> consumer;
    private final boolean storeWhereConsumingBegins;
    private final Wakeups wakeups;

    /**
     * @param storeWhereConsumingBegins whether the reset policy begins later the later it is applied: then a partition
     *     without a stored offset gets one at once, or the next owner would pass over what came in between
     */
    StoredOffsets(Consumer<?, ?> consumer, Wakeups wakeups, boolean storeWhereConsumingBegins) {
        this.consumer = consumer;
        this.wakeups = wakeups;
        this.storeWhereConsumingBegins = storeWhereConsumingBegins;
    }

    void find(List<OwnedPartition> partitions, Deadline deadline) {
        if (partitions.isEmpty()) {
            return;
        }
        Set<TopicPartition> topicPartitions =
                partitions.stream().map(partition -> partition.topicPartition).collect(Collectors.toSet());
        Map<TopicPartition, OffsetAndMetadata> stored = read(topicPartitions, deadline);
        for (OwnedPartition partition : partitions) {
            OffsetAndMetadata offset = stored.get(partition.topicPartition);
            if (offset != null) {
                partition.storedIs(offset);
            } else if (storeWhereConsumingBegins) {
                partition.storeWhereConsumingBegins();
            }
        }
    }

    /** What is stored; empty if that could not be read in time: consuming goes on without knowing. */
    private Map<TopicPartition, OffsetAndMetadata> read(Set<TopicPartition> partitions, Deadline deadline) {
        do {
            try {
                return consumer.committed(partitions, deadline.remaining());
            } catch (WakeupException e) {
                wakeups.missed(); // meant for poll
            } catch (RuntimeException e) {
                log.warn("What is stored for {} could not be read; consuming goes on without knowing", partitions, e);
                break;
            }
        } while (!deadline.isPast());
        return Map.of();
    }
}
