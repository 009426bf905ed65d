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
                + report.partitions().size() + " partitions"
                + sum(report, "commit lag", PartitionReport::commitLag)
                + sum(report, "work remaining", PartitionReport::workRemaining)
                + sum(report, "completed ahead", PartitionReport::completedAhead);
    }

    private static String sum(GroupReport report, String name, Function<PartitionReport, OptionalLong> number) {
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
        return ", " + name + " " + sum + (unknown == 0 ? "" : " and of " + unknown + " unknown");
    }
}
