package dev.offsets.kafka;

import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.CommitFailing;
import dev.offsets.kafka.PartitionStatus.DataLoss;
import dev.offsets.kafka.PartitionStatus.FallingBehind;
import dev.offsets.kafka.PartitionStatus.InvalidCommit;
import dev.offsets.kafka.PartitionStatus.LsoBlocked;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Starved;
import dev.offsets.kafka.PartitionStatus.Worker;
import java.util.Locale;
import java.util.Optional;

/** A report as JSON. */
final class ReportJson {
    private ReportJson() {}

    static String of(GroupReport report) {
        return new Json()
                .text("group", report.group())
                .text("isolationLevel", report.isolationLevel().toString().toLowerCase(Locale.ROOT))
                .text("takenAt", report.takenAtText())
                .text("state", report.state().map(Object::toString))
                .text("status", report.status().kind().name())
                .flag("healthy", report.isHealthy())
                .array(
                        "partitions",
                        report.partitions().stream().map(ReportJson::of).toList())
                .toString();
    }

    private static Json of(PartitionReport partition) {
        return new Json()
                .text("topic", partition.topicPartition().topic())
                .number("partition", partition.topicPartition().partition())
                .flag("internal", partition.internal())
                .number("logStart", partition.logStart())
                .number("lastStableOffset", partition.lastStableOffset())
                .number("highWatermark", partition.highWatermark())
                .number("position", partition.position())
                .number("committableOffset", partition.committableOffset())
                .number("committedOffset", partition.committedOffset())
                .number("incomplete", partition.incomplete())
                .number("completedAhead", partition.completedAhead())
                .number("replayExposure", partition.replayExposure())
                .number("leftOut", partition.leftOut())
                .number("commitLag", partition.commitLag())
                .number("fetchLag", partition.fetchLag())
                .number("workRemaining", partition.workRemaining())
                .millis("timeLagMillis", partition.timeLag())
                .text("owner", partition.owner())
                .object("status", of(partition.status()));
    }

    private static Json of(PartitionStatus status) {
        Json json = new Json().text("kind", status.kind().name()).text("evidence", status.evidence());
        if (status instanceof DataLoss loss) {
            json.number("from", loss.from()).number("to", loss.to());
        } else if (status instanceof InvalidCommit invalid) {
            json.number("offset", invalid.offset()).number("end", invalid.end());
        } else if (status instanceof CommitFailing failing) {
            json.number("sinceMillis", failing.since().toMillis())
                    .number("failures", failing.failures())
                    .text("cause", failing.cause());
        } else if (status instanceof Blocked blocked) {
            json.number("offset", blocked.offset())
                    .number("ageMillis", blocked.age().toMillis())
                    .number("completedBeyond", blocked.completedBeyond());
            add(blocked.worker(), json);
        } else if (status instanceof Stalled stalled) {
            json.number("offset", stalled.offset())
                    .number("incomplete", stalled.incomplete())
                    .number("sinceMillis", stalled.since().toMillis());
            add(stalled.worker(), json);
        } else if (status instanceof FallingBehind behind) {
            json.number("before", behind.before())
                    .number("now", behind.now())
                    .number("windowMillis", behind.window().toMillis());
        } else if (status instanceof Starved starved) {
            json.number("sinceMillis", starved.since().toMillis())
                    .number("sincePollMillis", starved.sincePoll().toMillis());
        } else if (status instanceof LsoBlocked blocked) {
            json.number("lastStableOffset", blocked.lastStableOffset())
                    .number("highWatermark", blocked.highWatermark());
        }
        return json;
    }

    private static void add(Optional<Worker> worker, Json json) {
        worker.ifPresent(present -> json.text("thread", present.thread())
                .array(
                        "stack",
                        present.stack().stream()
                                .map(frame -> Json.quoted(frame.toString()))
                                .toList()));
    }
}
