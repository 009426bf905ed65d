package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The records that one poll result holds of one partition, all of one incarnation, in ascending order of offsets, and
 * how many of them were handed out. Used on the loop thread, but for {@link #holds}.
 */
final class PartitionBatch<K, V> {
    final TopicPartition topicPartition;
    final OffsetTracker incarnation;
    private final List<ConsumerRecord<K, V>> records;
    private int size;
    private int handedOut;

    PartitionBatch(TopicPartition topicPartition, OffsetTracker incarnation, List<ConsumerRecord<K, V>> records) {
        this.topicPartition = topicPartition;
        this.incarnation = incarnation;
        this.records = records;
        this.size = records.size();
    }

    /** How many records belong to this result: all, or those that were handed out before the rest was taken. */
    int size() {
        return size;
    }

    ConsumerRecord<K, V> handOut(int index) {
        handedOut = Math.max(handedOut, index + 1);
        return records.get(index);
    }

    List<ConsumerRecord<K, V>> handOutAll() {
        handedOut = size();
        return records.subList(0, handedOut);
    }

    /** Hands out the records that were not handed out yet. */
    List<ConsumerRecord<K, V>> handOutRest() {
        List<ConsumerRecord<K, V>> rest = records.subList(handedOut, size());
        handedOut = size();
        return rest;
    }

    List<ConsumerRecord<K, V>> records() {
        return records;
    }

    int notHandedOut() {
        return size() - handedOut;
    }

    /** How many offsets have records of which none was handed out; an interceptor may have doubled a record. */
    int offsetsNotHandedOut() {
        int offsets = 0;
        long last = handedOut == 0 ? -1 : records.get(handedOut - 1).offset();
        for (int index = handedOut; index < size(); index++) {
            long offset = records.get(index).offset();
            offsets += offset == last ? 0 : 1;
            last = offset;
        }
        return offsets;
    }

    OptionalLong firstNotHandedOut() {
        return notHandedOut() == 0
                ? OptionalLong.empty()
                : OptionalLong.of(records.get(handedOut).offset());
    }

    boolean isRestTaken() {
        return size < records.size();
    }

    /** Takes the records that were not handed out: they belong to a later result from now on. */
    List<ConsumerRecord<K, V>> takeRest() {
        List<ConsumerRecord<K, V>> rest = new ArrayList<>(records.subList(handedOut, size()));
        size = handedOut;
        return rest;
    }

    /**
     * Any thread. Whether this very record is one of the batch: an equal offset is not enough, since the same offset may
     * have been delivered before, in an earlier incarnation.
     */
    boolean holds(ConsumerRecord<K, V> record) {
        long offset = record.offset();
        long expectedIndex = offset - records.get(0).offset();
        if (expectedIndex >= 0 && expectedIndex < records.size() && records.get((int) expectedIndex) == record) {
            return true;
        }
        int low = 0;
        int high = records.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (records.get(middle).offset() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return records.get(low) == record;
    }
}
