package dev.offsets.kafka.simulation;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** What had finished when a partition was revoked is stored when it is gone, unless a commit failed meanwhile. */
final class GivenUpCleanly extends Checker {
    private final Map<String, Map<TopicPartition, Long>> due = new HashMap<>();

    @Override
    void revoking(SimulatedClient client, Collection<TopicPartition> partitions) {
        if (simulation.isClosing(client.process)) {
            return; // the library has ended everything before it closes the client
        }
        Map<TopicPartition, Long> committable = new HashMap<>();
        for (TopicPartition partition : partitions) {
            View view = view(client.process, partition);
            long offset = view.committable();
            if (view.finished.stream().anyMatch(finished -> finished < offset)) {
                committable.put(partition, offset);
            }
        }
        due.put(client.process, committable);
    }

    @Override
    void answered(SimulatedClient client, Commit commit) {
        if (commit.failure != null) {
            due.remove(client.process);
        }
    }

    @Override
    void gone(SimulatedClient client, Collection<TopicPartition> partitions) {
        Map<TopicPartition, Long> promised = due.remove(client.process);
        if (promised != null) {
            promised.forEach((partition, offset) -> {
                View view = view(client.process, partition);
                Long lastStored = simulation.checkers.views.lastStored(client.process, partition);
                // More may have finished while the library waited: it compared some offset in between
                boolean knownBefore = lastStored != null && lastStored >= offset && lastStored <= view.committable();
                if (view.highestStored < offset && !knownBefore) {
                    violated(client.process + " gave up " + partition + " with " + offset + " committable and "
                            + view.highestStored + " stored");
                }
            });
        }
    }
}
