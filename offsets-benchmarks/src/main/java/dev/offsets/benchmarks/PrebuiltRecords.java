package dev.offsets.benchmarks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** What polls return, one after another: as many records as Kafka returns by default, of four partitions in turn. */
final class PrebuiltRecords {
    static final int POLLS = 200;
    static final int RECORDS_IN_A_POLL = 500;

    private static final int PARTITIONS = 4;
    private static final byte[] VALUE = new byte[100];

    private final List<ConsumerRecords<byte[], byte[]>> polls = new ArrayList<>();
    private final Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();

    PrebuiltRecords() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            ends.put(new TopicPartition("topic", partition), nextOffset(0));
        }
        for (int poll = 0; poll < POLLS; poll++) {
            TopicPartition partition = new TopicPartition("topic", poll % PARTITIONS);
            long first = ends.get(partition).offset();
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            for (long offset = first; offset < first + RECORDS_IN_A_POLL; offset++) {
                records.add(record(partition, offset));
            }
            OffsetAndMetadata next = nextOffset(first + RECORDS_IN_A_POLL);
            ends.put(partition, next);
            polls.add(new ConsumerRecords<>(Map.of(partition, records), Map.of(partition, next)));
        }
    }

    private static ConsumerRecord<byte[], byte[]> record(TopicPartition partition, long offset) {
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                offset,
                0,
                TimestampType.CREATE_TIME,
                0,
                VALUE.length,
                null,
                VALUE,
                new RecordHeaders(),
                Optional.of(1));
    }

    private static OffsetAndMetadata nextOffset(long offset) {
        return new OffsetAndMetadata(offset, Optional.of(1), "");
    }

    ConsumerRecords<byte[], byte[]> poll(int number) {
        return polls.get(number);
    }

    /** The offsets after the last records. */
    Map<TopicPartition, OffsetAndMetadata> ends() {
        return ends;
    }
}
