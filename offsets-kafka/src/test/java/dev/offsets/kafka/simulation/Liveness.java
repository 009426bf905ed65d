package dev.offsets.kafka.simulation;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** When all trouble has been over for long, every record is finished, and the end of each log is stored. */
final class Liveness extends Checker {
    @Override
    void ended() {
        for (SimulatedLog log : simulation.logs()) {
            for (long offset = log.start(); offset < log.end(); offset++) {
                Entry entry = log.entry(offset);
                if (entry.isVisible(simulation.settings.readCommitted) && !entry.finished && entry.excuse == null) {
                    violated("nobody has finished " + log.topicPartition + "@" + entry);
                }
            }
            OffsetAndMetadata stored = simulation.group.stored(log.topicPartition);
            if (stored == null || log.resumePoint(stored.offset(), stored.leaderEpoch()) != log.end()) {
                violated("stored is " + log.topicPartition + " " + Trace.show(stored) + ", and the log ends at "
                        + log.end());
            }
        }
    }
}
