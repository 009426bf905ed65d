package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.kafka.ProcessorStatus.StoppedAt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.apache.kafka.common.TopicPartition;

/**
 * The lanes of one partition. The lanes by their keys belong to the loop thread, since keys are the user's and their
 * {@code equals} is not called under a lock; everything else is guarded by the lock of the {@link WorkQueue}.
 */
final class PartitionLanes {
    final TopicPartition topicPartition;

    /** The loop thread's. */
    final Map<Object, Lane> byKey = new HashMap<>();

    /** The loop thread's: the incarnation in which it is not known what a record is ordered by, nor those behind it. */
    OffsetTracker refusedIn;

    /** First come, first served; a lane goes to the end after each record. */
    final Queue<Lane> runnable = new ArrayDeque<>();

    /** Lanes with a key that have become idle since the loop thread has last looked. */
    final List<Lane> idle = new ArrayList<>();

    /** The incarnation that the newest record is of. */
    private OffsetTracker newest;

    /** Whether there may be records of a former incarnation. */
    boolean holdsFormer;

    /** The incarnation in which a record has stopped the partition. */
    OffsetTracker stoppedIn;

    StoppedAt stoppedAt;

    PartitionLanes(TopicPartition topicPartition) {
        this.topicPartition = topicPartition;
    }

    /** Loop thread: the lane of a key, for a record that will be appended to it. */
    Lane lane(Object key) {
        return key == null ? new Lane(this, null) : byKey.computeIfAbsent(key, missing -> new Lane(this, missing));
    }

    /** A record of an incarnation is added. */
    void sees(OffsetTracker incarnation) {
        holdsFormer |= newest != null && newest != incarnation;
        newest = incarnation;
    }

    /** Whether there may be records that must not be started any more. */
    boolean mayHoldVoid() {
        return holdsFormer || isStopped() || (newest != null && newest.hasEnded());
    }

    /** Whether nothing more comes, as far as is known. */
    boolean isOver() {
        return !isStopped() && (newest == null || newest.hasEnded()) && (refusedIn == null || refusedIn.hasEnded());
    }

    /** Takes the lanes with a key that can be forgotten. */
    void takeDispensable(List<Lane> dispensable) {
        for (Lane lane : idle) {
            if (lane.isDispensable()) {
                dispensable.add(lane);
            }
        }
        idle.removeIf(lane -> lane.isDispensable() || lane.state != Lane.State.IDLE);
    }

    boolean isStopped() {
        return stoppedIn != null && !stoppedIn.hasEnded();
    }
}
