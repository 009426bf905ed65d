package dev.offsets.kafka;

import dev.offsets.kafka.GroupLookUp.Group;
import dev.offsets.kafka.ReplayPlan.Move;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/** Makes plans for groups, and applies them to those without members. Asks an Admin alone; nothing blocks. */
final class ReplayPlanning {
    private final Admin admin;
    private final String group;
    private final IsolationLevel isolationLevel;
    private final Time time;

    ReplayPlanning(Admin admin, String group, IsolationLevel isolationLevel, Time time) {
        this.admin = Objects.requireNonNull(admin, "admin");
        this.group = Objects.requireNonNull(group, "group");
        this.isolationLevel = Objects.requireNonNull(isolationLevel, "isolationLevel");
        this.time = time;
    }

    /** @param everywhere the target in all of the group's partitions; empty for those that are given */
    CompletionStage<ReplayPlan> plan(Optional<ReplayPoint> everywhere, Map<TopicPartition, ReplayPoint> given) {
        return found().thenCompose(found -> {
            Map<TopicPartition, ReplayPoint> targets = new HashMap<>(given);
            everywhere.ifPresent(target -> found.partitions().forEach(partition -> targets.put(partition, target)));
            Map<TopicPartition, Long> committed = committed(found);
            return new PointLookUp(admin, isolationLevel, time)
                    .resolve(targets, committed)
                    .thenApply(points -> plan(found, committed, points));
        });
    }

    private CompletionStage<Group> found() {
        try {
            return new GroupLookUp(admin, group, isolationLevel).find(true);
        } catch (RuntimeException e) {
            // An Admin that has been closed throws at once.
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Map<TopicPartition, Long> committed(Group found) {
        Map<TopicPartition, Long> committed = new HashMap<>();
        found.committed().forEach((partition, offset) -> {
            if (offset != null) {
                committed.put(partition, offset.offset());
            }
        });
        return committed;
    }

    private ReplayPlan plan(
            Group found, Map<TopicPartition, Long> committed, Map<TopicPartition, PointLookUp.Found> points) {
        List<Move> moves = new ArrayList<>();
        points.forEach((partition, point) -> moves.add(Move.of(
                partition, known(committed.get(partition)), point, point.log().end(isolationLevel))));
        return new ReplayPlan(group, found.state(), isolationLevel, moves);
    }

    private static OptionalLong known(Long offset) {
        return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    CompletionStage<Void> apply(ReplayPlan plan) {
        if (plan.offsets().isEmpty()) {
            return refused("the plan for group " + group + " has no target that could be told");
        }
        return found().thenCompose(found -> {
            if (found.state() != GroupState.EMPTY && found.state() != GroupState.DEAD) {
                return refused(hasMembers("is " + found.state()));
            }
            Map<TopicPartition, Long> committed = committed(found);
            for (Move move : plan.moves()) {
                OptionalLong now = known(committed.get(move.topicPartition()));
                if (!now.equals(move.committed())) {
                    return refused("group " + group + " has committed something for " + move.topicPartition()
                            + " since the plan was made (" + text(move.committed()) + " then, " + text(now)
                            + " now): make the plan anew");
                }
            }
            return commit(plan);
        });
    }

    private CompletionStage<Void> commit(ReplayPlan plan) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        plan.offsets().forEach((partition, offset) -> offsets.put(partition, new OffsetAndMetadata(offset)));
        // What stays as it is keeps its leader epoch and its metadata.
        plan.moves().stream()
                .filter(move -> move.target().offset().equals(move.committed()))
                .forEach(move -> offsets.remove(move.topicPartition()));
        if (offsets.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return admin.alterConsumerGroupOffsets(group, offsets)
                .all()
                .toCompletionStage()
                .exceptionally(failure -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    throw new CompletionException(
                            cause instanceof UnknownMemberIdException
                                    ? new IllegalStateException(hasMembers("has got members"), cause)
                                    : cause);
                });
    }

    private String hasMembers(String how) {
        return "group " + group + " " + how
                + ": what is committed from outside is refused, or overwritten by its members."
                + " Stop its consumers first, or have the running ones do it: TrackedConsumer.replay(plan)";
    }

    private static String text(OptionalLong offset) {
        return offset.isPresent() ? String.valueOf(offset.getAsLong()) : "nothing";
    }

    private static CompletionStage<Void> refused(String why) {
        return CompletableFuture.failedFuture(new IllegalStateException(why));
    }
}
