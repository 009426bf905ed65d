package dev.offsets.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What a {@link RecordProcessor} has in hand at one moment.
 *
 * @param queued how many records wait to be worked on; those that wait for a retry are among them, but
 *     for those that could not be deserialized
 * @param running how many records are being worked on, asynchronously too
 * @param retries the records that wait for another attempt, the next one first
 * @param stopped the partitions that a {@link FailurePolicy} has stopped, and why
 */
public record ProcessorStatus(
        long queued, long running, List<WaitingRetry> retries, Map<TopicPartition, StoppedAt> stopped) {
    /** Where there is no processor. */
    static final ProcessorStatus NOTHING = new ProcessorStatus(0, 0, List.of(), Map.of());

    public ProcessorStatus {
        retries = List.copyOf(retries);
        stopped = Map.copyOf(stopped);
    }

    /** With more records that wait for another attempt. */
    ProcessorStatus and(List<WaitingRetry> more) {
        List<WaitingRetry> all = new ArrayList<>(retries);
        all.addAll(more);
        all.sort(Comparator.comparing(WaitingRetry::nextAttemptIn));
        return new ProcessorStatus(queued, running, all, stopped);
    }

    /**
     * A record that has failed and waits for another attempt: by the handler, or at being sent as a dead letter; or
     * one that could not be deserialized and waits, unread, to be tried again.
     *
     * @param attempts how many attempts have failed so far
     * @param nextAttemptIn how long until it is due; from then on it is queued as others are
     * @param lastError why the last attempt failed
     */
    public record WaitingRetry(
            TopicPartition topicPartition, long offset, int attempts, Duration nextAttemptIn, Throwable lastError) {}

    /**
     * The record that has stopped a partition.
     *
     * @param cause why its last attempt failed
     */
    public record StoppedAt(long offset, Throwable cause) {}
}
