package dev.offsets.kafka.simulation;

import dev.offsets.ResumeMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** What was left out once is in each later commit of that incarnation, until the offset has passed it. */
final class MapsAreKept extends Checker {
    private final Map<View, Uuid> topicIds = new HashMap<>();

    /** Their next commit may be without a map: the one before failed without a reason, which may have been its length. */
    private final Set<View> mayLackMap = new HashSet<>();

    @Override
    void answered(SimulatedClient client, Commit commit) {
        if (commit.failure != null && commit.failure.getClass() == KafkaException.class) {
            commit.offsets.forEach((partition, offset) -> {
                if (!offset.metadata().isEmpty()) {
                    mayLackMap.add(view(client.process, partition));
                }
            });
        }
    }

    @Override
    void leftOut(SimulatedClient client, TopicPartition partition, List<Entry> entries) {
        topicIds.put(view(client.process, partition), simulation.log(partition).topicId());
    }

    @Override
    void commitCalled(SimulatedClient client, Commit commit) {
        Settings settings = simulation.settings;
        if (settings.resumeMapCharacters < 1_024 || simulation.scenario.has(Feature.METADATA_LIMIT)) {
            return; // there may be no room
        }
        commit.offsets.forEach((partition, offset) -> {
            View view = view(client.process, partition);
            if (mayLackMap.remove(view) && offset.metadata().isEmpty()) {
                return;
            }
            SimulatedLog log = simulation.log(partition);
            if (view == null || view.over || !log.topicId().equals(topicIds.get(view))) {
                return;
            }
            ResumeMap map = Maps.decode(log, offset);
            for (Entry entry : view.leftOut.tailMap(offset.offset(), true).values()) {
                if (!map.isFinished(entry.offset, entry.epoch)) {
                    violated(client.process + " commits " + partition + " " + Trace.show(offset)
                            + " and forgets that it has left out " + entry);
                }
            }
        });
    }
}
