package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.Receipt;
import dev.offsets.kafka.ProcessorStatus.WaitingRetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deals with records that could not be deserialized, and passes over records. Belongs to the loop thread, but for
 * {@link #status}.
 */
/*
 * Kafka's poll returns what comes before such a record; the next one throws, with the position left at it (KIP-334), and so
 * does each one after that, having tried to deserialize it again. Polls of other partitions are in vain too until the position
 * is moved on, or the partition paused.
 */
final class UndecodableRecords {
    private static final Logger log = LoggerFactory.getLogger(UndecodableRecords.class);

    private final Consumer<?, ?> consumer;
    private final Ownership ownership;
    private final Positions positions;
    private final Failures failures;
    private final ConsumerMetrics metrics;
    private final Time time;

    /** Where reading has come to a record that could not be deserialized, for each partition the last one. */
    private final Map<TopicPartition, Found> found = new HashMap<>();

    /** Those that are to be deserialized again, and not before. Read by any thread. */
    private final Map<TopicPartition, Retry> retries = new ConcurrentHashMap<>();

    private record Found(OffsetTracker incarnation, long offset, Attempts attempts) {
        boolean isAt(OffsetTracker otherIncarnation, long otherOffset) {
            return incarnation == otherIncarnation && offset == otherOffset;
        }
    }

    private record Retry(Found found, long fromNanos, long delayNanos) {}

    UndecodableRecords(
            Consumer<?, ?> consumer,
            Ownership ownership,
            Positions positions,
            Failures failures,
            ConsumerMetrics metrics,
            Time time) {
        this.consumer = consumer;
        this.ownership = ownership;
        this.positions = positions;
        this.failures = failures;
        this.metrics = metrics;
        this.time = time;
    }

    /**
     * Kafka's poll has thrown. With a processor its policy decides, and the loop goes on; otherwise it is thrown on.
     *
     * @param processor null without one
     */
    void handle(RecordDeserializationException thrown, RecordProcessor<?, ?> processor) {
        TopicPartition topicPartition = thrown.topicPartition();
        positions.passedHoles();
        Optional<Found> record = positions
                .standAt(topicPartition, thrown.offset())
                .map(incarnation -> oneMoreAttempt(incarnation, thrown));
        if (processor == null || thrown.origin() == null) {
            throw thrown;
        }
        if (Thread.currentThread().isInterrupted()) {
            // It may have failed because of that: no reason to give a record up.
            InterruptException interrupted = new InterruptException("interrupted while polling");
            interrupted.addSuppressed(thrown);
            throw interrupted;
        }
        record.ifPresent(one -> apply(decide(one, thrown, processor), one, thrown, processor));
    }

    private Found oneMoreAttempt(OffsetTracker incarnation, RecordDeserializationException thrown) {
        Found before = found.get(thrown.topicPartition());
        Attempts attempts = before != null && before.isAt(incarnation, thrown.offset())
                ? before.attempts
                : Attempts.none(time.nanoTime());
        Found now = new Found(incarnation, thrown.offset(), attempts.andOne(thrown));
        found.values().removeIf(former -> former.incarnation.hasEnded());
        found.put(thrown.topicPartition(), now);
        ownership.own(thrown.topicPartition()).watch.couldNotRead(thrown.offset());
        return now;
    }

    private FailureAction decide(Found record, RecordDeserializationException thrown, RecordProcessor<?, ?> processor) {
        if (Errors.isInterrupt(thrown) || Errors.isOfTheMachine(thrown)) {
            return FailureAction.stopConsumer();
        }
        Duration sinceFirst = Duration.ofNanos(time.nanoTime() - record.attempts.firstNanos());
        return processor.onUndecodable(
                new RecordFailure(thrown.topicPartition(), record.offset, record.attempts.count(), sinceFirst, thrown));
    }

    private void apply(
            FailureAction action,
            Found record,
            RecordDeserializationException thrown,
            RecordProcessor<?, ?> processor) {
        TopicPartition topicPartition = thrown.topicPartition();
        long offset = record.offset;
        OffsetTracker incarnation = record.incarnation;
        metrics.count(Counter.RECORDS_FAILED, 1);
        if (action instanceof FailureAction.RetryAfter retry) {
            log.info("Record {}@{} could not be deserialized; again in {}", topicPartition, offset, retry.delay());
            long delayNanos = Time.saturatedNanos(retry.delay());
            metrics.count(Counter.RECORDS_RETRIED, 1);
            retries.put(topicPartition, new Retry(record, time.nanoTime(), delayNanos));
        } else if (action instanceof FailureAction.DeadLetter deadLetter) {
            positions.passOver(topicPartition, offset, incarnation);
            processor.deadLetter(new UndecodableRecord(thrown), incarnation, deadLetter.deadLetters(), thrown);
        } else if (action instanceof FailureAction.Skip skip) {
            positions.passOver(topicPartition, offset, incarnation);
            metrics.count(Counter.RECORDS_SKIPPED, 1);
            TrackedRecord.skip(topicPartition, offset, incarnation, skip.reason());
        } else if (action instanceof FailureAction.StopPartition) {
            processor.stopPartition(topicPartition, offset, incarnation, thrown);
        } else {
            failures.add(topicPartition, offset, incarnation, thrown);
        }
    }

    /** The partitions that are not to be fetched now, since a record of theirs is to be deserialized again later. */
    Set<TopicPartition> waiting() {
        retries.values().removeIf(retry -> retry.found.incarnation.hasEnded() || nanosLeft(retry) <= 0);
        return retries.keySet();
    }

    /** Any thread. */
    List<WaitingRetry> status() {
        List<WaitingRetry> waiting = new ArrayList<>();
        retries.forEach((topicPartition, retry) -> {
            if (!retry.found.incarnation.hasEnded()) {
                waiting.add(new WaitingRetry(
                        topicPartition,
                        retry.found.offset,
                        retry.found.attempts.count(),
                        Duration.ofNanos(Math.max(0, nanosLeft(retry))),
                        retry.found.attempts.lastError()));
            }
        });
        return waiting;
    }

    /** How long, in nanoseconds, until one of them is to be fetched again. */
    long nanosUntilDue() {
        return retries.values().stream().mapToLong(this::nanosLeft).min().orElse(Long.MAX_VALUE);
    }

    private long nanosLeft(Retry retry) {
        return retry.delayNanos - (time.nanoTime() - retry.fromNanos);
    }

    /** See {@link TrackedConsumer#skip}. */
    void skip(TopicPartition topicPartition, long offset, String reason) {
        OffsetTracker incarnation = incarnationOf(topicPartition, offset);
        if (isNext(topicPartition, offset, incarnation)) {
            positions.passOver(topicPartition, offset, incarnation);
            positions.trySeekBack();
            retries.remove(topicPartition);
            failures.forget(topicPartition, offset);
        }
        if (TrackedRecord.skip(topicPartition, offset, incarnation, reason) == Receipt.IGNORED) {
            throw refusal(
                    topicPartition,
                    offset,
                    "there is no such record that was delivered and waits for its outcome,"
                            + " nor is it the next one to be read, which is at " + incarnation.position()
                            + " or above: give the offset in the RecordDeserializationException that poll threw, or of a"
                            + " record in flight");
        }
    }

    private OffsetTracker incarnationOf(TopicPartition topicPartition, long offset) {
        if (!ownership.owns(topicPartition)) {
            throw refusal(topicPartition, offset, "the partition is not assigned to this consumer");
        }
        OffsetTracker incarnation = ownership.own(topicPartition).tracker();
        if (incarnation == null) {
            throw refusal(topicPartition, offset, "the position is not known yet: poll first");
        }
        return incarnation;
    }

    private boolean isNext(TopicPartition topicPartition, long offset, OffsetTracker incarnation) {
        Found last = found.get(topicPartition);
        boolean wasFound = last != null && last.isAt(incarnation, offset) && offset >= incarnation.position();
        return wasFound || (offset == incarnation.position() && isBelowTheEnd(topicPartition));
    }

    /** As far as the Kafka consumer knows: a record that does not exist yet must not be passed over. */
    private boolean isBelowTheEnd(TopicPartition topicPartition) {
        OptionalLong lag = consumer.currentLag(topicPartition);
        return lag.isPresent() && lag.getAsLong() > 0;
    }

    private static IllegalArgumentException refusal(TopicPartition topicPartition, long offset, String why) {
        return new IllegalArgumentException("skip(" + topicPartition + ", " + offset + "): " + why);
    }
}
