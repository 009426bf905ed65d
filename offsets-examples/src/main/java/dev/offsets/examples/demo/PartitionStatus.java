package dev.offsets.examples.demo;

import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a consumer stands on a partition, as its process tells on one line of standard output.
 *
 * @param incomplete records that were handed to a worker and are not finished
 * @param completedAhead records that are finished but can't be committed, since a lower one is incomplete
 * @param heldBackAt the lowest incomplete record, which holds the commit back
 * @param heldBackMillis for how long it has been doing so
 */
record PartitionStatus(
        int partition,
        long position,
        long incomplete,
        long completedAhead,
        OptionalLong heldBackAt,
        long heldBackMillis) {

    private static final String PREFIX = "status";
    private static final long NONE = -1;

    static PartitionStatus of(TopicPartition partition, TrackerStatus status) {
        return new PartitionStatus(
                partition.partition(),
                status.position(),
                status.incomplete(),
                status.completedAhead(),
                status.lowestIncompleteOffset(),
                status.lowestIncompleteAge().orElse(Duration.ZERO).toMillis());
    }

    String toLine() {
        return "%s %d %d %d %d %d %d"
                .formatted(
                        PREFIX,
                        partition,
                        position,
                        incomplete,
                        completedAhead,
                        heldBackAt.orElse(NONE),
                        heldBackMillis);
    }

    /** The status that a line tells; empty when it tells something else. */
    static Optional<PartitionStatus> parse(String line) {
        String[] words = line.split(" ");
        if (words.length != 7 || !words[0].equals(PREFIX)) {
            return Optional.empty();
        }
        long heldBackAt = Long.parseLong(words[5]);
        return Optional.of(new PartitionStatus(
                Integer.parseInt(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                heldBackAt == NONE ? OptionalLong.empty() : OptionalLong.of(heldBackAt),
                Long.parseLong(words[6])));
    }
}
