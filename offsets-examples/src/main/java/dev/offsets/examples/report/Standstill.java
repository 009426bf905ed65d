package dev.offsets.examples.report;

import dev.offsets.kafka.GroupReport;
import dev.offsets.kafka.PartitionReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Since when a group has committed nothing new for its partitions, as far as reports that were made one after another tell. One
 * look from outside can't tell work that goes on from work that hangs.
 */
final class Standstill {
    private static final Duration WORTH_SAYING = Duration.ofSeconds(30);

    private record Committed(long offset, Instant since) {}

    private final Map<TopicPartition, Committed> seen = new HashMap<>();

    /** Takes in the newest report; answers what is to be said of it, as lines, each with its end. */
    String remarks(GroupReport report) {
        List<String> lines = new ArrayList<>();
        for (PartitionReport partition : report.partitions()) {
            if (partition.committedOffset().isPresent() && partition.commitLag().orElse(0) > 0) {
                Duration stood = stood(partition, report.takenAt());
                if (stood.compareTo(WORTH_SAYING) >= 0) {
                    lines.addAll(remarks(report.group(), partition, stood));
                }
            } else {
                seen.remove(partition.topicPartition());
            }
        }
        return lines.isEmpty() ? "" : "\n" + String.join("\n", lines) + "\n";
    }

    private Duration stood(PartitionReport partition, Instant now) {
        long offset = partition.committedOffset().getAsLong();
        Committed last = seen.get(partition.topicPartition());
        Committed present = last != null && last.offset == offset ? last : new Committed(offset, now);
        seen.put(partition.topicPartition(), present);
        return Duration.between(present.since, now);
    }

    private static List<String> remarks(String group, PartitionReport partition, Duration stood) {
        String record =
                partition.topicPartition() + "@" + partition.committedOffset().getAsLong();
        long ahead = partition.completedAhead().orElse(0);
        return List.of(
                record + " holds its partition back: COMMITTED has not moved for " + stood.toSeconds()
                        + " s, and COMMIT-LAG is " + partition.commitLag().getAsLong()
                        + (ahead == 0 ? "." : ", of which " + ahead + " have finished."),
                "  Its work takes that long, or hangs, or commits fail, or nobody reads. report() in its consumer tells"
                        + partition.owner().map(owner -> ": " + owner + ".").orElse("."),
                "  To give it up: skip(...) there; or, with all consumers of the group stopped,",
                "    group-replay --bootstrap-server ... --group " + group + " --skip " + record + " --execute");
    }
}
