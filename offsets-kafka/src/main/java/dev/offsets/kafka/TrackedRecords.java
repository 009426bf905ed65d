package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.Receipt;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * What one {@link TrackedConsumer#poll poll} returned. There are two ways to use it:
 *
 * <ul>
 *   <li>iterate, and report each record's outcome through its {@link TrackedRecord}; or
 *   <li>take Kafka's own {@link #consumerRecords()}, for a loop that can't change its types, and report outcomes through
 *       this result: {@link #complete(ConsumerRecord)}.
 * </ul>
 *
 * <p>A record that an iterator has not returned by the time of the next poll comes again with the next result, in its
 * order, so a loop that is left in the middle loses nothing and blocks nothing; or, if its partition is paused by then, with
 * the first one after it is resumed. {@code consumerRecords()} hands out all
 * records at once.
 *
 * <p>Iterate on the loop thread, before the next poll. The reports may come from any thread, at any later time.
 */
public final class TrackedRecords<K, V> implements Iterable<TrackedRecord<K, V>> {
    private final List<PartitionBatch<K, V>> batches;
    private final ConsumerRecords<K, V> polled;
    private final Failures failures;

    /**
     * @param polled Kafka's own result, where it holds just the records of the batches; null where they hold records of
     *     an earlier poll too
     */
    TrackedRecords(List<PartitionBatch<K, V>> batches, ConsumerRecords<K, V> polled, Failures failures) {
        this.batches = batches;
        this.polled = polled;
        this.failures = failures;
    }

    List<PartitionBatch<K, V>> batches() {
        return batches;
    }

    /** Whether a consumer has polled this, to which these failures are reported. */
    boolean isOf(Failures consumers) {
        return failures == consumers;
    }

    /** How many records this result holds, handed out or not. */
    public int count() {
        int count = 0;
        for (PartitionBatch<K, V> batch : batches) {
            count += batch.size();
        }
        return count;
    }

    /** Whether this result holds no record. */
    public boolean isEmpty() {
        return count() == 0;
    }

    /**
     * The records, partition by partition, each partition's in ascending order of offsets. A second iterator begins anew
     * and returns handles for the same records.
     */
    @Override
    public Iterator<TrackedRecord<K, V>> iterator() {
        return new Handles();
    }

    /**
     * All records as Kafka's own type, handed out at once. Report their outcomes through {@link #complete},
     * {@link #fail} and {@link #skip} of this result.
     */
    public ConsumerRecords<K, V> consumerRecords() {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> records = new LinkedHashMap<>();
        boolean whole = polled != null;
        for (PartitionBatch<K, V> batch : batches) {
            whole &= !batch.isRestTaken();
            records.put(batch.topicPartition, batch.handOutAll());
        }
        return whole ? polled : new ConsumerRecords<>(records, Map.of());
    }

    /**
     * The work on a record is done; see {@link TrackedRecord#complete}.
     *
     * @param record a record of this result, the very object; any other is answered {@link Receipt#IGNORED}
     */
    public Receipt complete(ConsumerRecord<K, V> record) {
        OffsetTracker incarnation = incarnationOf(record);
        return incarnation == null ? Receipt.IGNORED : incarnation.complete(record.offset());
    }

    /**
     * The work on a record has failed; see {@link TrackedRecord#fail}.
     *
     * @param record a record of this result, the very object; any other is answered {@link Receipt#IGNORED}
     * @param cause why
     */
    public Receipt fail(ConsumerRecord<K, V> record, Throwable cause) {
        OffsetTracker incarnation = incarnationOf(record);
        return incarnation == null ? Receipt.IGNORED : TrackedRecord.fail(record, incarnation, failures, cause);
    }

    /**
     * A record is given up on purpose; see {@link TrackedRecord#skip}.
     *
     * @param record a record of this result, the very object; any other is answered {@link Receipt#IGNORED}
     * @param reason why, for the log
     */
    public Receipt skip(ConsumerRecord<K, V> record, String reason) {
        OffsetTracker incarnation = incarnationOf(record);
        return incarnation == null ? Receipt.IGNORED : TrackedRecord.skip(record, incarnation, reason);
    }

    /**
     * Claims a record before work on it begins; see {@link TrackedRecord#tryStart}.
     *
     * @param record a record of this result, the very object; false for any other
     */
    public boolean tryStart(ConsumerRecord<K, V> record) {
        OffsetTracker incarnation = incarnationOf(record);
        return incarnation != null && TrackedRecord.tryStart(record, incarnation, failures);
    }

    /** A poll returns few partitions, and comparing their numbers is cheaper than hashing and allocates nothing. */
    private OffsetTracker incarnationOf(ConsumerRecord<K, V> record) {
        Objects.requireNonNull(record, "record");
        for (PartitionBatch<K, V> batch : batches) {
            TopicPartition topicPartition = batch.topicPartition;
            if (topicPartition.partition() == record.partition()
                    && topicPartition.topic().equals(record.topic())) {
                return batch.holds(record) ? batch.incarnation : null;
            }
        }
        return null;
    }

    private final class Handles implements Iterator<TrackedRecord<K, V>> {
        private int nextBatch;
        private PartitionBatch<K, V> batch;
        private int nextRecord;

        @Override
        public boolean hasNext() {
            while (batch == null || nextRecord >= batch.size()) {
                if (nextBatch == batches.size()) {
                    return false;
                }
                batch = batches.get(nextBatch++);
                nextRecord = 0;
            }
            return true;
        }

        @Override
        public TrackedRecord<K, V> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return new TrackedRecord<>(batch.handOut(nextRecord++), batch.incarnation, failures);
        }
    }
}
