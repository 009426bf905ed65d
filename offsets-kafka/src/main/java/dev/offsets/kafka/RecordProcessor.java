package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.Receipt;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Works on a consumer's records on the user's executor, in the order asked for, and deals with failures. Made by
 * {@link TrackedConsumer#processor}:
 *
 * <pre>{@code
 * RecordProcessor<String, Order> processor = consumer.processor(workers, 64)
 *         .orderedByKey()
 *         .onFailure(FailurePolicy.retry().attempts(5).thenSkip("not worth more"))
 *         .handle(record -> handle(record.value()));
 * while (running) {
 *     processor.process(consumer.poll(Duration.ofMillis(100)));
 * }
 * }</pre>
 *
 * <p>It has no thread of its own. {@link #process} queues; the executor's threads work; retries become due in the turns of
 * {@link TrackedConsumer#poll}, also while it waits. Queued records are bounded by the consumer's {@linkplain
 * TrackedConsumerBuilder#maxInFlightPerPartition own bounds}. Records of a partition that is taken away are not started any
 * more; those that are being worked on are waited for.
 *
 * <p>{@link #process} belongs to the loop thread; {@link #status} may be called from any.
 */
public final class RecordProcessor<K, V> {
    private final TrackedConsumer<K, V> consumer;
    private final Ordering<K, V> ordering;
    private final FailurePolicy failurePolicy;
    private final AsyncHandler<List<ConsumerRecord<K, V>>> handler;
    private final Failures failures;
    private final PartitionStops stops;
    private final OriginalRecords originals;
    private final UndecodableRecords undecodable;
    private final ConsumerMetrics metrics;
    private final Time time;
    private final FailureHandling failureHandling;
    private final WorkQueue queue;
    private final Workers workers;

    RecordProcessor(
            RecordProcessorBuilder<K, V> settings,
            AsyncHandler<List<ConsumerRecord<K, V>>> handler,
            Failures failures,
            PartitionStops stops,
            OriginalRecords originals,
            UndecodableRecords undecodable,
            ConsumerMetrics metrics,
            Time time) {
        this.consumer = settings.consumer;
        this.ordering = settings.ordering;
        this.failurePolicy = settings.failurePolicy;
        this.handler = handler;
        this.failures = failures;
        this.stops = stops;
        this.originals = originals;
        this.undecodable = undecodable;
        this.metrics = metrics;
        this.time = time;
        this.failureHandling = new FailureHandling(failurePolicy, failures, stops, metrics, time);
        this.queue = new WorkQueue(time, settings.maxConcurrency, settings.maxBatch);
        this.workers = new Workers(settings.executor, queue, this::attempt, time);
    }

    /**
     * Queues all records of a poll result that were not handed out yet, and returns without waiting. With an executor that
     * runs what it is given on the calling thread, the records are worked on here. Those that were handed out before, by an
     * iterator or by {@link TrackedRecords#consumerRecords}, are left to who took them, who has to report their outcome.
     *
     * @param records what this consumer's poll returned
     * @throws IllegalArgumentException if another consumer's poll returned them
     */
    public void process(TrackedRecords<K, V> records) {
        if (!records.isOf(failures)) {
            throw new IllegalArgumentException("these records were polled by another consumer than this processor's");
        }
        consumer.onLoopThread(() -> {
            List<QueuedRecord> all = new ArrayList<>();
            for (PartitionBatch<K, V> batch : records.batches()) {
                addTo(all, batch);
            }
            queue.add(all);
            workers.sendFromLoop();
        });
    }

    private void addTo(List<QueuedRecord> all, PartitionBatch<K, V> batch) {
        PartitionLanes partition = queue.partition(batch.topicPartition);
        long lastOffset = -1;
        for (ConsumerRecord<K, V> record : batch.handOutRest()) {
            // The same offset twice, by an interceptor: one record, one outcome.
            if (record.offset() != lastOffset && partition.refusedIn != batch.incarnation) {
                lastOffset = record.offset();
                try {
                    all.add(new QueuedRecord(record, batch.incarnation, partition.lane(ordering.laneKey(record))));
                } catch (RuntimeException | Error e) {
                    if (TrackedRecord.fail(record, batch.incarnation, failures, e) == Receipt.ACCEPTED) {
                        // Whether the records behind it are ordered behind it can't be told.
                        partition.refusedIn = batch.incarnation;
                    }
                }
            }
        }
    }

    /** What is in hand. Any thread; costs in proportion to the retries that wait. */
    public ProcessorStatus status() {
        return queue.status().and(undecodable.status());
    }

    /** Loop thread: for how many keys there is a lane now. */
    int keysHeld() {
        return queue.keysHeld();
    }

    boolean isLockedByThisThread() {
        return queue.isLockedByThisThread();
    }

    /** Loop thread, in each turn. */
    void takeTurn() {
        forgetWhatEnded();
        workers.sendFromLoop();
        stops.apply();
        queue.abandoned().ifPresent(this::stopIfShutDown);
    }

    /** Loop thread. */
    void forgetWhatEnded() {
        queue.dropVoid();
    }

    private void stopIfShutDown(QueuedRecord first) {
        RejectedExecutionException shutDown = workers.shutDown();
        if (shutDown != null) {
            TrackedRecord.fail(first.record, first.incarnation, failures, shutDown);
        }
    }

    /** An executor's thread: answers whether the work has been done; otherwise it completes elsewhere. */
    private boolean attempt(Work work) {
        List<QueuedRecord> claimed = claim(work.records);
        if (claimed.isEmpty()) {
            return true;
        }
        Throwable error;
        try {
            CompletionStage<?> stage = begin(claimed);
            if (stage == RecordProcessorBuilder.DONE) {
                completed(claimed);
                return true;
            }
            if (stage == null) {
                throw new NullPointerException("the handler answered null instead of a CompletionStage");
            }
            AsyncOutcome outcome = new AsyncOutcome();
            if (!outcome.isThere(stage, thrown -> completedElsewhere(work, claimed, thrown))) {
                return false;
            }
            error = outcome.error();
        } catch (Throwable thrown) {
            threw(claimed, work.startedNanos, thrown);
            return true;
        }
        ended(claimed, work.startedNanos, error);
        return true;
    }

    private List<QueuedRecord> claim(List<QueuedRecord> records) {
        for (QueuedRecord record : records) {
            record.fate = QueuedRecord.Fate.GONE;
        }
        if (records.size() == 1) {
            QueuedRecord record = records.get(0);
            return tryStart(record) ? records : List.of();
        }
        List<QueuedRecord> claimed = new ArrayList<>(records);
        claimed.removeIf(record -> !tryStart(record));
        return claimed;
    }

    private boolean tryStart(QueuedRecord record) {
        return TrackedRecord.tryStart(record.record, record.incarnation, failures);
    }

    private CompletionStage<?> begin(List<QueuedRecord> claimed) throws Exception {
        QueuedRecord first = claimed.get(0);
        Attempts attempts = first.attempts;
        if (attempts != null && attempts.isDeadLetter()) {
            return attempts.deadLetters().send(originals.deadLetter(first.record, attempts.handlersError()));
        }
        return handler.handle(
                claimed.size() == 1
                        ? List.of(asPolled(first))
                        : claimed.stream().map(this::asPolled).toList());
    }

    /** Only those that were polled get to the handler. */
    @SuppressWarnings("unchecked")
    private ConsumerRecord<K, V> asPolled(QueuedRecord record) {
        return (ConsumerRecord<K, V>) record.record;
    }

    private void completedElsewhere(Work work, List<QueuedRecord> claimed, Throwable error) {
        ended(claimed, work.startedNanos, error);
        queue.doneElsewhere(work, time.nanoTime());
        workers.send();
    }

    private void ended(List<QueuedRecord> claimed, long startedNanos, Throwable error) {
        if (error == null) {
            completed(claimed);
            return;
        }
        Throwable cause = Errors.unwrapped(error);
        if (Errors.isInterrupt(cause) || Errors.isOfTheMachine(cause)) {
            failureHandling.stoppedBy(claimed, startedNanos, cause);
        } else {
            failureHandling.failed(claimed, startedNanos, cause);
        }
    }

    private void completed(List<QueuedRecord> claimed) {
        for (QueuedRecord record : claimed) {
            Receipt receipt = record.incarnation.complete(record.offset());
            Attempts attempts = record.attempts;
            if (attempts != null && attempts.isDeadLetter() && receipt == Receipt.ACCEPTED) {
                metrics.count(Counter.RECORDS_DEAD_LETTERED, 1);
            }
        }
    }

    private void threw(List<QueuedRecord> claimed, long startedNanos, Throwable error) {
        if (Errors.isInterrupt(error)) {
            Thread.currentThread().interrupt(); // the executor's to see: throwing has cleared it
        }
        if (Thread.currentThread().isInterrupted()) {
            failureHandling.stoppedBy(claimed, startedNanos, error);
        } else {
            ended(claimed, startedNanos, error);
        }
    }

    /** Loop thread: what the policy says to a record that could not be deserialized; an answer that is none stops the consumer. */
    FailureAction onUndecodable(RecordFailure failure) {
        return FailureHandling.ask(failurePolicy, failure);
    }

    /**
     * Loop thread: sends a record that could not be deserialized as a dead letter, as work on the executor with its own
     * retries, and completes it when that is confirmed.
     *
     * @param raw the record with its bytes as they are
     * @param incarnation the tracker in which it has been tracked
     */
    void deadLetter(
            ConsumerRecord<byte[], byte[]> raw, OffsetTracker incarnation, DeadLetters deadLetters, Throwable error) {
        PartitionLanes partition = queue.partition(new TopicPartition(raw.topic(), raw.partition()));
        QueuedRecord record = new QueuedRecord(raw, incarnation, partition.lane(ordering.laneKeyOfUndecodable));
        long now = time.nanoTime();
        record.attempts = Attempts.none(now).andOne(error).thenDeadLetter(deadLetters, now);
        queue.add(List.of(record));
        workers.sendFromLoop();
    }

    /** Loop thread: the user has given a record up; if it waits for a retry, what is ordered behind it waits no longer. */
    void skipped(TopicPartition topicPartition, long offset) {
        queue.waitNoLonger(topicPartition, offset);
    }

    /** Loop thread: nothing more of a partition is started or fetched in this incarnation. */
    void stopPartition(TopicPartition topicPartition, long offset, OffsetTracker incarnation, Throwable cause) {
        queue.stop(queue.partition(topicPartition), incarnation, offset, cause);
        stops.add(topicPartition, offset, incarnation, cause);
        stops.apply();
    }
}
