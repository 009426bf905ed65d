package dev.offsets.kafka.simulation;

import dev.offsets.ResumeMap;
import dev.offsets.kafka.VirtualTopicIds;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** Resume maps as whoever knows the logs sees them. */
final class Maps {
    private Maps() {}

    static long logId(SimulatedLog log) {
        return VirtualTopicIds.logId(log.topicId(), log.topicPartition.partition());
    }

    /** What is stored with an offset, if it speaks of this log; otherwise nothing. */
    static ResumeMap decode(SimulatedLog log, OffsetAndMetadata stored) {
        return ResumeMap.decode(stored.metadata(), logId(log), stored.offset()).map();
    }

    /** Which entries of a log a map says are finished. */
    static List<Entry> named(SimulatedLog log, ResumeMap map) {
        List<Entry> named = new ArrayList<>();
        for (long offset = Math.max(log.start(), map.base()); offset < log.end(); offset++) {
            Entry entry = log.entry(offset);
            if (map.isFinished(offset, entry.epoch)) {
                named.add(entry);
            }
        }
        return named;
    }
}
