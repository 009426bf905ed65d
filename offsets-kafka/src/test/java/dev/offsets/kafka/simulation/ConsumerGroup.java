package dev.offsets.kafka.simulation;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.StaleMemberEpochException;

/** KIP-848: each member moves towards its share by itself, giving up first, and gets what nobody else has any more. */
final class ConsumerGroup extends SimulatedGroup {
    private int groupEpoch;
    private Map<String, Set<TopicPartition>> shares = Map.of();

    ConsumerGroup(Simulation simulation) {
        super(simulation);
    }

    @Override
    RuntimeException refuses(Ticket ticket) {
        if (members.isEmpty()) {
            return null; // from anybody: also from one who has been a member
        }
        Member member = members.get(ticket.memberId());
        if (member == null) {
            return new CommitFailedException("unknown member");
        }
        return member.epoch == ticket.epoch() ? null : new StaleMemberEpochException("stale member epoch");
    }

    void join(String memberId) {
        members.put(memberId, new Member());
        polled(memberId);
        membersChanged();
    }

    @Override
    void membersChanged() {
        groupEpoch++;
        shares = shareOut();
        simulation.trace.add(() -> "  group epoch " + groupEpoch + ": " + shares);
    }

    /** A member tells what it owns, and is told what it may own now. */
    Set<TopicPartition> heartbeat(String memberId, Set<TopicPartition> owned) {
        Member member = members.get(memberId);
        Set<TopicPartition> share = shares.get(memberId);
        member.owned = new LinkedHashSet<>(owned);
        if (share.containsAll(owned)) {
            member.epoch = groupEpoch;
            Set<TopicPartition> granted = new LinkedHashSet<>(share);
            members.values().stream().filter(other -> other != member).forEach(other -> {
                granted.removeAll(other.owned);
                granted.removeAll(other.assigned);
            });
            granted.addAll(owned);
            member.assigned = granted;
        } else {
            member.assigned = new LinkedHashSet<>(owned);
            member.assigned.retainAll(share);
        }
        return member.assigned;
    }

    int epoch(String memberId) {
        return members.get(memberId).epoch;
    }
}
