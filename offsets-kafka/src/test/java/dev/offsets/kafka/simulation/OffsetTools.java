package dev.offsets.kafka.simulation;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** What administrators do to offsets while nobody is in the group: never forwards, or they would lose records. */
final class OffsetTools {
    private OffsetTools() {}

    static void maybeUse(Simulation simulation, Chance chance) {
        boolean alone = simulation.users().stream()
                .allMatch(user -> user.client() == null
                        || user.client().isClosed()
                        || user.client().isCrashed());
        if (!alone || !simulation.happens(Feature.OFFSET_TOOLS) || !chance.perMille(300)) {
            return;
        }
        TopicPartition partition = chance.pick(simulation.settings.partitions);
        OffsetAndMetadata stored = simulation.group.stored(partition);
        if (stored == null) {
            return;
        }
        SimulatedLog log = simulation.log(partition);
        long offset = Math.max(0, stored.offset() - chance.between(0, 5));
        Optional<Integer> epoch = offset == stored.offset() ? stored.leaderEpoch() : Optional.empty();
        if (epoch.isEmpty()) {
            log.readWithoutEpoch(offset, null);
        }
        String metadata = chance.perMille(700) ? stored.metadata() : "";
        simulation.trace.add(() -> "  a tool moves what is stored for " + partition + " to " + offset);
        simulation.group.replace(partition, new OffsetAndMetadata(offset, epoch, metadata));
    }
}
