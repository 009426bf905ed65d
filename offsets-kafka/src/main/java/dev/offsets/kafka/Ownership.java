package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** The partitions that this consumer owns. Belongs to the loop thread, but for {@link #status} and {@link #published}. */
final class Ownership {
    private final Events events;
    private final Time time;
    private final ConsumerMetrics metrics;
    private final Map<TopicPartition, OwnedPartition> owned = new HashMap<>();

    /** A copy for other threads, replaced whenever a partition comes or goes. */
    private volatile List<OwnedPartition> published = List.of();

    Ownership(Events events, Time time, ConsumerMetrics metrics) {
        this.events = events;
        this.time = time;
        this.metrics = metrics;
    }

    /** The partition, which becomes owned if it is not yet. */
    OwnedPartition own(TopicPartition topicPartition) {
        OwnedPartition partition = owned.get(topicPartition);
        if (partition == null) {
            partition = new OwnedPartition(topicPartition, events, time);
            owned.put(topicPartition, partition);
            metrics.owned(topicPartition);
            publish();
        }
        return partition;
    }

    boolean owns(TopicPartition topicPartition) {
        return owned.containsKey(topicPartition);
    }

    /** Those of the given partitions that are owned. */
    List<OwnedPartition> among(Collection<TopicPartition> topicPartitions) {
        List<OwnedPartition> found = new ArrayList<>();
        for (TopicPartition topicPartition : topicPartitions) {
            OwnedPartition partition = owned.get(topicPartition);
            if (partition != null) {
                found.add(partition);
            }
        }
        return found;
    }

    Collection<OwnedPartition> all() {
        return Collections.unmodifiableCollection(owned.values());
    }

    /** Fences partitions and forgets them: nothing is committed for them from now on. */
    void fence(Collection<OwnedPartition> partitions) {
        for (OwnedPartition partition : List.copyOf(partitions)) {
            partition.fence();
            owned.remove(partition.topicPartition);
            metrics.gone(partition.topicPartition);
        }
        publish();
    }

    private void publish() {
        published = List.copyOf(owned.values());
    }

    /** The partitions that are owned; another list after each change. Any thread. */
    List<OwnedPartition> published() {
        return published;
    }

    /** Any thread. */
    Map<TopicPartition, TrackerStatus> status() {
        return status(published);
    }

    /** How many finished records of all partitions would be done again if this process ended now. Any thread. */
    long replayExposure() {
        long exposure = 0;
        for (OwnedPartition partition : published) {
            TrackerStatus status = partition.status();
            if (status != null) {
                exposure += partition.replayExposure(status.completedAhead());
            }
        }
        return exposure;
    }

    static Map<TopicPartition, TrackerStatus> status(Collection<OwnedPartition> partitions) {
        Map<TopicPartition, TrackerStatus> status = new LinkedHashMap<>();
        for (OwnedPartition partition : partitions) {
            TrackerStatus one = partition.status();
            if (one != null) {
                status.put(partition.topicPartition, one);
            }
        }
        return Collections.unmodifiableMap(status);
    }
}
