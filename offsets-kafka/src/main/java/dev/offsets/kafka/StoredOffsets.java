package dev.offsets.kafka;

import dev.offsets.kafka.Time.Deadline;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /**
     * Asked for with the others, so that the request is never the same as the Kafka consumer's own. The KIP-848 consumer
     * joins requests for the same partitions, and loses one of them when they fail (KAFKA-20765): were that its own, which
     * follows ours, the partitions would never be read.
     */
    private static final int NO_PARTITION = Integer.MAX_VALUE;

    private final Consumer<?, ?> consumer;
    private final boolean resetPassesOverRecords;
    private final Wakeups wakeups;

    /** @param resetPassesOverRecords see {@link StoredOffset#nothingIsStored} */
    StoredOffsets(Consumer<?, ?> consumer, Wakeups wakeups, boolean resetPassesOverRecords) {
        this.consumer = consumer;
        this.wakeups = wakeups;
        this.resetPassesOverRecords = resetPassesOverRecords;
    }

    void find(List<OwnedPartition> partitions, Deadline deadline) {
        if (partitions.isEmpty()) {
            return;
        }
        Set<TopicPartition> topicPartitions =
                partitions.stream().map(partition -> partition.topicPartition).collect(Collectors.toSet());
        read(topicPartitions, deadline).ifPresent(stored -> {
            for (OwnedPartition partition : partitions) {
                OffsetAndMetadata offset = stored.get(partition.topicPartition);
                if (offset != null) {
                    partition.storedIs(offset);
                } else {
                    partition.nothingIsStored(resetPassesOverRecords);
                }
            }
        });
    }

    /** What is stored; empty if that could not be read in time: consuming goes on without knowing, and commits to know. */
    private Optional<Map<TopicPartition, OffsetAndMetadata>> read(Set<TopicPartition> partitions, Deadline deadline) {
        Set<TopicPartition> asked = new HashSet<>(partitions);
        asked.add(new TopicPartition(partitions.iterator().next().topic(), NO_PARTITION));
        do {
            try {
                return Optional.of(consumer.committed(asked, deadline.remaining()));
            } catch (WakeupException e) {
                wakeups.missed(); // meant for poll
            } catch (RuntimeException e) {
                log.warn("What is stored for {} could not be read; consuming goes on without knowing", partitions, e);
                break;
            }
        } while (!deadline.isPast());
        return Optional.empty();
    }
}
