package dev.offsets.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * A Kafka consumer and the broker behind it, in one thread and in virtual time. It does what Kafka's own mock does not:
 * commits that fail, callbacks that come later or never, next offsets over holes, rebalances inside poll, lost
 * partitions, leader epochs, wakeups and interrupts outside poll.
 *
 * <p>An empty poll lasts its whole timeout. Callbacks of asynchronous commits run inside the next poll or blocking commit,
 * and are dropped by close.
 */
class SimulatedConsumer extends MockConsumer<String, String> {
    enum Kind {
        ASYNC,
        SYNC
    }

    /** A call that can be cut short. */
    enum Call {
        POLL,
        SEEK,
        PAUSE,
        RESUME,
        ASSIGN,
        COMMITTED
    }

    private record CutShort(boolean takesEffect, Supplier<? extends Throwable> by) {}

    /** A commit request as it was sent, whatever became of it. */
    record Commit(Kind kind, Map<TopicPartition, OffsetAndMetadata> offsets) {}

    private record Unanswered(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback, Exception failure) {}

    private record Undecodable(DeserializationExceptionOrigin origin, RuntimeException cause) {}

    private static final class Log {
        final NavigableMap<Long, ConsumerRecord<String, String>> records = new TreeMap<>();
        long beginning;
        long end;
        Optional<Integer> endEpoch = Optional.empty();
    }

    /** How far a partition's position is from its log's start, as of its last fetch: a metric of the Kafka consumer's. */
    private static final class Lead implements Metric {
        private final MetricName name;
        private double value = Double.NaN;

        Lead(TopicPartition partition, String topicTag) {
            name = new MetricName(
                    "records-lead",
                    "consumer-fetch-manager-metrics",
                    "",
                    Map.of("topic", topicTag, "partition", String.valueOf(partition.partition())));
        }

        @Override
        public MetricName metricName() {
            return name;
        }

        @Override
        public Object metricValue() {
            return value;
        }
    }

    private enum Reset {
        COMMITTED,
        BEGINNING,
        END
    }

    final VirtualTime time = new VirtualTime();

    /** Every commit request, in the order sent. */
    final List<Commit> commits = new ArrayList<>();

    /** How long each poll was told to wait. */
    final List<Duration> polls = new ArrayList<>();

    /** What the group has stored. */
    final Map<TopicPartition, OffsetAndMetadata> stored = new HashMap<>();

    int maxPollRecords = 500;

    /** The key that the record at an offset gets. */
    LongFunction<String> keys = offset -> "key";

    boolean nextOffsetsAreMissing;

    /** Where consuming begins without an offset that can be read: at the log's end, or at its beginning. */
    boolean resetsToLatest;

    /** A position outside of the log is found by a fetch, and reset in the poll after. */
    boolean checksRange;

    /** The name that a topic has in metrics; null when there are no metrics. */
    UnaryOperator<String> topicInMetrics;

    /** What happens when a record can't be deserialized, before that is thrown. */
    Runnable beforeDeserializationFails = () -> {};

    UnaryOperator<ConsumerRecords<String, String>> interceptor = UnaryOperator.identity();
    /** Changes a commit on its way out: for showing that a checker sees it. */
    UnaryOperator<Map<TopicPartition, OffsetAndMetadata>> tampering = UnaryOperator.identity();

    boolean closedWithInterruptFlag;
    Duration closeTimeout;
    Duration shortestSyncTimeout;
    RuntimeException closeFailure;

    private final Map<TopicPartition, Log> logs = new HashMap<>();
    private final Map<TopicPartition, Map<Long, Undecodable>> undecodable = new HashMap<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Map<TopicPartition, Reset> resets = new HashMap<>();
    private final Set<TopicPartition> assignment = new LinkedHashSet<>();
    private final Set<TopicPartition> paused = new LinkedHashSet<>();
    private final Set<String> subscription = new LinkedHashSet<>();
    private ConsumerRebalanceListener listener;

    private final Queue<Runnable> insidePoll = new ArrayDeque<>();
    private final Queue<Supplier<? extends RuntimeException>> pollFailures = new ArrayDeque<>();
    private final Queue<Supplier<? extends RuntimeException>> syncFailures = new ArrayDeque<>();
    private final Queue<Supplier<? extends RuntimeException>> asyncThrows = new ArrayDeque<>();
    private final Queue<Exception> asyncFailures = new ArrayDeque<>();
    private final Map<String, Supplier<? extends RuntimeException>> topicFailures = new HashMap<>();
    private final Map<Call, CutShort> cutShort = new EnumMap<>(Call.class);
    private final Map<TopicPartition, Lead> leads = new LinkedHashMap<>();
    private final Deque<Unanswered> unanswered = new ArrayDeque<>();
    private boolean answersAreHeld;
    private boolean answersComeAtOnce;
    private volatile boolean woken;
    private boolean closed;

    SimulatedConsumer() {
        super("earliest");
    }

    // ---- The broker ----

    void storedOffset(TopicPartition partition, long offset) {
        stored.put(partition, new OffsetAndMetadata(offset));
    }

    /** Records at all offsets from one to another, both included. */
    void records(TopicPartition partition, long from, long to) {
        for (long offset = from; offset <= to; offset++) {
            record(partition, offset, Optional.empty());
        }
    }

    void record(TopicPartition partition, long offset, Optional<Integer> leaderEpoch) {
        Log log = logs.computeIfAbsent(partition, any -> new Log());
        log.records.put(
                offset,
                new ConsumerRecord<>(
                        partition.topic(),
                        partition.partition(),
                        offset,
                        0L,
                        TimestampType.CREATE_TIME,
                        0,
                        0,
                        keys.apply(offset),
                        "value " + offset,
                        new RecordHeaders(),
                        leaderEpoch));
        logEnd(partition, Math.max(log.end, offset + 1), leaderEpoch);
    }

    /** The record at an offset, which is there, can't be deserialized. */
    void undecodable(
            TopicPartition partition, long offset, DeserializationExceptionOrigin origin, RuntimeException cause) {
        undecodable.computeIfAbsent(partition, any -> new HashMap<>()).put(offset, new Undecodable(origin, cause));
    }

    void undecodable(TopicPartition partition, long... offsets) {
        for (long offset : offsets) {
            undecodable(
                    partition, offset, DeserializationExceptionOrigin.VALUE, new SerializationException("no schema"));
        }
    }

    /** From now on it can be deserialized. */
    void decodable(TopicPartition partition, long offset) {
        undecodable.get(partition).remove(offset);
    }

    /** The log's next offset: what lies between the last record and this is a hole. */
    void logEnd(TopicPartition partition, long offset, Optional<Integer> leaderEpoch) {
        Log log = logs.computeIfAbsent(partition, any -> new Log());
        log.end = offset;
        log.endEpoch = leaderEpoch;
    }

    void beginning(TopicPartition partition, long offset) {
        logs.computeIfAbsent(partition, any -> new Log()).beginning = offset;
    }

    /** Deletes the records below an offset, as retention does. */
    void delete(TopicPartition partition, long before) {
        beginning(partition, before);
        logs.get(partition).records.headMap(before, false).clear();
    }

    void truncate(TopicPartition partition, long end) {
        logs.get(partition).records.tailMap(end, true).clear();
        logEnd(partition, end, Optional.empty());
    }

    // ---- What happens to the consumer ----

    /** Runs an action at the beginning of the next poll, as rebalances do. */
    void insideNextPoll(Runnable action) {
        insidePoll.add(action);
    }

    void rebalanceEagerly(TopicPartition... next) {
        if (!assignment.isEmpty()) {
            listener.onPartitionsRevoked(inOrder(assignment));
        }
        leave(inOrder(assignment));
        join(List.of(next));
        listener.onPartitionsAssigned(List.of(next));
    }

    void rebalanceCooperatively(TopicPartition... next) {
        Set<TopicPartition> removed = new LinkedHashSet<>(assignment);
        removed.removeAll(List.of(next));
        Set<TopicPartition> added = new LinkedHashSet<>(List.of(next));
        added.removeAll(assignment);
        if (!removed.isEmpty()) {
            listener.onPartitionsRevoked(removed);
        }
        leave(removed);
        join(added);
        listener.onPartitionsAssigned(added);
    }

    void lose(TopicPartition... lost) {
        listener.onPartitionsLost(List.of(lost));
        leave(List.of(lost));
    }

    /** The position changes without a seek, as after a truncated log. */
    void movePosition(TopicPartition partition, long offset) {
        positions.put(partition, offset);
    }

    /** A copy, with the same order in each run. */
    private static <T> Set<T> inOrder(Set<T> set) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(set));
    }

    /** Partitions come. */
    void join(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            assignment.add(partition);
            resets.put(partition, Reset.COMMITTED);
        }
    }

    /** Partitions go: after the listener was told. */
    void leave(Collection<TopicPartition> partitions) {
        assignment.removeAll(partitions);
        paused.removeAll(partitions);
        positions.keySet().removeAll(partitions);
        resets.keySet().removeAll(partitions);
        leads.keySet().removeAll(partitions);
    }

    void failNextPoll(Supplier<? extends RuntimeException> failure) {
        pollFailures.add(failure);
    }

    /** The next such call throws and does nothing. */
    void throwFromNext(Call call, Supplier<? extends Throwable> failure) {
        cutShort.put(call, new CutShort(false, failure));
    }

    /** The next such call does what it should, and throws. */
    void throwAfterNext(Call call, Supplier<? extends Throwable> failure) {
        cutShort.put(call, new CutShort(true, failure));
    }

    private void cutShort(Call call, boolean tookEffect) {
        CutShort next = cutShort.get(call);
        if (next != null && next.takesEffect == tookEffect) {
            cutShort.remove(call);
            Unchecked.rethrow(next.by.get());
        }
    }

    /** The next blocking commit throws. Whether it was stored depends on the exception, as in Kafka. */
    void failNextSync(Supplier<? extends RuntimeException> failure) {
        syncFailures.add(failure);
    }

    /** The next asynchronous commit fails. */
    void failNextAsync(Exception failure) {
        asyncFailures.add(failure);
    }

    /** The next asynchronous commit throws before it is sent. */
    void throwFromNextAsync(Supplier<? extends RuntimeException> failure) {
        asyncThrows.add(failure);
    }

    /** Each commit that carries the topic fails and stores nothing, until the topic is healed. */
    void failCommitsOf(String topic, Supplier<? extends RuntimeException> failure) {
        topicFailures.put(topic, failure);
    }

    void healed(String topic) {
        topicFailures.remove(topic);
    }

    void holdAnswers() {
        answersAreHeld = true;
    }

    void releaseAnswers() {
        answersAreHeld = false;
    }

    /** The answers that are held never come. */
    void dropAnswers() {
        unanswered.clear();
        answersAreHeld = false;
    }

    /** Callbacks run before commitAsync returns. */
    void answerAtOnce() {
        answersComeAtOnce = true;
    }

    /** From now on nothing fails, and everything is answered. */
    void healed() {
        pollFailures.clear();
        syncFailures.clear();
        asyncThrows.clear();
        asyncFailures.clear();
        topicFailures.clear();
        answersAreHeld = false;
    }

    boolean hasUnansweredCommit() {
        return !unanswered.isEmpty();
    }

    /** The position; empty while it is not known. */
    OptionalLong knownPosition(TopicPartition partition) {
        return resets.containsKey(partition) || !positions.containsKey(partition)
                ? OptionalLong.empty()
                : OptionalLong.of(positions.get(partition));
    }

    long logEnd(TopicPartition partition) {
        return logs.containsKey(partition) ? logs.get(partition).end : 0;
    }

    boolean isClosed() {
        return closed;
    }

    // ---- Consumer: polling and positions ----

    @Override
    public ConsumerRecords<String, String> poll(Duration timeout) {
        checkOpen();
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("Invalid negative timeout " + timeout);
        }
        polls.add(timeout);
        for (int actions = insidePoll.size(); actions > 0; actions--) {
            insidePoll.remove().run();
        }
        answer();
        throwIfInterrupted();
        throwIfWoken();
        if (!pollFailures.isEmpty()) {
            throw pollFailures.remove().get();
        }
        resetPositions();
        ConsumerRecords<String, String> fetched = fetch();
        cutShort(Call.POLL, true);
        if (fetched.isEmpty() && fetched.nextOffsets().isEmpty()) {
            time.advance(timeout);
            throwIfInterrupted();
            throwIfWoken();
        }
        return interceptor.apply(fetched);
    }

    private ConsumerRecords<String, String> fetch() {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> fetched = new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new LinkedHashMap<>();
        int room = maxPollRecords;
        RecordDeserializationException stopped = null;
        for (TopicPartition partition : assignment) {
            if (stopped != null) {
                break;
            }
            Log log = logs.get(partition);
            if (log == null || paused.contains(partition)) {
                continue;
            }
            long position = positions.get(partition);
            if (checksRange && (position < log.beginning || position > log.end)) {
                resets.put(partition, resetsToLatest ? Reset.END : Reset.BEGINNING);
                continue;
            }
            Optional<Integer> epoch = Optional.empty();
            List<ConsumerRecord<String, String>> records = new ArrayList<>();
            for (ConsumerRecord<String, String> record :
                    log.records.tailMap(position, true).values()) {
                if (room-- <= 0) {
                    break;
                }
                stopped = undecodable(record);
                if (stopped != null) {
                    break;
                }
                records.add(record);
                position = record.offset() + 1;
                epoch = record.leaderEpoch();
            }
            if (stopped == null && log.records.ceilingKey(position) == null && log.end > position) {
                position = log.end;
                epoch = log.endEpoch;
            }
            if (!records.isEmpty()) {
                fetched.put(partition, records);
                measureLead(partition, position - log.beginning);
            }
            if (position != positions.put(partition, position)) {
                next.put(partition, new OffsetAndMetadata(position, epoch, ""));
            }
        }
        if (stopped != null && fetched.isEmpty()) {
            beforeDeserializationFails.run();
            throw stopped; // with the position at it, or at the holes before it
        }
        return new ConsumerRecords<>(fetched, nextOffsetsAreMissing ? Map.of() : next);
    }

    /** What deserializing a record throws, as Kafka puts it; null if nothing. */
    private RecordDeserializationException undecodable(ConsumerRecord<String, String> record) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        Undecodable wrong = undecodable.getOrDefault(partition, Map.of()).get(record.offset());
        return wrong == null
                ? null
                : new RecordDeserializationException(
                        wrong.origin,
                        partition,
                        record.offset(),
                        record.timestamp(),
                        record.timestampType(),
                        ByteBuffer.wrap(record.key().getBytes(StandardCharsets.UTF_8)),
                        ByteBuffer.wrap(record.value().getBytes(StandardCharsets.UTF_8)),
                        record.headers(),
                        "Error deserializing " + wrong.origin + " for partition " + partition + " at offset "
                                + record.offset(),
                        wrong.cause);
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        checkAssigned(Set.of(partition));
        return logs.containsKey(partition) && knownPosition(partition).isPresent()
                ? OptionalLong.of(logs.get(partition).end - positions.get(partition))
                : OptionalLong.empty();
    }

    private void measureLead(TopicPartition partition, long lead) {
        if (topicInMetrics != null) {
            leads.computeIfAbsent(partition, any -> new Lead(partition, topicInMetrics.apply(partition.topic())))
                    .value = lead;
        }
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        Map<MetricName, Metric> metrics = new LinkedHashMap<>();
        MetricName other = new MetricName("records-lag", "consumer-fetch-manager-metrics", "", Map.of());
        metrics.put(other, new Lead(new TopicPartition("any", 0), "any"));
        leads.values().forEach(lead -> metrics.put(lead.name, lead));
        return metrics;
    }

    private void resetPositions() {
        resets.forEach((partition, reset) -> {
            Log log = logs.computeIfAbsent(partition, any -> new Log());
            long position = switch (reset) {
                case COMMITTED ->
                    stored.containsKey(partition)
                            ? stored.get(partition).offset()
                            : (resetsToLatest ? log.end : log.beginning);
                case BEGINNING -> log.beginning;
                case END -> log.end;
            };
            positions.put(partition, position);
        });
        resets.clear();
    }

    @Override
    public long position(TopicPartition partition) {
        return position(partition, Duration.ofMinutes(1));
    }

    @Override
    public long position(TopicPartition partition, Duration timeout) {
        checkAssigned(Set.of(partition));
        if (!resets.containsKey(partition)) {
            return positions.get(partition);
        }
        throwIfWoken();
        throw new TimeoutException("position of " + partition);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        checkAssigned(Set.of(partition));
        cutShort(Call.SEEK, false);
        resets.remove(partition);
        positions.put(partition, offset);
        cutShort(Call.SEEK, true);
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        seek(partition, offset.offset());
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        reset(partitions, Reset.BEGINNING);
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        reset(partitions, Reset.END);
    }

    private void reset(Collection<TopicPartition> partitions, Reset reset) {
        checkAssigned(partitions);
        (partitions.isEmpty() ? assignment : partitions).forEach(partition -> resets.put(partition, reset));
    }

    @Override
    public void wakeup() {
        woken = true;
    }

    private void throwIfWoken() {
        if (woken) {
            woken = false;
            throw new WakeupException();
        }
    }

    private static void throwIfInterrupted() {
        if (Thread.interrupted()) {
            throw new InterruptException("interrupted");
        }
    }

    // ---- Consumer: commits ----

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        checkOpen();
        Map<TopicPartition, OffsetAndMetadata> sent = tampering.apply(offsets);
        sending(Kind.ASYNC, sent);
        if (!asyncThrows.isEmpty()) {
            throw asyncThrows.remove().get();
        }
        Exception failure = asyncFailures.isEmpty() ? failureOfTopic(sent) : asyncFailures.remove();
        if (failure == null) {
            stored.putAll(sent);
        }
        unanswered.add(new Unanswered(sent, callback, failure));
        if (answersComeAtOnce) {
            answer();
        }
    }

    private RuntimeException failureOfTopic(Map<TopicPartition, OffsetAndMetadata> offsets) {
        for (TopicPartition partition : offsets.keySet()) {
            if (topicFailures.containsKey(partition.topic())) {
                return topicFailures.get(partition.topic()).get();
            }
        }
        return null;
    }

    private void answer() {
        while (!answersAreHeld && !unanswered.isEmpty()) {
            Unanswered next = unanswered.remove();
            next.callback.onComplete(next.offsets, next.failure);
        }
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        checkOpen();
        Map<TopicPartition, OffsetAndMetadata> sent = tampering.apply(offsets);
        sending(Kind.SYNC, sent);
        if (shortestSyncTimeout == null || timeout.compareTo(shortestSyncTimeout) < 0) {
            shortestSyncTimeout = timeout;
        }
        answer();
        RuntimeException ofTopic = failureOfTopic(sent);
        if (ofTopic != null) {
            if (ofTopic instanceof TimeoutException) {
                time.advance(timeout);
            }
            throw ofTopic;
        }
        RuntimeException failure =
                syncFailures.isEmpty() ? null : syncFailures.remove().get();
        if (failure instanceof TimeoutException) {
            time.advance(timeout);
        }
        if (failure == null
                || failure instanceof TimeoutException
                || failure instanceof WakeupException
                || failure instanceof InterruptException) {
            stored.putAll(sent);
        }
        if (failure != null) {
            throw failure;
        }
        throwIfInterrupted();
        throwIfWoken();
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
        checkOpen();
        throwIfWoken();
        cutShort(Call.COMMITTED, false);
        if (timeout.isZero()) {
            throw new TimeoutException("no answer");
        }
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        partitions.forEach(partition -> committed.put(partition, stored.get(partition)));
        return committed;
    }

    /** Every commit request passes here when it is sent. */
    void sending(Kind kind, Map<TopicPartition, OffsetAndMetadata> offsets) {
        commits.add(new Commit(kind, Map.copyOf(offsets)));
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        throw new AssertionError("a blocking commit without a bound");
    }

    @Override
    public void commitSync() {
        throw new AssertionError("a commit without offsets");
    }

    @Override
    public void commitSync(Duration timeout) {
        throw new AssertionError("a commit without offsets");
    }

    @Override
    public void commitAsync() {
        throw new AssertionError("a commit without offsets");
    }

    @Override
    public void commitAsync(OffsetCommitCallback callback) {
        throw new AssertionError("a commit without offsets");
    }

    // ---- Consumer: subscription, assignment, pause, close ----

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        checkOpen();
        if (topics.isEmpty()) {
            unsubscribe();
            return;
        }
        if (this.listener == null && !assignment.isEmpty()) {
            throw new IllegalStateException("Subscription to topics, partitions and pattern are mutually exclusive");
        }
        this.listener = listener;
        subscription.clear();
        subscription.addAll(topics);
    }

    @Override
    public void subscribe(Pattern pattern, ConsumerRebalanceListener listener) {
        checkOpen();
        this.listener = listener;
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
        checkOpen();
        if (partitions.isEmpty()) {
            unsubscribe();
            return;
        }
        Set<TopicPartition> removed = new LinkedHashSet<>(assignment);
        removed.removeAll(partitions);
        leave(removed);
        Set<TopicPartition> added = new LinkedHashSet<>(partitions);
        added.removeAll(assignment);
        join(added);
        cutShort(Call.ASSIGN, true);
    }

    @Override
    public void unsubscribe() {
        checkOpen();
        revokeAll();
        listener = null;
        subscription.clear();
    }

    private void revokeAll() {
        if (listener != null && !assignment.isEmpty()) {
            listener.onPartitionsRevoked(inOrder(assignment));
        }
        leave(inOrder(assignment));
    }

    @Override
    public Set<String> subscription() {
        return inOrder(subscription);
    }

    @Override
    public Set<TopicPartition> assignment() {
        return inOrder(assignment);
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        checkAssigned(partitions);
        cutShort(Call.PAUSE, false);
        paused.addAll(partitions);
        cutShort(Call.PAUSE, true);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        checkAssigned(partitions);
        cutShort(Call.RESUME, false);
        paused.removeAll(partitions);
        cutShort(Call.RESUME, true);
    }

    @Override
    public Set<TopicPartition> paused() {
        return inOrder(paused);
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(30));
    }

    /** The only way in which a tracked consumer closes; not every client has another one. */
    @Override
    @SuppressWarnings("deprecation")
    public void close(Duration timeout) {
        if (closed) {
            return;
        }
        closedWithInterruptFlag = Thread.currentThread().isInterrupted();
        closeTimeout = timeout;
        revokeAll();
        unanswered.clear();
        closed = true;
        if (closeFailure != null) {
            throw closeFailure;
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("This consumer has already been closed.");
        }
    }

    private void checkAssigned(Collection<TopicPartition> partitions) {
        checkOpen();
        for (TopicPartition partition : partitions) {
            if (!assignment.contains(partition)) {
                throw new IllegalStateException("No current assignment for partition " + partition);
            }
        }
    }
}
