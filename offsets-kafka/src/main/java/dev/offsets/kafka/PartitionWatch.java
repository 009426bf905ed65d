package dev.offsets.kafka;

import dev.offsets.kafka.Diagnosis.CommitTrouble;
import dev.offsets.kafka.Diagnosis.Loss;
import java.util.OptionalLong;

/**
 * What reports want to know of one partition beside its tracker. The loop thread writes, any thread reads: each value is
 * immutable, and replaced as a whole.
 */
final class PartitionWatch {
    /** How far the Kafka consumer was from the end when its position was this. */
    record ClientLag(long position, long lag) {}

    private volatile OptionalLong committed = OptionalLong.empty();
    private volatile CommitTrouble trouble;
    private volatile Loss loss;
    private volatile RecordTimestamps timestamps = new RecordTimestamps();
    private volatile PartitionTrend trend;
    private volatile ClientLag clientLag;
    private volatile OptionalLong unreadable = OptionalLong.empty();
    private volatile long leftOut;

    /** A new incarnation begins: what was seen of the one before tells nothing of it. */
    void beginAnew() {
        trouble = null;
        timestamps = new RecordTimestamps();
        trend = null;
        clientLag = null;
        unreadable = OptionalLong.empty();
    }

    /** What the group has stored is known to be this. */
    void storedIs(long offset) {
        committed = OptionalLong.of(offset);
    }

    void commitConfirmed() {
        trouble = null;
    }

    void commitFailed(Exception cause, long now) {
        trouble = CommitTrouble.after(trouble, cause, now);
    }

    void lost(long from, long to, long now) {
        loss = new Loss(from, to, now);
    }

    void lookedAt(PartitionTrend newTrend) {
        trend = newTrend;
    }

    void clientLagIs(ClientLag lag) {
        clientLag = lag;
    }

    /** At this offset is a record that could not be deserialized. */
    void couldNotRead(long offset) {
        unreadable = OptionalLong.of(offset);
    }

    /** So many records more were not handed out, since they have finished before. */
    void leftOut(int records) {
        leftOut += records;
    }

    /** Since the partition was assigned. */
    long leftOut() {
        return leftOut;
    }

    OptionalLong committed() {
        return committed;
    }

    /** Null when the last commit was confirmed. */
    CommitTrouble trouble() {
        return trouble;
    }

    /** The newest; null when there was none. */
    Loss loss() {
        return loss;
    }

    RecordTimestamps timestamps() {
        return timestamps;
    }

    /** As of the last look; null before the first. */
    PartitionTrend trend() {
        return trend;
    }

    /** Whether the next record to read is known to be one that could not be deserialized. */
    boolean isUnreadableAt(long position) {
        return unreadable.equals(OptionalLong.of(position));
    }

    /** Empty where it was not measured at this position. */
    OptionalLong clientLagAt(long position) {
        ClientLag measured = clientLag;
        return measured == null || measured.position != position ? OptionalLong.empty() : Lag.known(measured.lag);
    }
}
