package dev.offsets.kafka.simulation;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The coordinator's side of a group: who is in it, and what it has stored. As a real one, it takes a commit of any
 * partition, forwards, backwards or past the end of the log, from whoever is a member.
 */
abstract class SimulatedGroup {
    /** As whom a commit is sent: a member and its generation or epoch. */
    record Ticket(String memberId, int epoch) {
        static final Ticket NOBODY = new Ticket("", -1);
    }

    /** What the coordinator knows of a member. */
    static class Member {
        Set<TopicPartition> owned = new LinkedHashSet<>();
        Set<TopicPartition> assigned = new LinkedHashSet<>();
        boolean joined;
        int epoch;
        long polledAt;
        boolean crashed;
    }

    final Simulation simulation;
    final Map<String, Member> members = new LinkedHashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> stored = new LinkedHashMap<>();
    private final Map<TopicPartition, Long> storedAt = new LinkedHashMap<>();

    SimulatedGroup(Simulation simulation) {
        this.simulation = simulation;
        watch();
    }

    private void watch() {
        simulation.time.in(50 * VirtualTime.MILLI, () -> {
            expire();
            expireOffsets();
            watch();
        });
    }

    OffsetAndMetadata stored(TopicPartition topicPartition) {
        return stored.get(topicPartition);
    }

    /** By a tool. */
    void replace(TopicPartition topicPartition, OffsetAndMetadata offset) {
        stored.put(topicPartition, offset);
    }

    void forget(TopicPartition topicPartition) {
        stored.remove(topicPartition);
    }

    /** Why a commit is refused; null if it is not. */
    abstract RuntimeException refuses(Ticket ticket);

    /** Stores what it can, and answers why it did not store all; null if it did. */
    RuntimeException commit(Ticket ticket, String process, Map<TopicPartition, OffsetAndMetadata> offsets) {
        RuntimeException refusal = refuses(ticket);
        if (refusal != null) {
            return refusal;
        }
        offsets.forEach((topicPartition, offset) -> {
            SimulatedLog log = simulation.log(topicPartition);
            if (!log.isMissing() && !log.isDenied() && !isTooLong(offset)) {
                stored.put(topicPartition, offset);
                storedAt.put(topicPartition, simulation.time.now());
                simulation.trace.add(
                        () -> "  stored " + topicPartition + " " + Trace.show(offset) + " from " + process);
                simulation.checkers.all(checker -> checker.stored(process, topicPartition, offset));
            }
        });
        for (TopicPartition topicPartition : offsets.keySet()) {
            if (simulation.log(topicPartition).isDenied()) {
                return new TopicAuthorizationException(Set.of(topicPartition.topic()));
            }
            if (simulation.log(topicPartition).isMissing()) {
                return new UnknownTopicOrPartitionException("deleted");
            }
            if (isTooLong(offsets.get(topicPartition))) {
                return new OffsetMetadataTooLarge("too large");
            }
        }
        return null;
    }

    private boolean isTooLong(OffsetAndMetadata offset) {
        return offset.metadata().length() > simulation.settings.metadataLimit;
    }

    boolean knows(String memberId) {
        return members.containsKey(memberId);
    }

    void polled(String memberId) {
        Member member = members.get(memberId);
        if (member != null) {
            member.polledAt = simulation.time.now();
        }
    }

    void crashed(String memberId) {
        Member member = members.get(memberId);
        if (member != null) {
            member.crashed = true;
            member.polledAt = simulation.time.now();
        }
    }

    void leave(String memberId) {
        if (members.remove(memberId) != null) {
            simulation.trace.add(() -> "  " + memberId + " is no longer in the group");
            membersChanged();
        }
    }

    abstract void membersChanged();

    /** Drops members that have crashed, and those whose loop stands still. */
    private void expire() {
        for (String memberId : List.copyOf(members.keySet())) {
            Member member = members.get(memberId);
            long silent = simulation.time.now() - member.polledAt;
            long allowed =
                    member.crashed ? simulation.settings.sessionTimeoutNanos : simulation.settings.maxPollIntervalNanos;
            if (silent > allowed) {
                leave(memberId);
            }
        }
    }

    /** While a group has members, what it has stored does not expire. */
    private void expireOffsets() {
        if (!simulation.scenario.has(Feature.OFFSET_EXPIRY) || !members.isEmpty()) {
            return;
        }
        long before = simulation.time.now() - simulation.settings.offsetRetentionNanos;
        stored.keySet().removeIf(partition -> {
            boolean expired = storedAt.get(partition) < before;
            if (expired) {
                simulation.trace.add(() -> "  what is stored for " + partition + " expires");
            }
            return expired;
        });
    }

    /**
     * Shares out all partitions evenly; whoever owns one keeps it as long as that is even. It may answer that somebody
     * gets what another one still owns.
     */
    Map<String, Set<TopicPartition>> shareOut() {
        Map<String, Set<TopicPartition>> shares = new LinkedHashMap<>();
        members.keySet().forEach(memberId -> shares.put(memberId, new LinkedHashSet<>()));
        if (members.isEmpty()) {
            return shares;
        }
        List<TopicPartition> partitions = simulation.settings.partitions;
        int quota = (partitions.size() + members.size() - 1) / members.size();
        Set<TopicPartition> free = new LinkedHashSet<>(partitions);
        members.forEach((memberId, member) ->
                member.owned.stream().limit(quota).filter(free::remove).forEach(shares.get(memberId)::add));
        for (TopicPartition topicPartition : free) {
            shares.values().stream()
                    .min((a, b) -> Integer.compare(a.size(), b.size()))
                    .orElseThrow()
                    .add(topicPartition);
        }
        return shares;
    }
}
