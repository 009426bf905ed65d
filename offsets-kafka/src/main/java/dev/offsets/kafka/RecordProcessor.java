package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Works on a consumer's records on the user's executor, in the order asked for, and deals with failures. Made by
 * {@link TrackedConsumer#processor}:
 *
 * <pre>{@code
 * RecordProcessor<String, Order> processor = consumer.processor(workers, 64)
 *         .orderedByKey()
 *         .onFailure(FailurePolicy.retry().attempts(5).thenSkip("not worth more"))
 *         .handle(record -> handle(record.value()));
 * while (running) {
 *     processor.process(consumer.poll(Duration.ofMillis(100)));
 * }
 * }</pre>
 *
 * <p>It has no thread of its own. {@link #process} queues; the executor's threads work; retries become due in the turns of
 * {@link TrackedConsumer#poll}, also while it waits. Queued records are bounded by the consumer's {@linkplain
 * TrackedConsumerBuilder#maxInFlightPerPartition own bounds}. Records of a partition that is taken away are not started any
 * more; those that are being worked on are waited for.
 *
 * <p>{@link #process} belongs to the loop thread; {@link #status} may be called from any.
 */
public final class RecordProcessor<K, V> {
    RecordProcessor(RecordProcessorBuilder<K, V> settings, AsyncHandler<List<ConsumerRecord<K, V>>> handler) {}

    /**
     * Queues all records of a poll result that were not handed out yet, and returns without waiting. With an executor that
     * runs what it is given on the calling thread, the records are worked on here.
     *
     * @param records what this consumer's poll returned
     */
    public void process(TrackedRecords<K, V> records) {
        throw new UnsupportedOperationException("not built yet");
    }

    /** What is in hand. Any thread; costs in proportion to the retries that wait. */
    public ProcessorStatus status() {
        throw new UnsupportedOperationException("not built yet");
    }

    /**
     * Loop thread: a record could not be deserialized. Counts the attempt and asks the policy; an answer that is none, and an
     * exception, is {@link FailureAction#stopConsumer}. What comes of it is the caller's to do.
     */
    FailureAction onUndecodable(TopicPartition topicPartition, long offset, Throwable error) {
        throw new UnsupportedOperationException("not built yet");
    }

    /**
     * Loop thread: sends a record that could not be deserialized as a dead letter, as work on the executor with its own
     * retries, and completes it when that is confirmed.
     *
     * @param raw the record with its bytes as they are
     * @param incarnation the tracker in which it has been tracked
     */
    void deadLetter(
            ConsumerRecord<byte[], byte[]> raw, OffsetTracker incarnation, DeadLetters deadLetters, Throwable error) {
        throw new UnsupportedOperationException("not built yet");
    }

    /** Loop thread: nothing more of a partition is started or fetched in this incarnation. */
    void stopPartition(TopicPartition topicPartition, long offset, OffsetTracker incarnation, Throwable cause) {
        throw new UnsupportedOperationException("not built yet");
    }
}
