package dev.offsets.kafka;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;

/**
 * Where a consumer group, or one of its consumers, stands on its partitions, how far behind it is, and what holds it back.
 * From inside of a consumer, {@link TrackedConsumer#report()} tells all of it; from outside, {@link #request} tells of any
 * group what brokers know.
 *
 * <p>Lags are distances of offsets: upper bounds on records. See {@link PartitionReport} for each number.
 *
 * <p>Immutable, and safe for use by any thread.
 *
 * @param group the group's id
 * @param isolationLevel by which the end of a log counts: as far as a consumer of this isolation level can read
 * @param takenAt when it was put together
 * @param state of the group; {@code DEAD} when there is no such consumer group; empty from inside of a consumer
 * @param partitions in the order of their topics and numbers: from inside, those that this consumer owns; from outside,
 *     those for which the group has committed or that a member of it owns
 */
public record GroupReport(
        String group,
        IsolationLevel isolationLevel,
        Instant takenAt,
        Optional<GroupState> state,
        List<PartitionReport> partitions) {
    private static final Comparator<PartitionReport> IN_ORDER = Comparator.<PartitionReport, String>comparing(
                    partition -> partition.topicPartition().topic())
            .thenComparing(partition -> partition.topicPartition().partition());

    public GroupReport {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(isolationLevel, "isolationLevel");
        Objects.requireNonNull(takenAt, "takenAt");
        partitions = partitions.stream().sorted(IN_ORDER).toList();
    }

    /**
     * Asks brokers for the report of a group, of the classic or the consumer protocol, whether it has members or not. What is
     * committed is read before the ends of the logs. A partition of which an end can't be told, within ten seconds, has
     * it empty.
     *
     * <p>Nothing blocks, and the group is not disturbed. The stage is completed on the Admin's thread, which must not be
     * blocked: {@code toCompletableFuture().get()} from another.
     *
     * @param admin the caller's, who closes it
     * @param group the group's id
     * @param isolationLevel that of the group's consumers, which brokers don't know
     * @return fails with what the Admin fails with, for want of an answer or an authorization
     */
    public static CompletionStage<GroupReport> request(Admin admin, String group, IsolationLevel isolationLevel) {
        Objects.requireNonNull(admin, "admin");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(isolationLevel, "isolationLevel");
        return new GroupLookUp(admin, group, isolationLevel).report(Time.SYSTEM);
    }

    static GroupReport at(
            long millis,
            String group,
            IsolationLevel isolationLevel,
            Optional<GroupState> state,
            List<PartitionReport> partitions) {
        return new GroupReport(group, isolationLevel, Instant.ofEpochMilli(millis), state, partitions);
    }

    /** The worst status of all partitions; {@code UNKNOWN} when there is none. */
    public PartitionStatus status() {
        return worst().map(PartitionReport::status)
                .orElseGet(() -> new PartitionStatus.Unknown("nothing was committed, and nothing is assigned"));
    }

    /** The partition that is worst off, the first of them in order; empty when there is none. */
    public Optional<PartitionReport> worst() {
        return partitions.stream()
                .min(Comparator.comparing(partition -> partition.status().kind()));
    }

    /**
     * Whether nobody has to look after it, as {@link PartitionStatus.Kind#isHealthy} says of the worst partition: for a
     * health check as it is.
     */
    public boolean isHealthy() {
        return status().kind().isHealthy();
    }

    /**
     * A table for people, in the manner of {@code kafka-consumer-groups --describe}, and below it what is wrong with which
     * partition, and what can be done. What nothing is known of has no column.
     */
    public String toTable() {
        return new ReportTable(this).toString();
    }

    /** One line for logs. */
    public String toLine() {
        return ReportLine.of(this);
    }

    /** All of it as one JSON object; what is not known is {@code null}, durations are in milliseconds. */
    public String toJson() {
        return ReportJson.of(this);
    }

    String takenAtText() {
        return takenAt.toString();
    }
}
