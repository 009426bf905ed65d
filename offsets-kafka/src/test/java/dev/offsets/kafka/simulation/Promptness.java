package dev.offsets.kafka.simulation;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** While commits succeed, progress is sent as soon as the policy wants it, give or take a turn of the library's loop. */
final class Promptness extends Checker {
    /** The longest that the library leaves commits alone after one has failed, and a bit. */
    private static final long AFTER_A_FAILURE_NANOS = 11 * VirtualTime.SECOND;

    private static final long SLACK_NANOS = 20 * VirtualTime.MILLI;

    private final Map<View, Long> progressSince = new HashMap<>();
    /** How long a topic whose commits succeed may be held up by one whose commits are denied. */
    private static final long BESIDE_A_DENIED_TOPIC_NANOS = 2 * VirtualTime.SECOND;

    /** Until when commits of a process, or of one topic by it, may be left alone. */
    private final Map<String, Long> leftAloneUntil = new HashMap<>();

    @Override
    void commitCalled(SimulatedClient client, Commit commit) {
        commit.offsets.keySet().forEach(partition -> progressSince.remove(view(client.process, partition)));
    }

    @Override
    void answered(SimulatedClient client, Commit commit) {
        // Given up already, when the loop has stood still: then it is not one topic's failure
        boolean late = simulation.time.now() - commit.calledAt >= simulation.settings.apiTimeout.toNanos();
        if (!late && commit.failure instanceof TopicAuthorizationException denied) {
            for (TopicPartition partition : commit.offsets.keySet()) {
                boolean itself = denied.unauthorizedTopics().contains(partition.topic());
                leaveAlone(
                        client.process + " " + partition.topic(),
                        itself ? AFTER_A_FAILURE_NANOS : BESIDE_A_DENIED_TOPIC_NANOS);
            }
        } else if (commit.failure != null) {
            leaveAlone(client.process, AFTER_A_FAILURE_NANOS);
        }
    }

    private void leaveAlone(String who, long nanos) {
        leftAloneUntil.merge(who, simulation.time.now() + nanos, Math::max);
    }

    private boolean isLeftAlone(String who) {
        return simulation.time.now() < leftAloneUntil.getOrDefault(who, 0L);
    }

    @Override
    void polling(SimulatedClient client) {
        long now = simulation.time.now();
        for (Assigned one : client.positions.assigned.values()) {
            View view = view(client.process, one.topicPartition);
            boolean afterFailure =
                    isLeftAlone(client.process) || isLeftAlone(client.process + " " + one.topicPartition.topic());
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
