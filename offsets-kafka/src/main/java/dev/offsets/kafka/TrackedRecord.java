package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.Receipt;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A record that was handed out and waits for its outcome: {@link #complete}, {@link #fail} or {@link #skip}, reported
 * once, from any thread. The first report counts and is answered {@link Receipt#ACCEPTED}; all later ones change nothing
 * and are answered {@link Receipt#IGNORED}, and so is every report after the record's partition was revoked, lost or
 * sought, or the consumer closed: the record is then delivered again, to whoever reads the partition next.
 *
 * <p>A record for which nothing is ever reported stays incomplete: nothing at or above its offset is committed, and its
 * partition is paused once it holds {@linkplain TrackedConsumerBuilder#maxInFlightPerPartition as many records as
 * allowed}.
 *
 * <p>Thread-safe. No method blocks or throws for a reason outside its arguments.
 */
public final class TrackedRecord<K, V> {
    private static final Logger log = LoggerFactory.getLogger(TrackedRecord.class);

    private final ConsumerRecord<K, V> record;
    private final OffsetTracker incarnation;
    private final Failures failures;

    TrackedRecord(ConsumerRecord<K, V> record, OffsetTracker incarnation, Failures failures) {
        this.record = record;
        this.incarnation = incarnation;
        this.failures = failures;
    }

    /** The record as the Kafka consumer returned it, the very object. */
    public ConsumerRecord<K, V> consumerRecord() {
        return record;
    }

    /** {@link ConsumerRecord#topic()}. */
    public String topic() {
        return record.topic();
    }

    /** {@link ConsumerRecord#partition()}. */
    public int partition() {
        return record.partition();
    }

    /** {@link ConsumerRecord#offset()}. */
    public long offset() {
        return record.offset();
    }

    /** {@link ConsumerRecord#key()}. */
    public K key() {
        return record.key();
    }

    /** {@link ConsumerRecord#value()}. */
    public V value() {
        return record.value();
    }

    /** {@link ConsumerRecord#headers()}. */
    public Headers headers() {
        return record.headers();
    }

    /** The work on this record is done; its offset may be committed once everything below it is done too. */
    public Receipt complete() {
        return incarnation.complete(record.offset());
    }

    /**
     * The work on this record has failed. The record is not finished, so nothing at or above its offset is committed;
     * the consumer stops: its next {@link TrackedConsumer#poll poll} commits what has finished and throws a
     * {@link RecordFailedException}.
     *
     * @param cause why; becomes the exception's cause
     */
    public Receipt fail(Throwable cause) {
        return fail(record, incarnation, failures, cause);
    }

    /**
     * This record is given up on purpose: it counts as finished, and a line in the log says so.
     *
     * @param reason why, for the log
     */
    public Receipt skip(String reason) {
        return skip(record, incarnation, reason);
    }

    /**
     * Claims this record right before work on it begins. Of use with {@link TrackedConsumerBuilder#explicitStarts()}:
     * what waits in a queue is then not waited for when its partition is taken away.
     *
     * @return true for the one caller that should do the work; false if it was claimed or its outcome reported before, or
     *     its partition is being taken away: leave the record alone then
     */
    public boolean tryStart() {
        return tryStart(record, incarnation, failures);
    }

    static boolean tryStart(ConsumerRecord<?, ?> record, OffsetTracker incarnation, Failures failures) {
        boolean started = incarnation.tryStart(record.offset());
        if (started) {
            failures.starts().started(incarnation, record.offset());
        }
        return started;
    }

    static Receipt fail(ConsumerRecord<?, ?> record, OffsetTracker incarnation, Failures failures, Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        Receipt receipt = incarnation.fail(record.offset());
        if (receipt == Receipt.ACCEPTED) {
            failures.add(topicPartition(record), record.offset(), incarnation, cause);
        }
        return receipt;
    }

    static Receipt skip(ConsumerRecord<?, ?> record, OffsetTracker incarnation, String reason) {
        return skip(topicPartition(record), record.offset(), incarnation, reason);
    }

    static Receipt skip(TopicPartition topicPartition, long offset, OffsetTracker incarnation, String reason) {
        Objects.requireNonNull(reason, "reason");
        Receipt receipt = incarnation.complete(offset);
        if (receipt == Receipt.ACCEPTED) {
            log.info("Record {}@{} skipped: {}", topicPartition, offset, reason);
        }
        return receipt;
    }

    private static TopicPartition topicPartition(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    /** Topic, partition and offset: {@code orders-3@1042}. */
    @Override
    public String toString() {
        return topicPartition(record) + "@" + record.offset();
    }
}
