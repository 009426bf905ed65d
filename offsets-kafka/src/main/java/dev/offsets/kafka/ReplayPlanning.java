package dev.offsets.kafka;

import dev.offsets.kafka.ReplayPlan.Move;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/** Makes plans for groups, and applies them to those without members. Asks an Admin alone; nothing blocks. */
final class ReplayPlanning {
    private static final String NOT_SETTLED =
            "the group has an offset in a transaction that is open: what it has committed can't be told before that ends";

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
        return notThrowing(() -> lookUp().find().thenCompose(found -> {
            Map<TopicPartition, ReplayPoint> targets = new HashMap<>(given);
            everywhere.ifPresent(target -> found.partitions().forEach(partition -> targets.put(partition, target)));
            return lookUp().settled(targets.keySet()).thenCompose(settled -> {
                Map<TopicPartition, Long> committed = committed(settled);
                return new PointLookUp(admin, isolationLevel, time)
                        .resolve(targets, committed)
                        .thenApply(points -> plan(found.state(), settled.keySet(), committed, points));
            });
        }));
    }

    private GroupLookUp lookUp() {
        return new GroupLookUp(admin, group, isolationLevel);
    }

    /** An Admin that has been closed throws at once. */
    private static <T> CompletionStage<T> notThrowing(Supplier<CompletionStage<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Map<TopicPartition, Long> committed(Map<TopicPartition, OffsetAndMetadata> settled) {
        Map<TopicPartition, Long> committed = new HashMap<>();
        settled.forEach((partition, offset) -> {
            if (offset != null) {
                committed.put(partition, offset.offset());
            }
        });
        return committed;
    }

    private ReplayPlan plan(
            GroupState state,
            Set<TopicPartition> settled,
            Map<TopicPartition, Long> committed,
            Map<TopicPartition, PointLookUp.Found> points) {
        List<Move> moves = new ArrayList<>();
        points.forEach((partition, found) -> moves.add(Move.of(
                partition,
                known(committed.get(partition)),
                settled.contains(partition) ? found : notSettled(found),
                found.log().end(isolationLevel))));
        return new ReplayPlan(group, state, isolationLevel, moves);
    }

    /** Whatever is committed now would be overwritten when the transaction ends. */
    private static PointLookUp.Found notSettled(PointLookUp.Found found) {
        ResolvedPoint point = found.point();
        boolean endsAreKnown = found.log().logStart().isPresent();
        return endsAreKnown
                ? new PointLookUp.Found(found.log(), ResolvedPoint.unknown(point.requested(), NOT_SETTLED))
                : found;
    }

    private static OptionalLong known(Long offset) {
        return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    CompletionStage<Void> apply(ReplayPlan plan) {
        if (plan.offsets().isEmpty()) {
            return refused("the plan for group " + group + " has no target that could be told");
        }
        return notThrowing(() -> lookUp().find().thenCompose(found -> {
            if (found.state() != GroupState.EMPTY && found.state() != GroupState.DEAD) {
                return refused(hasMembers("is " + found.state(), plan));
            }
            return lookUp().settled(plan.offsets().keySet()).thenCompose(settled -> {
                Optional<String> change = changeSince(plan, settled);
                return change.isPresent() ? refused(change.get() + ": make the plan anew") : commit(plan);
            });
        }));
    }

    /** What has changed since a plan was made; empty when nothing has. */
    private Optional<String> changeSince(ReplayPlan plan, Map<TopicPartition, OffsetAndMetadata> settled) {
        Map<TopicPartition, Long> committed = committed(settled);
        for (Move move : plan.moves()) {
            TopicPartition partition = move.topicPartition();
            OptionalLong now = known(committed.get(partition));
            if (move.target().offset().isEmpty()) {
                continue;
            }
            if (!settled.containsKey(partition)) {
                return Optional.of(partition + ": " + NOT_SETTLED);
            }
            if (!now.equals(move.committed())) {
                return Optional.of("group " + group + " has committed something for " + partition
                        + " since the plan was made (" + text(move.committed()) + " then, " + text(now) + " now)");
            }
        }
        return Optional.empty();
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
                                    ? new IllegalStateException(hasMembers("has got members", plan), cause)
                                    : cause);
                });
    }

    private String hasMembers(String how, ReplayPlan plan) {
        return "group " + group + " " + how
                + ": what is committed from outside is refused, or overwritten by its members."
                + " Stop its consumers first, or have the running ones do it: TrackedConsumer."
                + (plan.isToSkip() ? "skip(partition, offset, reason)" : "replay(plan)");
    }

    private static String text(OptionalLong offset) {
        return offset.isPresent() ? String.valueOf(offset.getAsLong()) : "nothing";
    }

    private static CompletionStage<Void> refused(String why) {
        return CompletableFuture.failedFuture(new IllegalStateException(why));
    }
}
