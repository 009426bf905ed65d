package dev.offsets.benchmarks;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;

/** A consumer that costs nothing: it returns what is prebuilt, and notes what is committed. */
final class PrebuiltConsumer extends MockConsumer<byte[], byte[]> {
    private final PrebuiltRecords records;
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private Set<TopicPartition> assignment = Set.of();
    private int nextPoll;

    PrebuiltConsumer(PrebuiltRecords records) {
        super("earliest");
        this.records = records;
    }

    boolean isAtEnd() {
        return nextPoll == PrebuiltRecords.POLLS;
    }

    /** A loop that has not done its work has not been measured. */
    void checkAllIsCommitted() {
        records.ends().forEach((partition, end) -> {
            if (!Long.valueOf(end.offset()).equals(committed.get(partition))) {
                throw new IllegalStateException(
                        partition + " is committed at " + committed.get(partition) + " of " + end);
            }
        });
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
        assignment = Set.copyOf(partitions);
    }

    @Override
    public Set<TopicPartition> assignment() {
        return assignment;
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        if (isAtEnd()) {
            return ConsumerRecords.empty();
        }
        ConsumerRecords<byte[], byte[]> polled = records.poll(nextPoll++);
        polled.nextOffsets().forEach((partition, next) -> positions.put(partition, next.offset()));
        return polled;
    }

    @Override
    public long position(TopicPartition partition) {
        return positions.getOrDefault(partition, 0L);
    }

    @Override
    public long position(TopicPartition partition, Duration timeout) {
        return position(partition);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
        return Map.of();
    }

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        commitSync(offsets, Duration.ZERO);
        callback.onComplete(offsets, null);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        offsets.forEach((partition, offset) -> committed.put(partition, offset.offset()));
    }

    @Override
    public Set<TopicPartition> paused() {
        return Set.of();
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {}

    @Override
    public void resume(Collection<TopicPartition> partitions) {}
}
