package dev.offsets.kafka.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** A consumer interceptor as many were written: it makes a new result, of some of the records, without next offsets. */
final class Interceptor {
    private Interceptor() {}

    @SuppressWarnings("deprecation")
    static ConsumerRecords<Long, Entry> onConsume(ConsumerRecords<Long, Entry> fetched, Chance chance) {
        Map<TopicPartition, List<ConsumerRecord<Long, Entry>>> kept = new LinkedHashMap<>();
        for (TopicPartition partition : fetched.partitions()) {
            List<ConsumerRecord<Long, Entry>> records = new ArrayList<>(fetched.records(partition));
            records.removeIf(record -> {
                boolean removed = chance.perMille(150);
                if (removed) {
                    record.value().excuse("removed by an interceptor");
                }
                return removed;
            });
            if (!records.isEmpty()) {
                kept.put(partition, records);
            }
        }
        return new ConsumerRecords<>(kept);
    }
}
