package dev.offsets.kafka;

import java.util.OptionalLong;
import java.util.function.Function;

/** A report on one line. */
final class ReportLine {
    private ReportLine() {}

    static String of(GroupReport report) {
        PartitionStatus status = report.status();
        String where = report.worst()
                .filter(worst -> !status.kind().isHealthy())
                .map(worst -> " at " + worst.topicPartition() + " (" + status.evidence() + ")")
                .orElse("");
        return "group " + report.group() + ": " + status.kind() + where + ", "
                + Words.count(report.partitions().size(), "partition")
                + sum(report, "commit lag", "offset", PartitionReport::commitLag)
                + sum(report, "work remaining", "offset", PartitionReport::workRemaining)
                + sum(report, "completed ahead", "record", PartitionReport::completedAhead);
    }

    private static String sum(
            GroupReport report, String name, String unit, Function<PartitionReport, OptionalLong> number) {
        long sum = 0;
        int known = 0;
        for (PartitionReport partition : report.partitions()) {
            OptionalLong one = number.apply(partition);
            sum += one.orElse(0);
            known += one.isPresent() ? 1 : 0;
        }
        if (known == 0) {
            return "";
        }
        int unknown = report.partitions().size() - known;
        return ", " + name + " " + Words.count(sum, unit)
                + (unknown == 0 ? "" : " (unknown of " + Words.count(unknown, "partition") + ")");
    }
}
