package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.Receipt;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record in the hands of a {@link RecordProcessor}, until it is finished or dropped. While it is being worked on it belongs
 * to whoever does that; otherwise to the {@link WorkQueue}, under its lock.
 */
final class QueuedRecord {
    /** What came of being worked on. */
    enum Fate {
        /** Finished, or not to be started any more. */
        GONE,
        /** To be tried again once it is due. */
        AGAIN,
        /** It stops the consumer: it stays incomplete, and what is ordered behind it is not started. */
        STOPS_CONSUMER,
        /** It stops its partition: it stays incomplete, and nothing more of the partition is started. */
        STOPS_PARTITION
    }

    /** As the handler gets it; with the raw bytes, if it could not be deserialized. */
    final ConsumerRecord<?, ?> record;

    final OffsetTracker incarnation;
    final Lane lane;

    /** The next one of its lane. */
    QueuedRecord next;

    /** Null until an attempt has failed. */
    Attempts attempts;

    Fate fate;

    /** When it is to be tried again. */
    long dueNanos;

    QueuedRecord(ConsumerRecord<?, ?> record, OffsetTracker incarnation, Lane lane) {
        this.record = record;
        this.incarnation = incarnation;
        this.lane = lane;
    }

    long offset() {
        return record.offset();
    }

    void againAt(long nanos) {
        dueNanos = nanos;
        fate = Fate.AGAIN;
    }

    /** From now on it is not waited for. If not, it is no longer this consumer's, or somebody else's report counts. */
    boolean isReleased() {
        return incarnation.release(offset()) == Receipt.ACCEPTED;
    }

    /** Whether it is tried on its own: it is not known whose fault the failure of a batch was. */
    boolean isTriedAlone() {
        return attempts != null;
    }

    /** Whether it must not be started any more. */
    boolean isVoid() {
        return incarnation.hasEnded() || incarnation == lane.stoppedIn || incarnation == lane.partition.stoppedIn;
    }
}
