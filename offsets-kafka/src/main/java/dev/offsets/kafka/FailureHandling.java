package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.Receipt;
import dev.offsets.kafka.QueuedRecord.Fate;
import java.time.Duration;
import java.util.List;

/**
 * Makes of an attempt that has failed what the policy says, and gives each record its fate. On the thread that found out;
 * takes no lock.
 */
final class FailureHandling {
    /** Moments that far from one another can still be told apart. */
    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 2;

    private final FailurePolicy policy;
    private final Failures failures;
    private final PartitionStops stops;
    private final ConsumerMetrics metrics;
    private final Time time;

    FailureHandling(FailurePolicy policy, Failures failures, PartitionStops stops, ConsumerMetrics metrics, Time time) {
        this.policy = policy;
        this.failures = failures;
        this.stops = stops;
        this.metrics = metrics;
        this.time = time;
    }

    /**
     * An attempt at claimed records has failed, and says nothing of them: the consumer stops, at the first whose outcome was
     * not reported by somebody else.
     */
    void stoppedBy(List<QueuedRecord> records, long startedNanos, Throwable error) {
        boolean stopped = false;
        for (QueuedRecord record : records) {
            addAttempt(record, startedNanos, error);
            if (!stopped) {
                stopped = stopConsumer(record, error);
            } else {
                record.fate = record.isReleased() ? Fate.STOPS_CONSUMER : Fate.GONE;
            }
        }
    }

    /** An attempt at claimed records has failed. */
    void failed(List<QueuedRecord> records, long startedNanos, Throwable error) {
        records.forEach(record -> addAttempt(record, startedNanos, error));
        if (records.size() > 1) {
            // Each on its own: which one it was is known then, and the policy asked.
            long now = time.nanoTime();
            records.forEach(record -> retry(record, now));
            return;
        }
        QueuedRecord record = records.get(0);
        FailurePolicy policyOfStep =
                record.attempts.isDeadLetter() ? record.attempts.deadLetters().sendFailurePolicy() : policy;
        apply(ask(policyOfStep, failure(record)), record);
    }

    private void addAttempt(QueuedRecord record, long startedNanos, Throwable error) {
        Attempts before = record.attempts == null ? Attempts.none(startedNanos) : record.attempts;
        record.attempts = before.andOne(error);
        metrics.count(Counter.RECORDS_FAILED, 1);
    }

    private RecordFailure failure(QueuedRecord record) {
        Attempts attempts = record.attempts;
        return new RecordFailure(
                record.lane.partition.topicPartition,
                record.offset(),
                attempts.count(),
                Duration.ofNanos(time.nanoTime() - attempts.firstNanos()),
                attempts.lastError());
    }

    /** What a policy says; an answer that is none stops the consumer. */
    static FailureAction ask(FailurePolicy policy, RecordFailure failure) {
        try {
            FailureAction action = policy.onFailure(failure);
            if (action != null) {
                return action;
            }
            failure.error().addSuppressed(new NullPointerException("the failure policy answered null: " + policy));
        } catch (Throwable e) {
            if (e != failure.error()) {
                failure.error().addSuppressed(e);
            }
        }
        return FailureAction.stopConsumer();
    }

    private void apply(FailureAction action, QueuedRecord record) {
        if (action instanceof FailureAction.RetryAfter retry) {
            retry(record, time.nanoTime() + Math.min(Time.saturatedNanos(retry.delay()), LONGEST_DELAY_NANOS));
        } else if (action instanceof FailureAction.DeadLetter deadLetter) {
            deadLetter(record, deadLetter.deadLetters());
        } else if (action instanceof FailureAction.Skip skip) {
            if (TrackedRecord.skip(record.record, record.incarnation, skip.reason()) == Receipt.ACCEPTED) {
                metrics.count(Counter.RECORDS_SKIPPED, 1);
            }
            record.fate = Fate.GONE;
        } else if (action instanceof FailureAction.StopPartition) {
            stopPartition(record);
        } else {
            stopConsumer(record, record.attempts.lastError());
        }
    }

    private void retry(QueuedRecord record, long dueNanos) {
        record.againAt(dueNanos);
        metrics.count(Counter.RECORDS_RETRIED, 1);
    }

    private void deadLetter(QueuedRecord record, DeadLetters deadLetters) {
        if (record.attempts.wasSentTo(deadLetters)) {
            Throwable error = record.attempts.lastError();
            error.addSuppressed(new IllegalStateException("could not be sent to " + deadLetters
                    + ", and the policy of ifSendFails says to send it there: it has to say something else"));
            stopConsumer(record, error);
            return;
        }
        long now = time.nanoTime();
        record.attempts = record.attempts.thenDeadLetter(deadLetters, now);
        record.againAt(now);
    }

    private void stopPartition(QueuedRecord record) {
        OffsetTracker incarnation = record.incarnation;
        boolean stopped = incarnation.fail(record.offset()) == Receipt.ACCEPTED;
        record.fate = stopped ? Fate.STOPS_PARTITION : Fate.GONE;
        if (stopped) {
            stops.add(record.lane.partition.topicPartition, record.offset(), incarnation, record.attempts.lastError());
        }
    }

    /** Answers whether it stops: not if somebody else's report counts, or it is no longer this consumer's. */
    private boolean stopConsumer(QueuedRecord record, Throwable error) {
        Throwable handlersError = record.attempts.handlersError();
        if (handlersError != error) {
            error.addSuppressed(handlersError);
        }
        boolean stopped = TrackedRecord.fail(record.record, record.incarnation, failures, error) == Receipt.ACCEPTED;
        record.fate = stopped ? Fate.STOPS_CONSUMER : Fate.GONE;
        return stopped;
    }
}
