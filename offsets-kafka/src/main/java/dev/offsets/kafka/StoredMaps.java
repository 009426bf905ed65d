package dev.offsets.kafka;

import dev.offsets.DecodedResumeMap;
import dev.offsets.ResumeMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** Reads, from outside of the consumers, the resume maps that a group has stored with its offsets. Nothing blocks. */
final class StoredMaps {
    private final Admin admin;

    StoredMaps(Admin admin) {
        this.admin = admin;
    }

    /**
     * How many records above the committed offset have finished. Partitions whose offset has no resume map, or none for the
     * topic of this name, are missing from it.
     */
    CompletableFuture<Map<TopicPartition, Long>> finished(Map<TopicPartition, OffsetAndMetadata> committed) {
        Map<TopicPartition, OffsetAndMetadata> annotated = new HashMap<>(committed);
        annotated
                .values()
                .removeIf(offset -> offset == null || offset.metadata().isEmpty());
        if (annotated.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        Set<String> topics =
                annotated.keySet().stream().map(TopicPartition::topic).collect(Collectors.toSet());
        return TopicIds.of(admin).ask(topics).thenApply(ids -> finished(annotated, ids));
    }

    private static Map<TopicPartition, Long> finished(
            Map<TopicPartition, OffsetAndMetadata> annotated, Map<String, Uuid> ids) {
        Map<TopicPartition, Long> finished = new HashMap<>();
        annotated.forEach((partition, offset) -> {
            Uuid id = ids.get(partition.topic());
            if (id != null) {
                DecodedResumeMap decoded = ResumeMap.decode(
                        offset.metadata(), Resumption.logId(id, partition.partition()), offset.offset());
                if (decoded.outcome() == DecodedResumeMap.Outcome.INTACT) {
                    finished.put(partition, decoded.map().finishedRecords());
                }
            }
        });
        return finished;
    }
}
