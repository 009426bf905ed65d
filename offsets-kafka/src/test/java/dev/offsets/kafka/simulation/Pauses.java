package dev.offsets.kafka.simulation;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** What the user has paused delivers nothing, and says so, until the user resumes it or it is gone. */
final class Pauses extends Checker {
    private final Map<String, Set<TopicPartition>> paused = new HashMap<>();

    Set<TopicPartition> of(String process) {
        return paused.computeIfAbsent(process, key -> new HashSet<>());
    }

    @Override
    void userPaused(SimulatedClient client, Collection<TopicPartition> partitions) {
        of(client.process).addAll(partitions);
    }

    @Override
    void userResumed(SimulatedClient client, Collection<TopicPartition> partitions) {
        of(client.process).removeAll(partitions);
    }

    @Override
    void gone(SimulatedClient client, Collection<TopicPartition> partitions) {
        of(client.process).removeAll(partitions);
    }

    @Override
    void polling(SimulatedClient client) {
        Set<TopicPartition> byUser = of(client.process);
        for (Assigned one : client.positions.assigned.values()) {
            if (byUser.contains(one.topicPartition) && !one.paused) {
                violated(client.process + " polls while " + one.topicPartition + " is not paused, as its user wants");
            }
            View view = view(client.process, one.topicPartition);
            boolean byUs = one.paused && !byUser.contains(one.topicPartition);
            if (byUs && view.unfinished() == 0 && !simulation.isClosing(client.process)) {
                violated(client.process + " keeps " + one.topicPartition + " paused with nothing in flight");
            }
        }
    }

    @Override
    void polled(SimulatedClient client, ConsumerRecords<Long, Entry> records) {
        for (TopicPartition partition : records.partitions()) {
            if (of(client.process).contains(partition)) {
                violated(client.process + " got records of " + partition + ", which its user has paused");
            }
        }
    }

    @Override
    void turnEnded(SimulatedUser user) {
        Set<TopicPartition> said = user.consumer().paused();
        if (!said.equals(of(user.process()))) {
            violated(user.process() + " has paused " + of(user.process()) + ", and is told " + said);
        }
    }
}
