package dev.offsets.kafka.simulation;

import dev.offsets.ResumeMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** What was left out once is in each later commit of that incarnation, until the offset has passed it. */
final class MapsAreKept extends Checker {
    private final Map<View, Uuid> topicIds = new HashMap<>();

    @Override
    void leftOut(SimulatedClient client, TopicPartition partition, List<Entry> entries) {
        SimulatedLog log = simulation.log(partition);
        // They may be of a topic that has been made anew since they were fetched: of that, no map is written any more.
        if (entries.stream().allMatch(log::holds)) {
            topicIds.put(view(client.process, partition), log.topicId());
        }
    }

    @Override
    void commitCalled(SimulatedClient client, Commit commit) {
        Settings settings = simulation.settings;
        if (settings.resumeMapCharacters < 1_024 || simulation.scenario.has(Feature.METADATA_LIMIT)) {
            return; // there may be no room
        }
        commit.offsets.forEach((partition, offset) -> {
            View view = view(client.process, partition);
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
