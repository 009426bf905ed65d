package dev.offsets.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** Asks brokers where a group stands. What is committed is read before the ends, so that no lag comes out negative. */
final class GroupLookUp {
    private final Admin admin;
    private final String group;
    private final IsolationLevel isolationLevel;

    GroupLookUp(Admin admin, String group, IsolationLevel isolationLevel) {
        this.admin = admin;
        this.group = group;
        this.isolationLevel = isolationLevel;
    }

    /** @param owners who reads each partition, as client id and host */
    record Members(GroupState state, Map<TopicPartition, String> owners) {}

    record Group(Members members, Map<TopicPartition, OffsetAndMetadata> committed) {
        GroupState state() {
            return members.state;
        }

        Set<TopicPartition> partitions() {
            Set<TopicPartition> partitions =
                    new TreeSet<>((left, right) -> left.toString().compareTo(right.toString()));
            partitions.addAll(committed.keySet());
            partitions.addAll(members.owners.keySet());
            return partitions;
        }
    }

    CompletionStage<GroupReport> report(Time time) {
        try {
            return ask(time);
        } catch (RuntimeException e) {
            // An Admin that has been closed throws at once.
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<GroupReport> ask(Time time) {
        return find().thenCompose(found -> {
            CompletionStage<Map<TopicPartition, Long>> finished = new StoredMaps(admin).finished(found.committed);
            return LogLookUp.of(admin, found.partitions())
                    .thenCombine(finished, (logs, above) -> report(found, logs, above, time.wallClockMillis()));
        });
    }

    /** What is committed is as it was before transactions that are open. */
    CompletionStage<Group> find() {
        return members().thenCombine(committed(), Group::new);
    }

    /**
     * What the group has committed for partitions, null where that is nothing. Those are missing of which it can't be told
     * yet: an offset of theirs is in a transaction that is open.
     */
    CompletionStage<Map<TopicPartition, OffsetAndMetadata>> settled(Set<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> nothing = new HashMap<>();
        partitions.forEach(partition -> nothing.put(partition, null));
        return partitions.isEmpty()
                ? CompletableFuture.completedFuture(nothing)
                : orIfThereIsNoGroup(
                        nothing,
                        admin.listConsumerGroupOffsets(
                                Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(partitions)),
                                options().requireStable(true)));
    }

    private CompletionStage<Members> members() {
        return admin.describeConsumerGroups(
                        List.of(group), new DescribeConsumerGroupsOptions().timeoutMs(LogLookUp.TIMEOUT_MILLIS))
                .describedGroups()
                .get(group)
                .toCompletionStage()
                .handle((description, failure) -> {
                    if (failure == null) {
                        return members(description);
                    }
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (cause instanceof GroupIdNotFoundException) {
                        return new Members(GroupState.DEAD, Map.of());
                    }
                    throw new CompletionException(cause);
                });
    }

    private static Members members(ConsumerGroupDescription description) {
        Map<TopicPartition, String> owners = new HashMap<>();
        for (MemberDescription member : description.members()) {
            String owner = member.clientId() + "@" + member.host().replaceFirst("^/", "");
            member.assignment().topicPartitions().forEach(partition -> owners.put(partition, owner));
        }
        return new Members(description.groupState(), owners);
    }

    private CompletionStage<Map<TopicPartition, OffsetAndMetadata>> committed() {
        return orIfThereIsNoGroup(Map.of(), admin.listConsumerGroupOffsets(group, options()));
    }

    private static ListConsumerGroupOffsetsOptions options() {
        return new ListConsumerGroupOffsetsOptions().timeoutMs(LogLookUp.TIMEOUT_MILLIS);
    }

    private CompletionStage<Map<TopicPartition, OffsetAndMetadata>> orIfThereIsNoGroup(
            Map<TopicPartition, OffsetAndMetadata> nothing, ListConsumerGroupOffsetsResult asked) {
        return asked.partitionsToOffsetAndMetadata(group).toCompletionStage().exceptionally(failure -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof GroupIdNotFoundException) {
                return nothing;
            }
            throw new CompletionException(cause);
        });
    }

    private GroupReport report(
            Group found,
            Map<TopicPartition, LogLookUp.Found> logs,
            Map<TopicPartition, Long> finishedAbove,
            long nowMillis) {
        List<PartitionReport> partitions = new ArrayList<>();
        logs.forEach((topicPartition, log) -> {
            OffsetAndMetadata committed = found.committed.get(topicPartition);
            PartitionFacts facts = new PartitionFacts(
                    topicPartition,
                    isolationLevel,
                    log.bounds(),
                    Optional.empty(),
                    committed == null ? OptionalLong.empty() : Lag.known(committed.offset()),
                    known(finishedAbove.get(topicPartition)),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    Optional.ofNullable(found.members.owners.get(topicPartition)));
            partitions.add(facts.report(Diagnosis.fromOutside(facts, log.failure()), nowMillis));
        });
        return GroupReport.at(nowMillis, group, isolationLevel, Optional.of(found.members.state), partitions);
    }

    private static OptionalLong known(Long number) {
        return number == null ? OptionalLong.empty() : OptionalLong.of(number);
    }
}
