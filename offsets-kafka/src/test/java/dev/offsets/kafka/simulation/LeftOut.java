package dev.offsets.kafka.simulation;

import java.util.List;
import org.apache.kafka.common.TopicPartition;

/** What is left out is the very record that somebody has finished. There is no excuse. */
final class LeftOut extends Checker {
    @Override
    void leftOut(SimulatedClient client, TopicPartition partition, List<Entry> entries) {
        for (Entry entry : entries) {
            if (!entry.finished) {
                violated(client.process + " leaves out " + partition + "@" + entry + ", which nobody has finished");
            }
        }
    }
}
