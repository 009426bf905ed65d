package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.Promises.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/** Plays a list of steps on a tracked consumer, under the eyes of {@link Promises}. */
final class Schedule {
    enum Op {
        PRODUCE,
        PRODUCE_AFTER_A_HOLE,
        HOLE,
        POLL,
        POLL_AND_LEAVE,
        COMPLETE,
        COMPLETE_ALL,
        SKIP,
        FAIL,
        WAIT,
        FAIL_ASYNC,
        THROW_ASYNC,
        FAIL_SYNC,
        HOLD_ANSWERS,
        RELEASE_ANSWERS,
        DROP_ANSWERS,
        COMMIT_SYNC,
        REBALANCE_EAGERLY,
        REBALANCE_COOPERATIVELY,
        LOSE,
        SEEK,
        SEEK_TO_BEGINNING,
        SEEK_TO_END,
        PAUSE,
        RESUME,
        WAKEUP,
        CLOSE
    }

    /** What to do, and two small numbers to do it with. */
    record Step(Op op, int a, int b) {
        @Override
        public String toString() {
            return op + "(" + a + "," + b + ")";
        }
    }

    private static final int BOUND = 7;
    private static final int MOST_RECORDS_OF_A_POLL = 5;
    private static final Duration API_TIMEOUT = Duration.ofSeconds(60);
    private static final List<TopicPartition> BOTH = List.of(P0, P1);

    /** Tells the promises what happens. */
    private static final class Watched extends SimulatedConsumer {
        private Promises promises;

        @Override
        void join(Collection<TopicPartition> partitions) {
            promises.came(partitions);
            super.join(partitions);
        }

        @Override
        void leave(Collection<TopicPartition> partitions) {
            promises.gone(partitions);
            super.leave(partitions);
        }

        @Override
        void lose(TopicPartition... lost) {
            promises.gone(List.of(lost));
            super.lose(lost);
        }

        @Override
        void sending(Kind kind, Map<TopicPartition, OffsetAndMetadata> offsets) {
            promises.sending(kind, offsets);
        }

        @Override
        public ConsumerRecords<String, String> poll(Duration timeout) {
            ConsumerRecords<String, String> records = super.poll(timeout);
            promises.polled(records);
            return records;
        }

        @Override
        public void close(Duration timeout) {
            promises.closed();
            super.close(timeout);
        }
    }

    private final Watched kafka = new Watched();
    private final Promises promises = new Promises(kafka, BOUND, API_TIMEOUT);
    private final TrackedConsumer<String, String> consumer;
    private final List<Held> held = new ArrayList<>();
    private boolean closed;

    Schedule() {
        kafka.promises = promises;
        kafka.maxPollRecords = MOST_RECORDS_OF_A_POLL;
        consumer = TrackedConsumer.wrap(kafka, Rig.CONFIG)
                .time(kafka.time)
                .commitPolicy(CommitPolicy.batched(4).or(CommitPolicy.timeBounded(Duration.ofSeconds(1))))
                .maxInFlightPerPartition(BOUND)
                .drainTimeout(Duration.ofMillis(200))
                .build();
        consumer.subscribe(List.of(Rig.TOPIC));
        for (TopicPartition partition : BOTH) {
            kafka.storedOffset(partition, 0);
            kafka.records(partition, 0, 3);
        }
        kafka.insideNextPoll(() -> kafka.rebalanceEagerly(P0, P1));
    }

    /** A subject that does wrong what it does to its commits: the promises must notice. */
    static Schedule tampered(
            BiFunction<
                            SimulatedConsumer,
                            Map<TopicPartition, OffsetAndMetadata>,
                            Map<TopicPartition, OffsetAndMetadata>>
                    tampering) {
        Schedule schedule = new Schedule();
        schedule.kafka.tampering = offsets -> tampering.apply(schedule.kafka, offsets);
        return schedule;
    }

    void play(List<Step> steps) {
        for (Step step : steps) {
            play(step);
            promises.throwIfBroken();
            if (closed) {
                return;
            }
        }
        finish();
    }

    private void play(Step step) {
        TopicPartition partition = BOTH.get(step.a % 2);
        long end = kafka.logEnd(partition);
        switch (step.op) {
            case PRODUCE -> kafka.records(partition, end, end + step.b);
            case PRODUCE_AFTER_A_HOLE -> kafka.records(partition, end + step.b + 1, end + step.b + 2);
            case HOLE -> kafka.logEnd(partition, end + step.b + 1, Optional.empty());
            case POLL -> poll(Duration.ofMillis(10L * step.b), Integer.MAX_VALUE);
            case POLL_AND_LEAVE -> poll(Duration.ZERO, step.b);
            case COMPLETE -> report(step, true);
            case COMPLETE_ALL -> {
                while (!held.isEmpty()) {
                    report(step, true);
                }
            }
            case SKIP -> {
                if (!held.isEmpty()) {
                    Held one = held.get(step.b % held.size());
                    promises.reported(one, one.record().skip("schedule"), true);
                }
            }
            case FAIL -> report(step, false);
            case WAIT -> kafka.time.advance(Duration.ofMillis(300L * step.b));
            case FAIL_ASYNC ->
                kafka.failNextAsync(
                        step.b < 5
                                ? new RetriableCommitFailedException("schedule")
                                : new CommitFailedException("schedule"));
            case THROW_ASYNC -> kafka.throwFromNextAsync(() -> new KafkaException("schedule"));
            case FAIL_SYNC ->
                kafka.failNextSync(() -> switch (step.b % 4) {
                    case 0 -> new TimeoutException("schedule");
                    case 1 -> new WakeupException();
                    case 2 -> new RebalanceInProgressException("schedule");
                    default -> new CommitFailedException("schedule");
                });
            case HOLD_ANSWERS -> kafka.holdAnswers();
            case RELEASE_ANSWERS -> kafka.releaseAnswers();
            case DROP_ANSWERS -> kafka.dropAnswers();
            case COMMIT_SYNC -> {
                try {
                    consumer.commitSync(Duration.ofMillis(100));
                } catch (WakeupException e) {
                    throw new Promises.Broken("a commit threw a wakeup");
                } catch (KafkaException e) {
                    // as the schedule says
                }
            }
            case REBALANCE_EAGERLY -> kafka.insideNextPoll(() -> kafka.rebalanceEagerly(assignment(step.b)));
            case REBALANCE_COOPERATIVELY ->
                kafka.insideNextPoll(() -> kafka.rebalanceCooperatively(assignment(step.b)));
            case LOSE ->
                kafka.insideNextPoll(() -> {
                    if (kafka.assignment().contains(partition)) {
                        kafka.lose(partition);
                    }
                });
            default -> {
                if (step.op == Op.WAKEUP) {
                    consumer.wakeup();
                } else if (step.op == Op.CLOSE) {
                    close();
                } else if (kafka.assignment().contains(partition)) {
                    moveOrPause(step, partition);
                }
            }
        }
    }

    private void moveOrPause(Step step, TopicPartition partition) {
        switch (step.op) {
            case SEEK -> {
                promises.sought(partition);
                consumer.seek(partition, Math.min(3L * step.b, kafka.logEnd(partition)));
            }
            case SEEK_TO_BEGINNING -> {
                promises.sought(partition);
                consumer.seekToBeginning(List.of(partition));
            }
            case SEEK_TO_END -> {
                promises.sought(partition);
                consumer.seekToEnd(List.of(partition));
            }
            case PAUSE -> {
                promises.paused(partition);
                consumer.pause(List.of(partition));
            }
            case RESUME -> {
                promises.resumed(partition);
                consumer.resume(List.of(partition));
            }
            default -> throw new IllegalStateException(step.toString());
        }
    }

    private static TopicPartition[] assignment(int bits) {
        return BOTH.stream()
                .filter(partition -> (bits >> partition.partition() & 1) == 1)
                .toArray(TopicPartition[]::new);
    }

    private void report(Step step, boolean finished) {
        if (!held.isEmpty()) {
            Held one = held.remove(step.b % held.size());
            promises.reported(
                    one, finished ? one.record().complete() : one.record().fail(new Exception("schedule")), finished);
        }
    }

    /** Polls, hands out at most so many records, and goes on from what may be thrown. */
    private int poll(Duration timeout, int limit) {
        boolean mustThrow = promises.hasFailedRecord();
        TrackedRecords<String, String> polled;
        try {
            polled = consumer.poll(timeout);
        } catch (WakeupException e) {
            return 0;
        } catch (RecordFailedException e) {
            if (kafka.assignment().contains(e.topicPartition())) {
                promises.sought(e.topicPartition());
                consumer.seek(e.topicPartition(), e.offset());
            }
            return 0;
        }
        if (mustThrow) {
            throw new Promises.Broken("poll returned although a record had failed");
        }
        promises.checkPauses(MOST_RECORDS_OF_A_POLL);
        int handedOut = 0;
        var iterator = polled.iterator();
        while (handedOut < limit && iterator.hasNext()) {
            held.add(promises.handedOut(iterator.next()));
            handedOut++;
        }
        return handedOut;
    }

    /** Nothing fails any more, everything is read and finished: then everything is stored, without close. */
    private void finish() {
        kafka.healed();
        kafka.insideNextPoll(() -> kafka.rebalanceCooperatively(P0, P1));
        for (int turn = 0; turn < 10; turn++) {
            poll(Duration.ZERO, Integer.MAX_VALUE);
        }
        for (TopicPartition partition : BOTH) {
            promises.resumed(partition);
        }
        consumer.resume(BOTH);
        for (int emptyTurns = 0; emptyTurns < 5; ) {
            emptyTurns = poll(Duration.ofMillis(10), Integer.MAX_VALUE) == 0 ? emptyTurns + 1 : 0;
            while (!held.isEmpty()) {
                report(new Step(Op.COMPLETE, 0, 0), true);
            }
        }
        promises.checkNothingIsLeft(BOTH);
        poll(API_TIMEOUT.plusSeconds(30), Integer.MAX_VALUE);
        promises.checkStored();
        close();
    }

    private void close() {
        kafka.healed();
        closed = true;
        promises.closing();
        CloseResult result = consumer.close(Duration.ofSeconds(1));
        promises.throwIfBroken();
        held.forEach(one -> promises.reported(one, one.record().complete(), true));
        for (Throwable failure : result.failures()) {
            if (!(failure instanceof RecordFailedException)) {
                throw new AssertionError("close failed", failure);
            }
        }
    }
}
