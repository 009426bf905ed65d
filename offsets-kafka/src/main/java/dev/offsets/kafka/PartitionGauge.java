package dev.offsets.kafka;

import dev.offsets.kafka.Glance.PartitionGlance;
import java.util.OptionalLong;
import java.util.function.Function;

/** What is measured of each partition. */
enum PartitionGauge {
    STATUS(
            "partition-status",
            "number",
            "what is wrong with it: 0 is CAUGHT_UP, below 50 is healthy",
            partition -> OptionalLong.of(partition.report().status().kind().severity())),
    POSITION(
            "position",
            "offset",
            "the next offset to fetch",
            partition -> partition.report().position()),
    COMMITTABLE_OFFSET(
            "committable-offset",
            "offset",
            "every delivered record below it has finished",
            partition -> partition.report().committableOffset()),
    COMMITTED_OFFSET(
            "committed-offset",
            "offset",
            "the next offset to read after a restart",
            partition -> partition.report().committedOffset()),
    COMMIT_LAG(
            "commit-lag",
            "offsets",
            "from the committed offset to the end: what a restart would read",
            partition -> partition.report().commitLag()),
    COMMITTABLE_LAG(
            "committable-lag", "offsets", "from the committable offset to the end", PartitionGlance::committableLag),
    FETCH_LAG(
            "fetch-lag",
            "offsets",
            "from the position to the end: what is still to be fetched",
            partition -> partition.report().fetchLag()),
    REMAINING_RECORDS(
            "remaining-records",
            "records",
            "the fetch-lag and the incomplete-records: at most so many are still to be done",
            partition -> partition.report().workRemaining()),
    TIME_LAG_MS(
            "time-lag-ms",
            "milliseconds",
            "the age of the record at the committable offset; 0 when nothing is left",
            PartitionGlance::timeLagMillis),
    INCOMPLETE_RECORDS(
            "incomplete-records",
            "records",
            "records that were delivered and have not finished",
            partition -> partition.report().incomplete()),
    COMPLETED_AHEAD_RECORDS(
            "completed-ahead-records",
            "records",
            "records that have finished above one that has not",
            partition -> partition.report().completedAhead()),
    REPLAY_EXPOSURE_RECORDS(
            "replay-exposure-records",
            "records",
            "finished records that would be done again if this process ended now",
            partition -> partition.report().replayExposure()),
    OLDEST_INCOMPLETE_AGE_MS(
            "oldest-incomplete-age-ms",
            "milliseconds",
            "how long ago the lowest incomplete record was delivered; 0 when there is none",
            PartitionGlance::oldestIncompleteAgeMillis);

    final String metricName;
    final String unit;
    final String description;
    private final Function<PartitionGlance, OptionalLong> value;

    PartitionGauge(String metricName, String unit, String description, Function<PartitionGlance, OptionalLong> value) {
        this.metricName = metricName;
        this.unit = unit;
        this.description = description;
        this.value = value;
    }

    /** Not a number where it is not known. */
    double of(PartitionGlance partition) {
        OptionalLong known = value.apply(partition);
        return known.isPresent() ? known.getAsLong() : Double.NaN;
    }
}
