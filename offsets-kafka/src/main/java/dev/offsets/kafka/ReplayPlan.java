package dev.offsets.kafka;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a consumer group is to go on reading, and what that means: planned first, looked at, and applied only when asked.
 *
 * <pre>{@code
 * ReplayPlan plan = ReplayPlan.request(admin, "shop", ReplayPoint.ago(Duration.ofHours(1)), IsolationLevel.READ_COMMITTED)
 *         .toCompletableFuture()
 *         .get();
 * System.out.println(plan.toTable());
 * plan.apply(admin).toCompletableFuture().get(); // a group without members; or, in a running one, consumer.replay(plan)
 * }</pre>
 *
 * <p>A plan is of one moment. {@link #apply} refuses when the group has committed something since; where a log was cut or
 * grew, the offsets stay what they are here.
 *
 * <p>Immutable, and safe for use by any thread.
 *
 * @param group the group's id
 * @param state of the group when the plan was made; {@code DEAD} when there is no such consumer group
 * @param isolationLevel by which the end of a log counts
 * @param moves one for each partition, in the order of their topics and numbers
 */
public record ReplayPlan(String group, GroupState state, IsolationLevel isolationLevel, List<Move> moves) {
    static final Comparator<TopicPartition> IN_ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

    /**
     * What a plan says of one partition. The numbers of records are distances of offsets: at most so many.
     *
     * @param topicPartition the partition
     * @param committed what the group has committed; empty when that is nothing
     * @param logStart the first offset that is retained; empty when it could not be told
     * @param end of the log by the isolation level; empty when it could not be told
     * @param target where to go on
     * @param replayed how many records will be done again; empty when that can't be told
     * @param skipped how many records of the log will not be done; empty when that can't be told
     */
    public record Move(
            TopicPartition topicPartition,
            OptionalLong committed,
            OptionalLong logStart,
            OptionalLong end,
            ResolvedPoint target,
            OptionalLong replayed,
            OptionalLong skipped) {
        static Move of(
                TopicPartition topicPartition, OptionalLong committed, PointLookUp.Found found, OptionalLong end) {
            OptionalLong start = found.log().logStart();
            OptionalLong target = found.point().offset();
            if (committed.isEmpty() || target.isEmpty()) {
                return new Move(
                        topicPartition,
                        committed,
                        start,
                        end,
                        found.point(),
                        OptionalLong.empty(),
                        OptionalLong.empty());
            }
            // Not the end by the isolation level: what lies between is read again, too, once it can be.
            LogSpan log =
                    new LogSpan(start.getAsLong(), found.log().highWatermark().orElse(end.getAsLong()));
            return new Move(
                    topicPartition,
                    committed,
                    start,
                    end,
                    found.point(),
                    OptionalLong.of(log.replayed(target.getAsLong(), committed.getAsLong())),
                    OptionalLong.of(log.skipped(target.getAsLong(), committed.getAsLong())));
        }
    }

    public ReplayPlan {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(isolationLevel, "isolationLevel");
        moves = moves.stream()
                .sorted(Comparator.comparing(Move::topicPartition, IN_ORDER))
                .toList();
    }

    /**
     * Plans for all partitions for which a group has committed or that a member of it owns. See {@link #request(Admin,
     * String, Map, IsolationLevel)}.
     */
    public static CompletionStage<ReplayPlan> request(
            Admin admin, String group, ReplayPoint target, IsolationLevel isolationLevel) {
        Objects.requireNonNull(target, "target");
        return new ReplayPlanning(admin, group, isolationLevel, Time.SYSTEM).plan(Optional.of(target), Map.of());
    }

    /**
     * Plans for these partitions. Nothing is changed, and nothing blocks; the stage is completed on the Admin's thread, which
     * must not be blocked. A partition of which something can't be told has a target without an offset, with the reason, and
     * the others go on.
     *
     * @param admin the caller's, who closes it
     * @param group the group's id
     * @param targets where to go on in each partition
     * @param isolationLevel that of the group's consumers
     * @return fails with what the Admin fails with when it is asked for the group
     */
    public static CompletionStage<ReplayPlan> request(
            Admin admin, String group, Map<TopicPartition, ReplayPoint> targets, IsolationLevel isolationLevel) {
        return new ReplayPlanning(admin, group, isolationLevel, Time.SYSTEM)
                .plan(Optional.empty(), Map.copyOf(targets));
    }

    /** Where each partition would go on; those that could not be told are not in it. */
    public Map<TopicPartition, Long> offsets() {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (Move move : moves) {
            move.target.offset().ifPresent(offset -> offsets.put(move.topicPartition, offset));
        }
        return Map.copyOf(offsets);
    }

    /** Whether some of it is to go past a record, which in a running consumer is another call. */
    boolean isToSkip() {
        return moves.stream().anyMatch(move -> move.target.requested() instanceof ReplayPoint.Past);
    }

    /** Whether the target of each partition could be told. */
    public boolean isComplete() {
        return offsets().size() == moves.size();
    }

    /**
     * Commits the targets that could be told, for a group without members. Where the target is what the group has committed,
     * that is left as it is; elsewhere the new offset has no leader epoch, which an Admin can't tell, and no metadata. Nothing
     * blocks, as in {@link #request}.
     *
     * @return fails with an {@link IllegalStateException} when the group has members, or has committed something since the
     *     plan was made, be it in a transaction that is open, or no target could be told; nothing was changed then. With what
     *     the Admin fails with otherwise: some partitions may have been moved
     */
    public CompletionStage<Void> apply(Admin admin) {
        return new ReplayPlanning(admin, group, isolationLevel, Time.SYSTEM).apply(this);
    }

    /** A table for people: for each partition what was asked for, what that is, why, and what it costs. */
    public String toTable() {
        return ReplayTable.of(this);
    }
}
