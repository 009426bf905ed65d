package dev.offsets.kafka.simulation;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** One commit request on its way. */
final class Commit {
    final Map<TopicPartition, OffsetAndMetadata> offsets;
    final boolean sync;
    final long calledAt;
    boolean answered;
    RuntimeException failure;

    Commit(Map<TopicPartition, OffsetAndMetadata> offsets, boolean sync, long calledAt) {
        this.offsets = new LinkedHashMap<>(offsets);
        this.sync = sync;
        this.calledAt = calledAt;
    }
}
