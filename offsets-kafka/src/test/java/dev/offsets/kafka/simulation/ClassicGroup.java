package dev.offsets.kafka.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;

/** The classic protocol: a rebalance waits until every member has joined it, then each gets its assignment. */
final class ClassicGroup extends SimulatedGroup {
    private enum State {
        STABLE,
        /** Waiting for members to join. */
        PREPARING,
        /** All have joined; the assignment is on its way. */
        COMPLETING
    }

    private final Chance chance;
    private final boolean eager;
    private State state = State.STABLE;
    private int generation;
    private long preparingSince;

    ClassicGroup(Simulation simulation, boolean eager) {
        super(simulation);
        this.eager = eager;
        this.chance = simulation.chance("group");
    }

    @Override
    RuntimeException refuses(Ticket ticket) {
        if (members.isEmpty() && ticket == Ticket.NOBODY) {
            return null;
        }
        if (!knows(ticket.memberId()) || ticket.epoch() != generation) {
            return new CommitFailedException();
        }
        return state == State.COMPLETING ? new RebalanceInProgressException("completing") : null;
    }

    void join(String memberId, Set<TopicPartition> owned) {
        Member member = members.computeIfAbsent(memberId, id -> new Member());
        polled(memberId);
        if (state != State.PREPARING) {
            membersChanged();
        }
        member.joined = true;
        member.owned = new LinkedHashSet<>(owned);
        completeIfAllJoined();
    }

    /** Begins a rebalance, or goes on with the one that has begun. */
    @Override
    void membersChanged() {
        if (state != State.PREPARING) {
            state = State.PREPARING;
            preparingSince = simulation.time.now();
            members.values().forEach(member -> member.joined = false);
            simulation.trace.add(() -> "  the group rebalances");
        }
        completeIfAllJoined();
    }

    private void completeIfAllJoined() {
        if (members.isEmpty()) {
            state = State.STABLE;
            return;
        }
        if (members.values().stream().allMatch(member -> member.joined)) {
            state = State.COMPLETING;
            int completed = ++generation;
            assign();
            simulation.time.in(chance.millis(0, 20), () -> {
                if (generation == completed && state == State.COMPLETING) {
                    state = State.STABLE;
                }
            });
        }
    }

    private void assign() {
        if (eager) {
            List<Member> inTurn = new ArrayList<>(members.values());
            inTurn.forEach(member -> member.assigned = new LinkedHashSet<>());
            int turn = generation;
            for (TopicPartition topicPartition : simulation.settings.partitions) {
                inTurn.get(turn++ % inTurn.size()).assigned.add(topicPartition);
            }
            return;
        }
        Map<String, Set<TopicPartition>> shares = shareOut();
        members.forEach((memberId, member) -> {
            member.assigned = shares.get(memberId);
            // What another member still owns waits for the rebalance after that one has given it up.
            members.values().stream()
                    .filter(other -> other != member)
                    .forEach(other -> member.assigned.removeAll(other.owned));
        });
    }

    boolean isPreparing() {
        return state == State.PREPARING;
    }

    long preparingSince() {
        return preparingSince;
    }

    boolean hasJoined(String memberId) {
        return members.get(memberId).joined;
    }

    boolean isStable() {
        return state == State.STABLE;
    }

    int generation() {
        return generation;
    }

    Set<TopicPartition> assignment(String memberId) {
        return members.get(memberId).assigned;
    }
}
