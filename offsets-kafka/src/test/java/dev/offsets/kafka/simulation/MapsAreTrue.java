package dev.offsets.kafka.simulation;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Whatever a stored resume map says of the log that it is bound to is so. There is no excuse. */
final class MapsAreTrue extends Checker {
    @Override
    void stored(String process, TopicPartition partition, OffsetAndMetadata offset) {
        check(simulation.log(partition));
    }

    @Override
    void logChanged(SimulatedLog log) {
        check(log);
    }

    private void check(SimulatedLog log) {
        OffsetAndMetadata stored = simulation.group.stored(log.topicPartition);
        if (stored == null || stored.metadata().isEmpty()) {
            return;
        }
        for (Entry entry : Maps.named(log, Maps.decode(log, stored))) {
            if (!entry.finished) {
                violated("stored is " + log.topicPartition + " " + Trace.show(stored)
                        + " with a map, and nobody has finished " + entry);
            }
        }
    }
}
