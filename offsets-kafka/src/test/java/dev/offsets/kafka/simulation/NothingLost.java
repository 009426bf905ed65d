package dev.offsets.kafka.simulation;

import java.util.TreeSet;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Whoever starts from what is stored gets every record that nobody has finished. And no commit is above what its own
 * process has finished, or has read.
 */
final class NothingLost extends Checker {
    @Override
    void commitCalled(SimulatedClient client, Commit commit) {
        commit.offsets.forEach((partition, offset) -> {
            View view = view(client.process, partition);
            if (view != null && view.position != View.UNKNOWN && offset.offset() > view.committable()) {
                violated(client.process + " commits " + partition + " " + Trace.show(offset) + " while "
                        + view.committable() + " is unfinished or the position; unfinished: "
                        + unfinished(view));
            }
        });
    }

    private static TreeSet<Long> unfinished(View view) {
        TreeSet<Long> unfinished = new TreeSet<>(view.records.keySet());
        unfinished.removeAll(view.finished);
        return unfinished;
    }

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
        if (stored == null) {
            return;
        }
        long resume = Math.min(log.end(), log.resumePoint(stored.offset(), stored.leaderEpoch()));
        for (long offset = log.start(); offset < resume; offset++) {
            Entry entry = log.entry(offset);
            if (entry.isVisible(simulation.settings.readCommitted) && !entry.finished && entry.excuse == null) {
                violated("stored is " + log.topicPartition + " " + Trace.show(stored) + ", and nobody has finished "
                        + entry);
                return;
            }
        }
    }
}
