package dev.offsets.kafka;

import dev.offsets.kafka.PartitionStatus.Kind;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells log and listener when a partition is worse off than before, at once, and when it is better, after that has lasted:
 * so that what comes and goes is told once. Belongs to the loop thread.
 */
final class StatusChanges {
    private static final Logger log = LoggerFactory.getLogger(StatusChanges.class);
    private static final PartitionStatus NOTHING = new PartitionStatus.Unknown("not looked at yet");

    private static final class Told {
        PartitionStatus status = NOTHING;
        boolean better;
        long betterSinceNanos;
    }

    private final Events events;
    private final long settledAfterNanos;
    private final Map<TopicPartition, Told> told = new HashMap<>();

    StatusChanges(Events events, StatusThresholds thresholds) {
        this.events = events;
        this.settledAfterNanos = Time.saturatedNanos(thresholds.settledAfter());
    }

    void see(TopicPartition partition, PartitionStatus status, long now) {
        Told last = told.computeIfAbsent(partition, any -> new Told());
        Kind before = level(last.status);
        Kind present = level(status);
        if (present == before) {
            last.better = false;
        } else if (present.isWorseThan(before)) {
            tell(partition, last, status);
        } else if (!last.better) {
            last.better = true;
            last.betterSinceNanos = now;
        }
        if (last.better && now - last.betterSinceNanos >= settledAfterNanos) {
            tell(partition, last, status);
        }
    }

    /** Between these nothing is told: a healthy partition goes from one to the other all the time. */
    private static Kind level(PartitionStatus status) {
        return status.kind().compareTo(Kind.UNKNOWN) >= 0 ? Kind.OK : status.kind();
    }

    private void tell(TopicPartition partition, Told last, PartitionStatus status) {
        PartitionStatus before = last.status;
        last.status = status;
        last.better = false;
        if (status.kind().isHealthy()) {
            log.info("{} is {} after {}: {}", partition, status.kind(), before.kind(), status.evidence());
        } else {
            log.warn("{} is {} after {}: {}", partition, status.kind(), before.kind(), status.evidence());
        }
        events.statusChanged(partition, before, status);
    }

    /** Of partitions that are not owned any more nothing is remembered. */
    void retain(Collection<TopicPartition> partitions) {
        told.keySet().retainAll(partitions);
    }
}
