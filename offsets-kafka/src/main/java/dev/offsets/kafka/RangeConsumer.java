package dev.offsets.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * A Kafka consumer outside of any group, that reads each of its partitions from one offset up to another and no further.
 * What is committed stays here: it is where reading would go on.
 */
final class RangeConsumer<K, V> extends KafkaConsumer<K, V> {
    private static final Duration LOOK_UP_TIMEOUT = Duration.ofSeconds(10);

    private final Map<TopicPartition, Long> ends;
    private final Map<TopicPartition, OffsetAndMetadata> stored = new ConcurrentHashMap<>();

    /** Where logs begin that have lost what was to be read next. */
    private final Map<TopicPartition, Long> retainedFrom = new ConcurrentHashMap<>();

    /** Where there may be more to read. */
    private final Set<TopicPartition> open = new HashSet<>();

    RangeConsumer(
            Map<String, Object> configuration,
            Deserializer<K> keyDeserializer,
            Deserializer<V> valueDeserializer,
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends) {
        super(configuration, keyDeserializer, valueDeserializer);
        this.ends = ends;
        starts.forEach((partition, offset) -> stored.put(partition, new OffsetAndMetadata(offset)));
    }

    /** Any thread: where reading would go on after what was committed. */
    long stored(TopicPartition partition) {
        return stored.get(partition).offset();
    }

    /** Any thread: where the log begins, if a poll has found that what was to be read next is gone; otherwise 0. */
    long retainedFrom(TopicPartition partition) {
        return retainedFrom.getOrDefault(partition, 0L);
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
        super.assign(partitions);
        for (TopicPartition partition : partitions) {
            seek(partition, stored.get(partition));
            open.add(partition);
        }
        closeWhatIsRead();
    }

    @Override
    public ConsumerRecords<K, V> poll(Duration timeout) {
        ConsumerRecords<K, V> polled;
        try {
            polled = super.poll(timeout);
        } catch (OffsetOutOfRangeException e) {
            throw notInTheLog(e.offsetOutOfRangePartitions());
        }
        closeWhatIsRead();
        Map<TopicPartition, List<ConsumerRecord<K, V>>> within = new HashMap<>();
        for (TopicPartition partition : polled.partitions()) {
            List<ConsumerRecord<K, V>> records = new ArrayList<>(polled.records(partition));
            records.removeIf(record -> record.offset() >= ends.get(partition));
            if (!records.isEmpty()) {
                within.put(partition, records);
            }
        }
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        polled.nextOffsets().forEach((partition, offset) -> next.put(partition, within(partition, offset)));
        return new ConsumerRecords<>(within, next);
    }

    private OffsetOutOfRangeException notInTheLog(Map<TopicPartition, Long> positions) {
        StringJoiner message = new StringJoiner("; ");
        // This makes the client forget where these logs end, which matters no more: they are not read any further.
        Map<TopicPartition, Long> starts = super.beginningOffsets(positions.keySet(), LOOK_UP_TIMEOUT);
        positions.forEach((partition, position) -> {
            long start = starts.get(partition);
            if (position < start) {
                retainedFrom.put(partition, start);
                message.add(partition + ": the records from " + position + " up to " + start
                        + ", where the log begins now, were deleted before they were read. To go on without them, open"
                        + " remaining()");
            } else {
                message.add(partition + ": " + position
                        + " is beyond the end of the log, which was cut or made anew. Ask for the range again");
            }
        });
        return new OffsetOutOfRangeException(message.toString(), positions);
    }

    private OffsetAndMetadata within(TopicPartition partition, OffsetAndMetadata offset) {
        long end = ends.get(partition);
        return offset.offset() <= end ? offset : new OffsetAndMetadata(end);
    }

    /** Nothing is fetched of what has been read to its end. */
    private void closeWhatIsRead() {
        for (TopicPartition partition : List.copyOf(open)) {
            try {
                if (super.position(partition, Duration.ZERO) >= ends.get(partition)) {
                    open.remove(partition);
                    pause(Set.of(partition));
                }
            } catch (TimeoutException e) {
                // Its position is being looked for: it will be known after another poll.
                continue;
            }
        }
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        Set<TopicPartition> unread = new HashSet<>(partitions);
        unread.retainAll(open);
        super.resume(unread);
    }

    @Override
    public long position(TopicPartition partition, Duration timeout) {
        return Math.min(super.position(partition, timeout), ends.get(partition));
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
        Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>(stored);
        found.keySet().retainAll(partitions);
        return found;
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        stored.putAll(offsets);
    }

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        stored.putAll(offsets);
        callback.onComplete(offsets, null);
    }
}
