package dev.offsets.kafka;

import dev.offsets.CommitPolicy;
import dev.offsets.TrackerStatus;
import dev.offsets.kafka.ReplayRange.Part;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Reads a range of some logs, with a consumer of its own outside of any group: nothing is committed, and neither a group nor a
 * running consumer notices. To fill a table again, or to see exactly what a consumer has seen.
 *
 * <pre>{@code
 * try (RangeReplay<String, Order> replay = RangeReplay.open(config, range)) {
 *     RecordProcessor<String, Order> processor =
 *             replay.processor(workers, 64).orderedByKey().handle(record -> handle(record.value()));
 *     while (!replay.isDone()) {
 *         processor.process(replay.poll(Duration.ofMillis(100)));
 *     }
 * }
 * }</pre>
 *
 * <p>It can be left at any time, and goes on where it was: {@link #remaining} is the range that is left. What had finished
 * above a record that had not is done again then.
 *
 * <p><b>Threads.</b> As with a {@link TrackedConsumer}: all methods belong to one thread, but for {@link #progress},
 * {@link #remaining}, {@link #isDone} and {@link #wakeup}, which are for any.
 */
public final class RangeReplay<K, V> implements AutoCloseable {
    private static final String LABEL = "replay";
    private static final CommitPolicy NEVER = CommitPolicy.timeBounded(Duration.ofDays(10_000));

    private final Map<TopicPartition, Long> starts = new HashMap<>();
    private final Map<TopicPartition, Long> ends = new HashMap<>();
    private final RangeConsumer<K, V> kafka;
    private final TrackedConsumer<K, V> consumer;
    private final Time time;
    private final long openedAtNanos;

    private RangeReplay(
            ConsumerConfiguration configuration, ReplayRange range, Deserializer<K> key, Deserializer<V> value) {
        range.parts().forEach(this::add);
        if (starts.isEmpty()) {
            throw new IllegalArgumentException("the range has no partition: there is nothing to read");
        }
        Map<String, Object> ofItsOwn = configuration.forReplay(LABEL);
        this.kafka = new RangeConsumer<>(ofItsOwn, key, value, starts, ends);
        this.time = Time.SYSTEM;
        this.openedAtNanos = time.nanoTime();
        Map<String, Object> tracked = new HashMap<>(ofItsOwn);
        tracked.put("group.id", configuration.group() == null ? LABEL : configuration.group());
        this.consumer = TrackedConsumer.wrap(kafka, tracked).commitPolicy(NEVER).build();
        try {
            consumer.assign(starts.keySet());
        } catch (RuntimeException e) {
            consumer.close(Duration.ZERO);
            throw e;
        }
    }

    private void add(Part part) {
        for (ResolvedPoint point : List.of(part.from(), part.to())) {
            if (point.offset().isEmpty()) {
                throw new IllegalArgumentException(part.topicPartition() + ", " + point.requested() + ": "
                        + point.reason() + ". Ask again, or leave the partition out");
            }
        }
        long from = part.from().offset().getAsLong();
        starts.put(part.topicPartition(), from);
        ends.put(part.topicPartition(), Math.max(from, part.to().offset().getAsLong()));
    }

    /**
     * Begins to read a range, with the deserializers that the configuration names.
     *
     * @param config the configuration of a Kafka consumer: of one whose records are to be seen again, for example. Its
     *     {@code group.id} is not joined, and only named as the source of dead letters; {@code auto.offset.reset} is not
     *     used
     * @throws IllegalArgumentException if the range has no partition, or one of which an end could not be told
     */
    public static <K, V> RangeReplay<K, V> open(Map<String, ?> config, ReplayRange range) {
        return open(config, range, null, null);
    }

    /** As {@link #open(Map, ReplayRange)}, with deserializers that are given. */
    public static <K, V> RangeReplay<K, V> open(
            Map<String, ?> config, ReplayRange range, Deserializer<K> key, Deserializer<V> value) {
        Objects.requireNonNull(range, "range");
        return new RangeReplay<>(new ConsumerConfiguration(config), range, key, value);
    }

    /** See {@link TrackedConsumer#processor}. */
    public RecordProcessorBuilder<K, V> processor(Executor executor, int maxConcurrency) {
        return consumer.processor(executor, maxConcurrency);
    }

    /**
     * Fetches records of the range, as {@link TrackedConsumer#poll} does. When all have been fetched it goes on returning
     * empty results while the last ones are being worked on; when it {@link #isDone}, at once.
     *
     * @throws org.apache.kafka.clients.consumer.OffsetOutOfRangeException if records of the range were deleted before they
     *     were read, and which; so does each later call. {@link #remaining} then begins behind them
     */
    public TrackedRecords<K, V> poll(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        return consumer.poll(isDone() ? Duration.ZERO : timeout);
    }

    /** Passes over a record of the range; see {@link TrackedConsumer#skip}. */
    public void skip(TopicPartition partition, long offset, String reason) {
        consumer.skip(partition, offset, reason);
    }

    /** Whether every record of the range has finished, as of the last poll. */
    public boolean isDone() {
        Map<TopicPartition, Long> next = next(consumer.status());
        return ends.entrySet().stream().allMatch(end -> next.get(end.getKey()) >= end.getValue());
    }

    /**
     * What is left of the range: to be opened anew, after an interruption. Records that {@link #poll} has found to be deleted
     * are not part of it any more.
     */
    public ReplayRange remaining() {
        Map<TopicPartition, Long> from = next(consumer.status());
        from.replaceAll((partition, offset) -> Math.max(offset, kafka.retainedFrom(partition)));
        return ReplayRange.between(from, ends);
    }

    /** In each partition the offset below which everything of the range has finished. */
    private Map<TopicPartition, Long> next(Map<TopicPartition, TrackerStatus> status) {
        Map<TopicPartition, Long> next = new HashMap<>();
        for (TopicPartition partition : starts.keySet()) {
            TrackerStatus one = status.get(partition);
            next.put(partition, Math.max(kafka.stored(partition), one == null ? 0 : one.committableOffset()));
        }
        return next;
    }

    /** How far it has come, how quickly, and how long it may still take. */
    public ReplayProgress progress() {
        Map<TopicPartition, TrackerStatus> status = consumer.status();
        long total = 0;
        long finished = 0;
        for (Map.Entry<TopicPartition, Long> next : next(status).entrySet()) {
            long start = starts.get(next.getKey());
            TrackerStatus one = status.get(next.getKey());
            total += ends.get(next.getKey()) - start;
            finished += next.getValue() - start + (one == null ? 0 : one.completedAhead());
        }
        return new ReplayProgress(Math.min(finished, total), total, Duration.ofNanos(time.nanoTime() - openedAtNanos));
    }

    /** See {@link TrackedConsumer#wakeup}. */
    public void wakeup() {
        consumer.wakeup();
    }

    /** Waits, bounded, for the work that runs, and closes; see {@link TrackedConsumer#close()}. */
    @Override
    public void close() {
        consumer.close();
    }
}
