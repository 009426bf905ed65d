package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import dev.offsets.kafka.Time.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * A Kafka consumer whose records may be finished in any order and on any thread, and which commits only what is safe to
 * commit: for each partition the highest offset below which every delivered record has finished.
 *
 * <pre>{@code
 * try (var consumer = TrackedConsumer.<String, Order>builder(config).build()) {
 *     consumer.subscribe(List.of("orders"));
 *     while (running) {
 *         for (TrackedRecord<String, Order> record : consumer.poll(Duration.ofMillis(100))) {
 *             workers.execute(() -> {
 *                 try {
 *                     handle(record.value());
 *                     record.complete();
 *                 } catch (Throwable t) {
 *                     record.fail(t);
 *                 }
 *             });
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>It owns the Kafka consumer and never starts a thread. {@link #poll} does the bookkeeping: it moves over what has
 * finished, commits when the {@link dev.offsets.CommitPolicy} says so, pauses partitions that hold too many records, and
 * then fetches. When partitions are revoked it waits, bounded, for the work that runs on them, commits what finished, and
 * from then on ignores what is still reported for them; when they are lost it commits nothing.
 *
 * <p><b>Threads.</b> As with a Kafka consumer, all methods belong to the loop thread and throw {@link
 * java.util.ConcurrentModificationException} when called from another while one runs; only {@link #wakeup},
 * {@link #requestCommit}, {@link #status}, {@link #report} and {@link #metrics} may be called from any thread. Workers report through the
 * {@link TrackedRecord}s or the {@link TrackedRecords}.
 */
public final class TrackedConsumer<K, V> implements AutoCloseable {
    /** While work is in flight, the loop looks this often for what has finished: it frees partitions and makes commits due. */
    private static final long LOOK_NANOS = Duration.ofMillis(10).toNanos();

    private static final ConsumerRebalanceListener NO_LISTENER = new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
    };

    private final Consumer<K, V> consumer;
    private final Duration drainTimeout;
    private final Duration apiTimeout;
    private final Time time;
    private final LoopThread loopThread = new LoopThread();
    private final Failures failures = new Failures();
    private final Ownership ownership;
    private final Commits commits;
    private final Backpressure backpressure;
    private final StuckRecords stuckRecords;
    private final Events events;
    private final Draining draining;
    private final Wakeups wakeups = new Wakeups();
    private final Rebalances rebalances;
    private final Positions positions;
    private final PollResults<K, V> results;
    private final Reporting reporting;
    private final UndecodableRecords undecodable;
    private final OriginalRecords originals;
    private final ResumeMaps maps;
    private final ConsumerMetrics metrics;
    private Throwable broken;
    /** Inside a call that may call the user back: a listener or a commit policy. */
    private boolean inside;

    /** Another member has this one's {@code group.instance.id}: polling once more would take it back. */
    private boolean replaced;

    /** Null without one. Written by the loop thread, read by any. */
    private volatile RecordProcessor<K, V> processor;

    private boolean hasPolled;
    private CloseResult closed;

    TrackedConsumer(
            Consumer<K, V> consumer, TrackedConsumerBuilder<K, V> settings, ConsumerConfiguration configuration) {
        this.consumer = consumer;
        this.time = settings.time;
        this.drainTimeout = settings.drainTimeout;
        this.apiTimeout = configuration.defaultApiTimeout();
        this.events = new Events(settings.listener);
        this.metrics = new ConsumerMetrics(consumer, configuration);
        this.ownership = new Ownership(events, time, metrics);
        this.maps =
                new ResumeMaps(settings.topicIds(), settings, events, metrics, configuration.rebalanceRequestTimeout());
        this.commits = new Commits(consumer, ownership, settings, apiTimeout, events, wakeups, maps, metrics);
        this.backpressure = new Backpressure(consumer, ownership, settings);
        this.stuckRecords = new StuckRecords(ownership, backpressure, settings.stuckLimit);
        this.draining = new Draining(settings.explicitStarts, time);
        LogStarts logStarts = new LogStarts(consumer);
        StoredOffsets storedOffsets = new StoredOffsets(consumer, wakeups, configuration.resetPassesOverRecords());
        this.rebalances = new Rebalances(
                ownership,
                commits,
                backpressure,
                logStarts,
                draining,
                storedOffsets,
                maps,
                events,
                metrics,
                drainTimeout,
                configuration.rebalanceRequestTimeout(),
                time);
        this.positions = new Positions(consumer, ownership, logStarts, wakeups, maps, configuration.hasInterceptors());
        this.results = new PollResults<>(consumer, ownership, failures, backpressure::isPausedByUser, positions, maps);
        this.reporting =
                new Reporting(consumer, ownership, backpressure, events, failures.starts(), settings, configuration);
        this.undecodable = new UndecodableRecords(consumer, ownership, positions, failures, metrics, time);
        this.originals =
                new OriginalRecords(configuration, settings.pollsBytesAsTheyAre(), settings.byteConsumers, time);
        metrics.measure(new Glances(this::glance, ownership::published, time));
    }

    /**
     * Builds on a plain Kafka consumer configuration. {@code enable.auto.commit} is turned off where it is not set, and
     * refused when it is on.
     *
     * @param config the configuration of a {@link org.apache.kafka.clients.consumer.KafkaConsumer}; {@code group.id} is
     *     needed
     */
    public static <K, V> TrackedConsumerBuilder<K, V> builder(Map<String, ?> config) {
        return new TrackedConsumerBuilder<>(config, null);
    }

    /** Builds on a plain Kafka consumer configuration; see {@link #builder(Map)}. */
    public static <K, V> TrackedConsumerBuilder<K, V> builder(Properties config) {
        return new TrackedConsumerBuilder<>(config, null);
    }

    /**
     * Builds around a consumer that exists already. It is owned from now on: not to be used directly any more, and
     * closed with the tracked consumer, or when building fails.
     *
     * @param consumer a consumer without a subscription or an assignment
     * @param config the configuration it was made with, since a consumer doesn't tell; {@code enable.auto.commit} must be
     *     set to false in it
     */
    public static <K, V> TrackedConsumerBuilder<K, V> wrap(Consumer<K, V> consumer, Map<String, ?> config) {
        return new TrackedConsumerBuilder<>(config, Objects.requireNonNull(consumer, "consumer"));
    }

    /** Builds around a consumer that exists already; see {@link #wrap(Consumer, Map)}. */
    public static <K, V> TrackedConsumerBuilder<K, V> wrap(Consumer<K, V> consumer, Properties config) {
        return new TrackedConsumerBuilder<>(config, Objects.requireNonNull(consumer, "consumer"));
    }

    /** Subscribes to topics, as {@link Consumer#subscribe(Collection)} does. */
    public void subscribe(Collection<String> topics) {
        subscribe(topics, NO_LISTENER);
    }

    /**
     * Subscribes to topics, with a listener of the user's.
     *
     * @param listener called on the loop thread, inside {@link #poll} and {@link #close}: on revocation after running
     *     work was waited for and what finished was committed; on assignment last, so that a {@link #seek} of its own
     *     wins. It may call this consumer, but neither {@link #poll} nor {@link #close}. What it throws is kept, and thrown by the next poll before that fetches
     */
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        Objects.requireNonNull(listener, "listener");
        onLoopThread(() -> {
            if (topics != null && topics.isEmpty()) {
                unsubscribe(); // what the Kafka consumer makes of it, without a callback for partitions that were
                // assigned
            } else {
                consumer.subscribe(topics, rebalances.around(listener));
            }
        });
    }

    /** Subscribes to the topics whose names match, as {@link Consumer#subscribe(Pattern)} does. */
    public void subscribe(Pattern pattern) {
        subscribe(pattern, NO_LISTENER);
    }

    /**
     * Subscribes to the topics whose names match, with a listener of the user's; see
     * {@link #subscribe(Collection, ConsumerRebalanceListener)}.
     */
    public void subscribe(Pattern pattern, ConsumerRebalanceListener listener) {
        Objects.requireNonNull(listener, "listener");
        onLoopThread(() -> consumer.subscribe(pattern, rebalances.around(listener)));
    }

    /**
     * Assigns partitions without a subscription, as {@link Consumer#assign} does. Partitions that were assigned before
     * and are not any more are given up as if revoked.
     */
    public void assign(Collection<TopicPartition> partitions) {
        onLoopThread(() -> {
            Set<TopicPartition> left = new HashSet<>(consumer.assignment());
            try {
                consumer.assign(partitions);
            } finally {
                // Also if it was cut short: it may have taken effect.
                left.removeAll(consumer.assignment());
                rebalances.giveUp(left);
                rebalances.take(consumer.assignment());
            }
        });
    }

    /** Gives up all partitions, as if revoked, and the subscription or assignment. */
    public void unsubscribe() {
        onLoopThread(() -> {
            if (consumer.subscription().isEmpty()) {
                rebalances.giveUp(consumer.assignment());
            }
            consumer.unsubscribe();
            ownership.fence(ownership.all());
        });
    }

    /**
     * Does what is due and fetches: the one call that a loop must make, again and again. In this order: throws what a
     * listener threw or a record failed with, moves over what has finished, commits if due, pauses and resumes
     * partitions, and polls the Kafka consumer. While work is in flight it looks every ten milliseconds for what has
     * finished, without returning for it.
     *
     * @param timeout how long to wait for records; zero or more
     * @return the records, each registered before it is handed out; empty when none came in time
     * @throws RecordFailedException if a record has failed; what had finished was committed. So does each later call,
     *     until the record's partition is sought or gone
     * @throws RecordStuckException if a record has held its partition back for longer than
     *     {@link TrackedConsumerBuilder#stopWhenStuckFor} allows; what had finished was committed. So does each later call
     * @throws RecordDeserializationException if a record could not be deserialized and there is no {@linkplain #processor
     *     processor} to deal with it. So does each later call, until it can be, or {@link #skip} has passed over it
     * @throws WakeupException if {@link #wakeup} was called
     * @throws InterruptException if the thread was interrupted
     * @throws IllegalStateException if closed, or without a subscription or assignment
     * @throws org.apache.kafka.common.KafkaException whatever else the Kafka consumer's poll throws
     */
    public TrackedRecords<K, V> poll(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout is " + timeout + ": it must be zero or more");
        }
        return loopThread.call(() -> {
            checkOpen();
            return notWithin(
                    "poll",
                    () -> reporting.whilePolling(() -> {
                        Deadline deadline = Deadline.in(time, timeout);
                        hasPolled = true;
                        while (true) {
                            if (processor != null) {
                                processor.takeTurn();
                            }
                            events.tell();
                            throwWhatIsKept();
                            positions.seekBack();
                            long untilDue = doWhatIsDue();
                            long wait =
                                    results.hasRest() ? 0 : Math.max(0, Math.min(deadline.remainingNanos(), untilDue));
                            TrackedRecords<K, V> records = fetch(Duration.ofNanos(wait));
                            if (!records.isEmpty() || deadline.isPast()) {
                                return records;
                            }
                        }
                    }));
        });
    }

    private <T> T notWithin(String call, Supplier<T> action) {
        if (inside) {
            throw new IllegalStateException(
                    call + " was called from within another call of this consumer, by a listener or a commit policy");
        }
        inside = true;
        try {
            return action.get();
        } finally {
            inside = false;
        }
    }

    private void throwWhatIsKept() {
        if (broken != null) {
            throw new IllegalStateException("this consumer has stopped after an internal error; close it", broken);
        }
        Throwable kept = events.takeKept();
        if (kept != null) {
            Unchecked.rethrow(kept);
        }
        if (wakeups.takeMissed()) {
            throw new WakeupException();
        }
        RuntimeException failure = failures.current();
        if (failure == null) {
            failure = stuckRecords.current();
        }
        if (failure != null) {
            RuntimeException commitFailure = commits.commitNow(ownership.all(), Deadline.in(time, drainTimeout));
            if (commitFailure != null) {
                failure.addSuppressed(commitFailure);
            }
            throw failure;
        }
    }

    /** Answers how long, in nanoseconds, nothing is due. */
    private long doWhatIsDue() {
        boolean inFlight = false;
        commits.takeRequest();
        for (OwnedPartition partition : ownership.all()) {
            partition.advance();
            inFlight |= partition.recordsHeld() > 0;
        }
        backpressure.apply(undecodable.waiting());
        maps.takeTurn(ownership.all());
        long untilDue = Math.min(commits.sendIfDue(), Math.min(reporting.lookIfDue(), undecodable.nanosUntilDue()));
        return inFlight || commits.isInFlight() ? Math.min(untilDue, LOOK_NANOS) : untilDue;
    }

    private TrackedRecords<K, V> fetch(Duration wait) {
        ConsumerRecords<K, V> polled = pollKafka(wait);
        try {
            results.take(polled);
        } catch (RuntimeException | Error e) {
            stop(e);
            throw e;
        }
        positions.trySeekBack();
        events.tell();
        return results.newest();
    }

    private ConsumerRecords<K, V> pollKafka(Duration wait) {
        try {
            return consumer.poll(wait);
        } catch (FencedInstanceIdException e) {
            replaced = true;
            throw e;
        } catch (RecordDeserializationException e) {
            undecodable.handle(e, processor);
            return ConsumerRecords.empty();
        } catch (KafkaException e) {
            throw e; // nothing was taken: what has been fetched is returned first
        } catch (RuntimeException | Error e) {
            // A deserializer or an interceptor, say; records of other partitions may have been taken before.
            try {
                positions.readLostAgain();
            } catch (RuntimeException | Error again) {
                e.addSuppressed(again);
                stop(e);
            }
            throw e;
        }
    }

    /** Some records may have been taken and not registered: whatever were committed from now on could pass them. */
    private void stop(Throwable because) {
        broken = because;
        ownership.fence(ownership.all());
    }

    /**
     * Asks for what has finished to be committed in the next turn of the loop, whatever the policy says. Any thread; many
     * requests become one commit. A resume map is stored with it; for a map alone, while the offset stays the same, no
     * commit is made more often than {@link TrackedConsumerBuilder#resumeMapEvery} says.
     */
    public void requestCommit() {
        commits.request();
    }

    /**
     * Commits everything that has finished and waits until the broker has confirmed it, for {@code
     * default.api.timeout.ms} at most. See {@link #commitSync(Duration)}.
     */
    public void commitSync() {
        commitSync(apiTimeout);
    }

    /**
     * Commits everything that has finished and waits until the broker has confirmed it. Does nothing when that is what
     * the broker has already. Never needed: the commit policy, revocation and close commit too. With resume maps it waits for
     * the Admin first, and stores the maps too.
     *
     * @param timeout how long to wait; zero or more
     * @throws org.apache.kafka.common.errors.TimeoutException if no answer came in time: the outcome is unknown
     * @throws org.apache.kafka.common.KafkaException why the commit failed; what was to be committed stays pending, and
     *     is sent again when the policy says so
     */
    public void commitSync(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout is " + timeout + ": it must be zero or more");
        }
        onLoopThread(() -> {
            RuntimeException failure = commits.commitNow(ownership.all(), Deadline.in(time, timeout));
            events.tell();
            if (failure != null) {
                throw failure;
            }
        });
    }

    /**
     * Sets the position of a partition, as {@link Consumer#seek(TopicPartition, long)} does. What was delivered before is
     * void: reports for it are ignored, and what it had finished and not committed is not committed any more.
     *
     * <p>A seek forward passes over what was still being worked on, too: the next commit is at or above the position
     * sought. To pass over one record, which can't be read for example, there is {@link #skip}.
     *
     * @param offset the next offset to read; zero or more
     */
    public void seek(TopicPartition partition, long offset) {
        seek(partition, new OffsetAndMetadata(offset));
    }

    /** Sets the position of a partition, with its leader epoch; see {@link #seek(TopicPartition, long)}. */
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        Objects.requireNonNull(partition, "partition");
        Objects.requireNonNull(offset, "offset");
        onLoopThread(() -> {
            consumer.seek(partition, offset);
            ownership.own(partition).seekTo(offset);
        });
    }

    /** Sets the position to the beginning of the partitions' logs; see {@link #seek(TopicPartition, long)}. */
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        onLoopThread(() -> {
            consumer.seekToBeginning(partitions);
            soughtToUnknown(partitions);
        });
    }

    /** Sets the position to the end of the partitions' logs; see {@link #seek(TopicPartition, long)}. */
    public void seekToEnd(Collection<TopicPartition> partitions) {
        onLoopThread(() -> {
            consumer.seekToEnd(partitions);
            soughtToUnknown(partitions);
        });
    }

    /**
     * Goes on where a plan says, in those of its partitions that are assigned to this consumer; the others are left to their
     * owners. Each is sought, as {@link #seek(TopicPartition, long)} does: what was delivered before is void, and what it had
     * finished and not committed is done again. The new positions are committed in the loop's next turn.
     *
     * @param plan for this consumer's group, made a moment ago
     * @return the partitions that were moved
     * @throws IllegalArgumentException if the plan is for another group, or for skipping a record, which {@link #skip} does
     */
    public Set<TopicPartition> replay(ReplayPlan plan) {
        Objects.requireNonNull(plan, "plan");
        Set<TopicPartition> moved = new HashSet<>();
        onLoopThread(() -> {
            checkIsForHere(plan);
            Map<TopicPartition, Long> offsets = plan.offsets();
            for (TopicPartition partition : consumer.assignment()) {
                if (offsets.containsKey(partition)) {
                    seek(partition, offsets.get(partition));
                    moved.add(partition);
                }
            }
            if (!moved.isEmpty()) {
                commits.request();
            }
        });
        return moved;
    }

    private void checkIsForHere(ReplayPlan plan) {
        if (!plan.group().equals(reporting.group())) {
            throw new IllegalArgumentException(
                    "the plan is for group " + plan.group() + ", and this consumer is of group " + reporting.group());
        }
        if (plan.isToSkip()) {
            throw new IllegalArgumentException(
                    "the plan is for skipping a record of a group that is stopped: here, call"
                            + " skip(partition, offset, reason), which leaves what is in flight below it alone");
        }
    }

    private void soughtToUnknown(Collection<TopicPartition> partitions) {
        Collection<TopicPartition> sought = partitions.isEmpty() ? consumer.assignment() : partitions;
        sought.forEach(partition -> ownership.own(partition).seekToUnknown());
    }

    /**
     * Pauses partitions, as {@link Consumer#pause} does. They stay paused until {@link #resume}, or until they leave this
     * consumer. This is apart from the pauses at the {@linkplain TrackedConsumerBuilder#maxInFlightPerPartition bound}.
     */
    public void pause(Collection<TopicPartition> partitions) {
        Objects.requireNonNull(partitions, "partitions");
        onLoopThread(() -> backpressure.pause(partitions));
    }

    /** Resumes partitions that {@link #pause} has paused. One that is at its bound goes on when it holds fewer records. */
    public void resume(Collection<TopicPartition> partitions) {
        Objects.requireNonNull(partitions, "partitions");
        onLoopThread(() -> backpressure.resume(partitions));
    }

    /** The partitions that {@link #pause} has paused. */
    public Set<TopicPartition> paused() {
        return loopThread.call(() -> {
            checkOpen();
            return backpressure.pausedByUser();
        });
    }

    /** The partitions that are assigned now, as {@link Consumer#assignment} says. */
    public Set<TopicPartition> assignment() {
        return loopThread.call(() -> {
            checkOpen();
            return consumer.assignment();
        });
    }

    /** The topics that are subscribed to, as {@link Consumer#subscription} says. */
    public Set<String> subscription() {
        return loopThread.call(() -> {
            checkOpen();
            return consumer.subscription();
        });
    }

    /**
     * The metrics of this consumer beside the Kafka consumer's own, to hand to a metrics library. Any thread; it does not
     * block. What a consumer measures is listed in {@code docs/metrics.md}: numbers all, not a number ({@code NaN}) where
     * they are not known, at most a second old, gone with their partition or the consumer.
     *
     * <p>They are reported by reporters of their own, of the classes that {@code metric.reporters} names: by default to JMX,
     * as {@code dev.offsets:type=tracked-consumer-metrics}.
     *
     * @return a view that can't be changed
     */
    public Map<MetricName, Metric> metrics() {
        return metrics.besideKafkas();
    }

    private Glance glance() {
        RecordProcessor<K, V> present = processor;
        return reporting.glance(present == null ? ProcessorStatus.NOTHING : present.status());
    }

    /** As {@link Consumer#groupMetadata} says; to be read afresh for each use. */
    public ConsumerGroupMetadata groupMetadata() {
        return loopThread.call(() -> {
            checkOpen();
            return consumer.groupMetadata();
        });
    }

    /**
     * Makes a poll that waits, or else the next one, throw {@link WakeupException}. Any thread. A commit is never cut
     * short by it.
     */
    public void wakeup() {
        consumer.wakeup();
    }

    /**
     * Where each partition stands. Any thread. Partitions are in it from the moment that their position is known. Costs
     * in proportion to the records held.
     */
    public Map<TopicPartition, TrackerStatus> status() {
        return ownership.status();
    }

    /**
     * Where each partition stands, how far behind it is, and what holds it back. Any thread; it does not block, and costs in
     * proportion to the records held. What brokers know is in it where the consumer has an
     * {@linkplain TrackedConsumerBuilder#admin Admin}, as of its last answer.
     *
     * <p>For a health check: {@code report().isHealthy()}. It sees a loop that does not poll any more, too.
     */
    public GroupReport report() {
        return reporting.report();
    }

    /** How many finished records would be done again if this process ended now. Any thread. */
    long replayExposure() {
        return ownership.replayExposure();
    }

    /** {@link #close(Duration)} with the {@linkplain TrackedConsumerBuilder#drainTimeout drain timeout}. */
    @Override
    public void close() {
        close(drainTimeout);
    }

    /**
     * Waits, bounded, for the work that runs, commits what has finished, and closes the Kafka consumer. While it waits it
     * keeps polling with everything paused, so that the group goes on. Reports that come later are ignored. An interrupt
     * ends the wait, not the commit, and stays set. Closing again does nothing and answers the same.
     *
     * <p>Neither a failed commit nor what a listener throws is thrown from here, so that an exception that is on its way
     * is not hidden: both are logged, and in the result.
     *
     * @param timeout for all of it together; zero or more
     */
    public CloseResult close(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout is " + timeout + ": it must be zero or more");
        }
        return loopThread.call(() -> {
            if (closed == null) {
                Closing closing = new Closing(
                        consumer,
                        ownership,
                        commits,
                        backpressure,
                        draining,
                        rebalances,
                        events,
                        failures,
                        time,
                        !replaced);
                Deadline deadline = Deadline.in(time, timeout);
                closed = notWithin("close", () -> closing.close(deadline));
                reporting.close(deadline.remaining());
                originals.close(deadline);
                metrics.close();
                if (processor != null) {
                    processor.forgetWhatEnded();
                }
            }
            return closed;
        });
    }

    /**
     * Begins to set up what works on this consumer's records: on the user's executor, in the order asked for, with a policy
     * for failures. To be finished before the first poll; one for each consumer. Records then count as started when work on
     * them begins, as with {@link TrackedConsumerBuilder#explicitStarts}.
     *
     * @param executor where handlers run: a pool, an executor with a virtual thread for each task, or {@code
     *     Runnable::run} for the loop thread itself. It remains the user's, who shuts it down after the consumer. It may
     *     reject tasks; one that drops them without a word stalls the processor
     * @param maxConcurrency how many records, or batches of records, are worked on at once; one or more
     */
    public RecordProcessorBuilder<K, V> processor(Executor executor, int maxConcurrency) {
        Objects.requireNonNull(executor, "executor");
        if (maxConcurrency < 1) {
            throw new IllegalArgumentException("maxConcurrency is " + maxConcurrency + ": it must be one or more");
        }
        return new RecordProcessorBuilder<>(this, executor, maxConcurrency);
    }

    RecordProcessor<K, V> install(
            RecordProcessorBuilder<K, V> settings, AsyncHandler<List<ConsumerRecord<K, V>>> handler) {
        onLoopThread(() -> {
            if (processor != null) {
                throw new IllegalStateException(
                        "this consumer has a processor already: there is one for each consumer");
            }
            if (hasPolled) {
                throw new IllegalStateException(
                        "this consumer has polled already: make its processor before the first poll, since from then on"
                                + " records count as started when it starts them");
            }
            draining.startsAreExplicit();
            processor = new RecordProcessor<>(
                    settings,
                    handler,
                    failures,
                    new PartitionStops(backpressure, events),
                    originals,
                    undecodable,
                    metrics,
                    time);
        });
        return processor;
    }

    /**
     * Passes over a record, without ending what is in flight: the right way past one that can't be read (the partition and
     * offset in a {@link RecordDeserializationException} that {@link #poll} threw), or that is to be given up although it
     * was delivered and has not failed. It counts as finished, and a line in the log says so. Unlike with a {@link #seek}
     * forward, what is still being worked on below keeps holding the commit back.
     *
     * @param offset the offset of the record
     * @param reason why, for the log
     * @throws IllegalArgumentException if the record is neither the next one to be read nor delivered and waiting for its
     *     outcome, or its partition is not assigned
     */
    public void skip(TopicPartition partition, long offset, String reason) {
        Objects.requireNonNull(partition, "partition");
        Objects.requireNonNull(reason, "reason");
        onLoopThread(() -> {
            undecodable.skip(partition, offset, reason);
            if (processor != null) {
                processor.skipped(partition, offset);
            }
        });
    }

    void onLoopThread(Runnable action) {
        loopThread.call(() -> {
            checkOpen();
            boolean outermost = !inside;
            inside = true;
            try {
                action.run();
            } finally {
                inside &= !outermost;
            }
            return null;
        });
    }

    private void checkOpen() {
        if (closed != null) {
            throw new IllegalStateException("this consumer has been closed");
        }
    }
}
