package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.TopicPartition;

/**
 * What workers reported as failed, for the loop thread to find: workers add, the loop thread looks and removes. With it goes,
 * to every record, what they have started.
 */
final class Failures {
    private record Failure(TopicPartition topicPartition, long offset, OffsetTracker incarnation, Throwable cause) {}

    private final Queue<Failure> reported = new ConcurrentLinkedQueue<>();
    private final Starts starts = new Starts();

    Starts starts() {
        return starts;
    }

    /** Any thread. */
    void add(TopicPartition topicPartition, long offset, OffsetTracker incarnation, Throwable cause) {
        reported.add(new Failure(topicPartition, offset, incarnation, cause));
    }

    /** A record has been given up after it had failed without having been delivered. */
    void forget(TopicPartition topicPartition, long offset) {
        reported.removeIf(failure -> failure.offset == offset && failure.topicPartition.equals(topicPartition));
    }

    /**
     * The failures that still hold a partition back, as one exception with the others suppressed in it; null when there
     * are none. A failure is forgotten with its incarnation: after a seek or a revocation the record comes again.
     */
    RecordFailedException current() {
        reported.removeIf(failure -> failure.incarnation.hasEnded());
        RecordFailedException first = null;
        for (Failure failure : reported) {
            var exception = new RecordFailedException(failure.topicPartition, failure.offset, failure.cause);
            if (first == null) {
                first = exception;
            } else {
                first.addSuppressed(exception);
            }
        }
        return first;
    }
}
