package dev.offsets.benchmarks.tracker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Kafka's records for those who want to be given them: made once, since a loop has them anyway, and moved to the offsets of
 * each poll.
 */
public final class PolledRecords {
    public static final TopicPartition TOPIC_PARTITION = new TopicPartition("topic", 0);

    private final List<MovingRecord> records;

    public PolledRecords(int most) {
        records = IntStream.range(0, most).mapToObj(i -> new MovingRecord()).toList();
    }

    /** The record with this number, at an offset. */
    public ConsumerRecord<String, String> at(int index, long offset) {
        MovingRecord record = records.get(index);
        record.offset = offset;
        return record;
    }

    /** The records of a poll. */
    public ConsumerRecords<String, String> at(long first, int[] distances) {
        for (int i = 0; i < distances.length; i++) {
            at(i, first + distances[i]);
        }
        List<ConsumerRecord<String, String>> polled = new ArrayList<>(records.subList(0, distances.length));
        return new ConsumerRecords<>(Map.of(TOPIC_PARTITION, polled), Map.of());
    }

    private static final class MovingRecord extends ConsumerRecord<String, String> {
        private long offset;

        MovingRecord() {
            super(TOPIC_PARTITION.topic(), TOPIC_PARTITION.partition(), 0, "key", "value");
        }

        @Override
        public long offset() {
            return offset;
        }
    }
}
