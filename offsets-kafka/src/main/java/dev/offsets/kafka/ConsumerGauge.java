package dev.offsets.kafka;

import dev.offsets.kafka.Glance.PartitionGlance;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What is measured of a consumer as a whole. */
enum ConsumerGauge {
    STATUS(
            "status",
            "number",
            "the worst status of its partitions: 0 is CAUGHT_UP, below 50 is healthy",
            glance -> glance.partitions().stream()
                    .mapToInt(partition -> partition.report().status().kind().severity())
                    .max()
                    .orElse(PartitionStatus.Kind.UNKNOWN.severity())),
    UNHEALTHY_PARTITIONS(
            "unhealthy-partitions",
            "partitions",
            "partitions whose status is not a healthy one",
            glance -> glance.partitions().stream()
                    .filter(partition -> !partition.report().status().kind().isHealthy())
                    .count()),
    BLOCKED_PARTITIONS(
            "blocked-partitions",
            "partitions",
            "partitions that one record has been holding back for long",
            glance -> glance.partitions().stream()
                    .filter(partition -> partition.report().status().kind() == PartitionStatus.Kind.BLOCKED)
                    .count()),
    PAUSED_PARTITIONS(
            "paused-partitions",
            "partitions",
            "partitions that are not fetched now since they hold as many records as allowed, were stopped, or wait",
            Glance::paused),
    USER_PAUSED_PARTITIONS(
            "user-paused-partitions", "partitions", "partitions that the user has paused", Glance::pausedByUser),
    COMMIT_LAG_MAX(
            "commit-lag-max",
            "offsets",
            "the largest commit-lag of its partitions",
            glance -> max(glance.partitions(), partition -> partition.report().commitLag())),
    FETCH_LAG_MAX(
            "fetch-lag-max",
            "offsets",
            "the largest fetch-lag of its partitions",
            glance -> max(glance.partitions(), partition -> partition.report().fetchLag())),
    TIME_LAG_MS_MAX(
            "time-lag-ms-max",
            "milliseconds",
            "the largest time-lag-ms of its partitions",
            glance -> max(glance.partitions(), PartitionGlance::timeLagMillis)),
    INCOMPLETE_RECORDS_SUM(
            "incomplete-records-sum",
            "records",
            "the incomplete-records of its partitions together",
            glance -> sum(glance.partitions(), partition -> partition.report().incomplete())),
    COMPLETED_AHEAD_RECORDS_SUM(
            "completed-ahead-records-sum",
            "records",
            "the completed-ahead-records of its partitions together",
            glance -> sum(glance.partitions(), partition -> partition.report().completedAhead())),
    REPLAY_EXPOSURE_RECORDS_SUM(
            "replay-exposure-records-sum",
            "records",
            "the replay-exposure-records of its partitions together",
            glance -> sum(glance.partitions(), partition -> partition.report().replayExposure())),
    OLDEST_INCOMPLETE_AGE_MS_MAX(
            "oldest-incomplete-age-ms-max",
            "milliseconds",
            "the largest oldest-incomplete-age-ms of its partitions",
            glance -> max(glance.partitions(), PartitionGlance::oldestIncompleteAgeMillis)),
    QUEUED_RECORDS(
            "queued-records",
            "records",
            "records that wait for a worker of the processor, or for a retry",
            glance -> glance.processor().queued()),
    RUNNING_RECORDS(
            "running-records",
            "records",
            "records that the processor works on",
            glance -> glance.processor().running()),
    WAITING_RETRIES(
            "waiting-retries",
            "records",
            "records that have failed and wait for another attempt",
            glance -> glance.processor().retries().size()),
    STOPPED_PARTITIONS(
            "stopped-partitions",
            "partitions",
            "partitions that the failure policy has stopped",
            glance -> glance.processor().stopped().size());

    final String metricName;
    final String unit;
    final String description;
    final ToDoubleFunction<Glance> value;

    ConsumerGauge(String metricName, String unit, String description, ToDoubleFunction<Glance> value) {
        this.metricName = metricName;
        this.unit = unit;
        this.description = description;
        this.value = value;
    }

    /** Whether it is among the few that the Kafka client pushes to the brokers, where they ask for it. */
    boolean isPushed() {
        return this == STATUS
                || this == COMMIT_LAG_MAX
                || this == INCOMPLETE_RECORDS_SUM
                || this == OLDEST_INCOMPLETE_AGE_MS_MAX;
    }

    /** Of those that are known; not a number when none is. */
    private static double max(Collection<PartitionGlance> partitions, Function<PartitionGlance, OptionalLong> number) {
        return partitions.stream()
                .map(number)
                .filter(OptionalLong::isPresent)
                .mapToDouble(OptionalLong::getAsLong)
                .max()
                .orElse(Double.NaN);
    }

    private static double sum(Collection<PartitionGlance> partitions, Function<PartitionGlance, OptionalLong> number) {
        return partitions.stream()
                .map(number)
                .mapToDouble(known -> known.orElse(0))
                .sum();
    }
}
