package dev.offsets.kafka;

import dev.offsets.kafka.Time.Deadline;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds records with their bytes as they are in the log: reads them once more, by their offsets, unless they were polled that
 * way. For any thread, one after another; has no consumer before the first record is read. What was read around a record is
 * kept, for its neighbours: they often fail together.
 */
final class OriginalRecords {
    private static final int PARTITIONS_KEPT = 16;
    private static final Logger log = LoggerFactory.getLogger(OriginalRecords.class);

    private final ConsumerConfiguration configuration;
    private final boolean polledAsTheyAre;
    private final Function<Map<String, Object>, Consumer<byte[], byte[]>> consumers;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    /** Null before the first record is read, and after closing. Written under the lock. */
    private volatile Consumer<byte[], byte[]> consumer;

    private volatile boolean closed;

    /** The newest fetch of each of the partitions read last. Under the lock. */
    private final Map<TopicPartition, Map<Long, ConsumerRecord<byte[], byte[]>>> fetches =
            new LinkedHashMap<>(PARTITIONS_KEPT, 0.75f, true);

    /** @param polledAsTheyAre whether records hold their bytes when they are polled */
    OriginalRecords(
            ConsumerConfiguration configuration,
            boolean polledAsTheyAre,
            Function<Map<String, Object>, Consumer<byte[], byte[]>> consumers,
            Time time) {
        this.configuration = configuration;
        this.polledAsTheyAre = polledAsTheyAre;
        this.consumers = consumers;
        this.time = time;
    }

    /**
     * What is to be sent for a record. May block, for {@code default.api.timeout.ms} at most.
     *
     * @throws RecordNotInLogException if it is not there any more
     * @throws RuntimeException if it could not be read
     */
    DeadLetter deadLetter(ConsumerRecord<?, ?> record, Throwable error) {
        return new DeadLetter(original(record), configuration.group(), error);
    }

    private ConsumerRecord<byte[], byte[]> original(ConsumerRecord<?, ?> record) {
        if (polledAsTheyAre || record instanceof UndecodableRecord) {
            return asBytes(record);
        }
        Deadline deadline = Deadline.in(time, configuration.defaultApiTimeout());
        lock(record, deadline);
        try {
            return read(record, deadline);
        } finally {
            if (closed) {
                closeConsumer(Duration.ZERO);
            }
            lock.unlock();
        }
    }

    @SuppressWarnings("unchecked")
    private static ConsumerRecord<byte[], byte[]> asBytes(ConsumerRecord<?, ?> record) {
        return (ConsumerRecord<byte[], byte[]>) record;
    }

    private void lock(ConsumerRecord<?, ?> record, Deadline deadline) {
        try {
            if (!lock.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw notInTime(record);
            }
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private ConsumerRecord<byte[], byte[]> read(ConsumerRecord<?, ?> record, Deadline deadline) {
        TopicPartition topicPartition = new TopicPartition(record.topic(), record.partition());
        ConsumerRecord<byte[], byte[]> kept =
                fetches.getOrDefault(topicPartition, Map.of()).get(record.offset());
        if (kept != null && isSame(kept, record)) {
            return kept;
        }
        ConsumerRecord<byte[], byte[]> first = fetch(topicPartition, record, deadline);
        if (first == null || !isSame(first, record)) {
            throw new RecordNotInLogException(topicPartition, record.offset(), null);
        }
        return first;
    }

    /** Another record may stand at the offset if the log was truncated, or the topic made anew. */
    private static boolean isSame(ConsumerRecord<?, ?> read, ConsumerRecord<?, ?> polled) {
        boolean hasTimestamp = polled.timestamp() != ConsumerRecord.NO_TIMESTAMP;
        boolean hasEpochs =
                read.leaderEpoch().isPresent() && polled.leaderEpoch().isPresent();
        return read.offset() == polled.offset()
                && (!hasTimestamp || read.timestamp() == polled.timestamp())
                && (!hasEpochs || read.leaderEpoch().equals(polled.leaderEpoch()));
    }

    /** The first record at or above an offset; null if none is there, only holes. */
    private ConsumerRecord<byte[], byte[]> fetch(
            TopicPartition topicPartition, ConsumerRecord<?, ?> record, Deadline deadline) {
        Consumer<byte[], byte[]> reader = reader();
        try {
            reader.assign(Set.of(topicPartition));
            reader.seek(topicPartition, record.offset());
            do {
                List<ConsumerRecord<byte[], byte[]>> fetched =
                        reader.poll(deadline.remaining()).records(topicPartition);
                if (!fetched.isEmpty()) {
                    keep(topicPartition, fetched);
                    return fetched.get(0);
                }
                if (reader.position(topicPartition, deadline.remaining()) > record.offset()) {
                    return null;
                }
            } while (!deadline.isPast());
        } catch (OffsetOutOfRangeException e) {
            throw new RecordNotInLogException(topicPartition, record.offset(), e);
        }
        throw notInTime(record);
    }

    private Consumer<byte[], byte[]> reader() {
        if (closed) {
            throw new IllegalStateException("the consumer has been closed: records are not read once more");
        }
        if (consumer == null) {
            consumer = consumers.apply(configuration.forReadingAgain());
        }
        return consumer;
    }

    private void keep(TopicPartition topicPartition, List<ConsumerRecord<byte[], byte[]>> fetched) {
        Map<Long, ConsumerRecord<byte[], byte[]>> byOffset = new HashMap<>();
        fetched.forEach(record -> byOffset.put(record.offset(), record));
        fetches.put(topicPartition, byOffset);
        if (fetches.size() > PARTITIONS_KEPT) {
            fetches.remove(fetches.keySet().iterator().next());
        }
    }

    private static TimeoutException notInTime(ConsumerRecord<?, ?> record) {
        return new TimeoutException("record " + record.topic() + "-" + record.partition() + "@" + record.offset()
                + " could not be read once more within default.api.timeout.ms");
    }

    /** Loop thread, once. A read that is going on is cut short, and closes the consumer itself if it takes too long. */
    void close(Deadline deadline) {
        closed = true;
        Consumer<byte[], byte[]> reader = consumer;
        if (reader == null) {
            return;
        }
        reader.wakeup();
        if (lockToClose(deadline)) {
            try {
                closeConsumer(deadline.remaining());
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean lockToClose(Deadline deadline) {
        if (lock.tryLock()) {
            return true; // even if this thread has been interrupted
        }
        try {
            return lock.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** KIP-1092 replaces close(Duration), but consumers before Kafka 4.1 have no other. */
    @SuppressWarnings("deprecation")
    private void closeConsumer(Duration timeout) {
        if (consumer != null) {
            try {
                consumer.close(timeout);
            } catch (RuntimeException e) {
                log.warn("Closing the consumer that read dead letters' bytes failed", e);
            }
            consumer = null;
            fetches.clear();
        }
    }
}
