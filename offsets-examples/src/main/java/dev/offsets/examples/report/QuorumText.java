package dev.offsets.examples.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.StringJoiner;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.QuorumInfo.ReplicaState;

/**
 * The cluster's metadata quorum: its log, {@code __cluster_metadata}, and how far each replica has got. It is the cluster's own
 * record of topics and brokers, which no consumer group reads.
 */
record QuorumText(QuorumInfo quorum) {
    private static final String FORMAT = "%-7s  %-8s  %10s  %11s  %14s";

    String toTable() {
        List<String> lines = new ArrayList<>();
        lines.add("Metadata quorum (the cluster's control plane, apart from any consumer's lag): leader "
                + quorum.leaderId() + ", epoch " + quorum.leaderEpoch() + ", high watermark " + quorum.highWatermark());
        lines.add(FORMAT.formatted("REPLICA", "ROLE", "LOG-END", "REPLICA-LAG", "LAST-CAUGHT-UP"));
        for (ReplicaState replica : replicas()) {
            lines.add(FORMAT.formatted(
                    replica.replicaId(), role(replica), replica.logEndOffset(), lag(replica), sinceCaughtUp(replica)));
        }
        return String.join("\n", lines) + "\n";
    }

    String toLine() {
        return "metadata quorum: leader %d, epoch %d, high watermark %d, largest replica lag %d"
                .formatted(
                        quorum.leaderId(),
                        quorum.leaderEpoch(),
                        quorum.highWatermark(),
                        replicas().stream().mapToLong(this::lag).max().orElse(0));
    }

    String toJson() {
        StringJoiner replicas = new StringJoiner(",", "[", "]");
        for (ReplicaState replica : replicas()) {
            replicas.add("{\"replica\":%d,\"role\":\"%s\",\"logEnd\":%d,\"replicaLag\":%d,\"lastCaughtUpMillis\":%s}"
                    .formatted(
                            replica.replicaId(),
                            role(replica),
                            replica.logEndOffset(),
                            lag(replica),
                            orNull(replica.lastCaughtUpTimestamp())));
        }
        return "{\"metadataQuorum\":{\"leader\":%d,\"epoch\":%d,\"highWatermark\":%d,\"replicas\":%s}}"
                .formatted(quorum.leaderId(), quorum.leaderEpoch(), quorum.highWatermark(), replicas);
    }

    private List<ReplicaState> replicas() {
        List<ReplicaState> all = new ArrayList<>(quorum.voters());
        all.addAll(quorum.observers());
        return all;
    }

    private String role(ReplicaState replica) {
        if (replica.replicaId() == quorum.leaderId()) {
            return "leader";
        }
        return quorum.voters().contains(replica) ? "voter" : "observer";
    }

    private long lag(ReplicaState replica) {
        long leaderEnd = quorum.voters().stream()
                .filter(voter -> voter.replicaId() == quorum.leaderId())
                .mapToLong(ReplicaState::logEndOffset)
                .findFirst()
                .orElse(replica.logEndOffset());
        return Math.max(0, leaderEnd - replica.logEndOffset());
    }

    private String sinceCaughtUp(ReplicaState replica) {
        OptionalLong timestamp = known(replica.lastCaughtUpTimestamp());
        return timestamp.isEmpty()
                ? "-"
                : Duration.ofMillis(Math.max(0, System.currentTimeMillis() - timestamp.getAsLong()))
                                .toMillis()
                        + " ms ago";
    }

    private static String orNull(OptionalLong timestamp) {
        return known(timestamp).isPresent() ? String.valueOf(timestamp.getAsLong()) : "null";
    }

    private static OptionalLong known(OptionalLong timestamp) {
        return timestamp.isPresent() && timestamp.getAsLong() >= 0 ? timestamp : OptionalLong.empty();
    }
}
