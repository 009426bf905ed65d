package dev.offsets.kafka.simulation;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** While commits succeed, progress is sent as soon as the policy wants it, give or take a turn of the library's loop. */
final class Promptness extends Checker {
    /** The longest that the library leaves commits alone after one has failed, and a bit. */
    private static final long AFTER_A_FAILURE_NANOS = 11 * VirtualTime.SECOND;

    private static final long SLACK_NANOS = 20 * VirtualTime.MILLI;

    private final Map<View, Long> progressSince = new HashMap<>();
    private final Map<String, Long> failedAt = new HashMap<>();

    @Override
    void commitCalled(SimulatedClient client, Commit commit) {
        commit.offsets.keySet().forEach(partition -> progressSince.remove(view(client.process, partition)));
    }

    @Override
    void answered(SimulatedClient client, Commit commit) {
        if (commit.failure != null) {
            failedAt.put(client.process, simulation.time.now());
        }
    }

    @Override
    void polling(SimulatedClient client) {
        long now = simulation.time.now();
        Long failed = failedAt.get(client.process);
        boolean afterFailure = failed != null && now - failed < AFTER_A_FAILURE_NANOS;
        for (Assigned one : client.positions.assigned.values()) {
            View view = view(client.process, one.topicPartition);
            boolean waits = client.commits.isWaiting() || afterFailure || simulation.isClosing(client.process);
            if (waits || !hasProgress(client, one.topicPartition, view)) {
                progressSince.remove(view);
                continue;
            }
            long since = now - progressSince.computeIfAbsent(view, key -> now);
            if (since > simulation.settings.longestUncommittedNanos + SLACK_NANOS) {
                violated(client.process + " has not committed " + one.topicPartition + " " + view.committable()
                        + " for " + since / VirtualTime.MILLI + " ms");
            }
        }
    }

    private boolean hasProgress(SimulatedClient client, TopicPartition partition, View view) {
        if (view.position == View.UNKNOWN || view.committable() <= view.highestSent) {
            return false;
        }
        Long lastStored = simulation.checkers.views.lastStored(client.process, partition);
        return lastStored != null && lastStored != view.committable();
    }
}
