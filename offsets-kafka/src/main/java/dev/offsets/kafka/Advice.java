package dev.offsets.kafka;

import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.CommitFailing;
import dev.offsets.kafka.PartitionStatus.DataLoss;
import dev.offsets.kafka.PartitionStatus.FallingBehind;
import dev.offsets.kafka.PartitionStatus.InvalidCommit;
import dev.offsets.kafka.PartitionStatus.LsoBlocked;
import dev.offsets.kafka.PartitionStatus.Paused;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Starved;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/** What can be done about a status, in words. */
final class Advice {
    private static final String COMMAND =
            "group-replay is a command of offsets-examples; without --execute it prints the plan. In code: ReplayPlan.";

    private Advice() {}

    static List<String> on(String group, PartitionReport partition) {
        PartitionStatus status = partition.status();
        if (status instanceof Blocked blocked) {
            return gettingPast(group, partition, blocked.offset());
        }
        if (status instanceof Stalled stalled) {
            return gettingPast(group, partition, stalled.offset());
        }
        if (status instanceof DataLoss) {
            String why = "Retention, or a deletion on request, was quicker than the group: raise retention.ms or"
                    + " retention.bytes of the topic, or read faster. What is gone does not come back.";
            return partition.position().isPresent()
                    ? List.of(why)
                    : List.of("Unless a consumer of the group has read them already, and is yet to commit.", why);
        }
        if (status instanceof InvalidCommit) {
            return List.of(
                    "A consumer that starts here applies auto.offset.reset. To choose yourself: stop the group's consumers,"
                            + " then",
                    replay(
                            group,
                            "--topic " + partition.topicPartition().topic() + ":"
                                    + partition.topicPartition().partition() + " --to earliest"),
                    "    (or to latest, an offset, a time)",
                    COMMAND);
        }
        if (status instanceof CommitFailing) {
            return List.of("Work goes on, and is done again after a restart until a commit succeeds. See the cause: the"
                    + " group's coordinator, an authorization, or a consumer that was taken for dead.");
        }
        if (status instanceof FallingBehind) {
            return List.of("It works, and too slowly: more workers, or more consumers, up to one for each partition.");
        }
        if (status instanceof Starved) {
            return List.of(
                    "Does the loop call poll? Does the partition have a leader, and can this consumer reach it?",
                    "Was it stopped by a failure policy, or does the next record wait to be deserialized again? The log"
                            + " and the processor's status tell.");
        }
        if (status instanceof LsoBlocked) {
            return List.of(
                    "It goes on when the producer ends its transaction, or when that times out. To find one that hangs:",
                    "kafka-transactions.sh --bootstrap-server ... find-hanging --topic "
                            + partition.topicPartition().topic());
        }
        return status instanceof Paused ? List.of("resume() lets it go on.") : List.of();
    }

    private static List<String> gettingPast(String group, PartitionReport partition, long offset) {
        TopicPartition at = partition.topicPartition();
        String record = at + "@" + offset;
        return List.of(
                "Nothing at or above " + record
                        + " is committed until its outcome is reported; after a restart it is delivered again.",
                "To get past it, let its work end; a restart of the consumer begins it anew. To give it up, in the running"
                        + " consumer, on its loop thread:",
                "    consumer.skip(new TopicPartition(\"" + at.topic() + "\", " + at.partition() + "), " + offset
                        + ", \"why\");",
                "Or, with all consumers of the group stopped (what had finished beyond it is then delivered again):",
                replay(group, "--skip " + record),
                COMMAND);
    }

    private static String replay(String group, String where) {
        return "    group-replay --bootstrap-server ... --group " + group + " " + where + " --execute";
    }
}
