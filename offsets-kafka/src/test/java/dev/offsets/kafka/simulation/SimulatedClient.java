package dev.offsets.kafka.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.metrics.KafkaMetric;

/** A Kafka consumer as far as the library uses one. Its public methods are those of Kafka's interface. */
public final class SimulatedClient {
    final String process;
    final Chance chance;
    final Membership membership;
    final CommitChannel commits;
    final Positions positions;
    private final Simulation simulation;
    private final VirtualTime time;
    private final Set<String> topics = new LinkedHashSet<>();
    private ConsumerRebalanceListener listener;
    private InvalidOffsetException foundInvalid;
    private boolean woken;
    private boolean closing;
    private boolean closed;
    private boolean crashed;

    SimulatedClient(Simulation simulation, String process) {
        this.simulation = simulation;
        this.process = process;
        this.time = simulation.time;
        this.chance = simulation.chance("client of " + process);
        this.positions = new Positions(simulation, chance);
        this.commits = new CommitChannel(this, simulation);
        this.membership = Membership.of(this, simulation);
    }

    private void enter() {
        simulation.checkRunning();
        time.tick();
        if (closed) {
            throw new IllegalStateException("This consumer has already been closed.");
        }
    }

    public void subscribe(Collection<String> newTopics, ConsumerRebalanceListener newListener) {
        enter();
        topics.clear();
        topics.addAll(newTopics);
        listener = newListener;
    }

    public Set<String> subscription() {
        enter();
        return new LinkedHashSet<>(topics);
    }

    public void assign(Collection<TopicPartition> partitions) {
        enter();
        positions.assigned.keySet().retainAll(partitions);
        List<TopicPartition> added = new ArrayList<>(partitions);
        added.removeAll(positions.assigned.keySet());
        added.forEach(positions::add);
        simulation.checkers.all(checker -> checker.assigned(this, added));
    }

    public void unsubscribe() {
        enter();
        if (!topics.isEmpty()) {
            membership.leave();
        }
        topics.clear();
        positions.assigned.clear();
    }

    public Set<TopicPartition> assignment() {
        enter();
        return owned();
    }

    public ConsumerRecords<Long, Entry> poll(Duration timeout) {
        enter();
        if (topics.isEmpty() && positions.assigned.isEmpty()) {
            throw new IllegalStateException("Consumer is not subscribed to any topics or assigned any partitions");
        }
        simulation.checkers.all(checker -> checker.polling(this));
        long deadline = time.now() + timeout.toNanos();
        do {
            time.tick();
            time.passUntil(time.now(), () -> false);
            if (takeWakeup()) {
                throw new WakeupException();
            }
            commits.runCallbacks();
            membership.poll();
            findPositions();
            ConsumerRecords<Long, Entry> records = positions.collect();
            if (records != null) {
                return intercept(records);
            }
            long next = Math.min(deadline, Math.max(time.now(), positions.nextMoment()));
            if (!topics.isEmpty()) {
                next = Math.min(next, time.now() + 40 * VirtualTime.MILLI);
            }
            time.passUntil(next, this::hasToAct);
            throwIfInterrupted();
        } while (time.now() < deadline);
        return ConsumerRecords.empty();
    }

    /** KIP-848's client may find a position invalid twice, and throw the second time although it was set meanwhile. */
    private void findPositions() {
        if (foundInvalid != null) {
            InvalidOffsetException again = foundInvalid;
            foundInvalid = null;
            throw again;
        }
        try {
            positions.update();
        } catch (InvalidOffsetException e) {
            if (simulation.settings.protocol == Protocol.CONSUMER && chance.perMille(300)) {
                foundInvalid = e;
            }
            throw e;
        }
    }

    private ConsumerRecords<Long, Entry> intercept(ConsumerRecords<Long, Entry> fetched) {
        ConsumerRecords<Long, Entry> records =
                simulation.scenario.has(Feature.INTERCEPTOR) ? Interceptor.onConsume(fetched, chance) : fetched;
        simulation.trace.add(() -> process + "  polled " + show(records));
        simulation.checkers.all(checker -> checker.polled(this, records));
        return records;
    }

    private boolean hasToAct() {
        return woken
                || Thread.currentThread().isInterrupted()
                || commits.hasCallbacks()
                || positions.nextMoment() <= time.now();
    }

    private static void throwIfInterrupted() {
        if (Thread.interrupted()) {
            throw new InterruptException(new InterruptedException());
        }
    }

    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        enter();
        commits.runCallbacks();
        commits.async(offsets, callback);
    }

    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        enter();
        commits.sync(offsets, timeout);
    }

    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
        enter();
        Map<TopicPartition, OffsetAndMetadata> stored = commits.stored(partitions, timeout);
        stored.forEach((partition, offset) -> {
            if (offset != null) {
                simulation.checkers.all(checker -> checker.toldStored(this, partition, offset));
            }
        });
        return stored;
    }

    public Map<MetricName, Metric> metrics() {
        enter();
        Map<MetricName, Metric> metrics = new LinkedHashMap<>();
        positions.assigned.values().forEach(one -> {
            RecordsLead lead = new RecordsLead(one);
            metrics.put(lead.metricName(), lead);
        });
        return metrics;
    }

    public void registerMetricForSubscription(KafkaMetric metric) {
        enter();
    }

    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        enter();
        positions.moveTo(assigned(partition), offset);
        if (offset.leaderEpoch().isEmpty()) {
            simulation.log(partition).readWithoutEpoch(offset.offset(), null);
        }
        simulation.checkers.all(checker -> checker.sought(this, partition, offset));
    }

    public void seekToBeginning(Collection<TopicPartition> partitions) {
        seekTo(partitions, "earliest");
    }

    public void seekToEnd(Collection<TopicPartition> partitions) {
        seekTo(partitions, "latest");
    }

    private void seekTo(Collection<TopicPartition> partitions, String where) {
        enter();
        for (TopicPartition partition : partitions.isEmpty() ? owned() : partitions) {
            assigned(partition).resetTo(where);
            positions.ask(assigned(partition));
            simulation.checkers.all(checker -> checker.sought(this, partition, null));
        }
    }

    public long position(TopicPartition partition, Duration timeout) {
        enter();
        Assigned one = assigned(partition);
        long deadline = time.now() + timeout.toNanos();
        while (one.position == Assigned.UNKNOWN) {
            positions.update();
            if (one.position == Assigned.UNKNOWN) {
                if (takeWakeup()) {
                    throw new WakeupException();
                }
                if (time.now() >= deadline) {
                    throw new TimeoutException("the position is not known");
                }
                time.passUntil(Math.min(deadline, Math.max(time.now() + 1_000, one.answerAt)), () -> woken);
            }
        }
        OffsetAndMetadata told = new OffsetAndMetadata(one.position);
        if (!simulation.checkers.views.knowsEpoch(process, partition, one.position)) {
            simulation.log(partition).readWithoutEpoch(one.position, one.epoch);
        }
        simulation.checkers.all(checker -> checker.toldPosition(this, partition, told));
        return one.position;
    }

    public void pause(Collection<TopicPartition> partitions) {
        enter();
        partitions.forEach(partition -> assigned(partition).paused = true);
    }

    public void resume(Collection<TopicPartition> partitions) {
        enter();
        partitions.forEach(partition -> assigned(partition).paused = false);
    }

    public Set<TopicPartition> paused() {
        enter();
        Set<TopicPartition> paused = owned();
        paused.removeIf(partition -> !positions.assigned.get(partition).paused);
        return paused;
    }

    private Assigned assigned(TopicPartition partition) {
        Assigned one = positions.assigned.get(partition);
        if (one == null) {
            throw new IllegalStateException("No current assignment for partition " + partition);
        }
        return one;
    }

    public void wakeup() {
        woken = true;
    }

    public void close(Duration timeout) {
        if (closed) {
            return;
        }
        enter();
        closing = true;
        long deadline = time.now() + timeout.toNanos();
        if (!topics.isEmpty()) {
            membership.leave();
        }
        positions.assigned.clear();
        commits.close(deadline);
        closed = true;
        simulation.checkers.all(checker -> checker.closed(this));
    }

    public void close() {
        close(Duration.ofSeconds(30));
    }

    /** A copy. */
    Set<TopicPartition> owned() {
        return new LinkedHashSet<>(positions.assigned.keySet());
    }

    void assigned(Collection<TopicPartition> added) {
        simulation.trace.add(() -> process + "  assigned " + added);
        added.forEach(positions::add);
        simulation.checkers.all(checker -> checker.assigned(this, added));
        guarded("onPartitionsAssigned", () -> listener.onPartitionsAssigned(new ArrayList<>(added)));
    }

    void revoke(Collection<TopicPartition> revoked) {
        if (revoked.isEmpty()) {
            return;
        }
        simulation.trace.add(() -> process + "  revokes " + revoked);
        simulation.checkers.all(checker -> checker.revoking(this, revoked));
        guarded("onPartitionsRevoked", () -> listener.onPartitionsRevoked(new ArrayList<>(revoked)));
        positions.assigned.keySet().removeAll(revoked);
        simulation.trace.add(() -> process + "  revoked " + revoked);
        simulation.checkers.all(checker -> checker.gone(this, revoked));
    }

    void lose(Collection<TopicPartition> lost) {
        if (lost.isEmpty()) {
            return;
        }
        simulation.trace.add(() -> process + "  lost " + lost);
        simulation.checkers.all(checker -> checker.lost(this, lost));
        guarded("onPartitionsLost", () -> listener.onPartitionsLost(new ArrayList<>(lost)));
        positions.assigned.keySet().removeAll(lost);
        simulation.checkers.all(checker -> checker.gone(this, lost));
    }

    /** Calls into the library: it must not throw. */
    void guarded(String callback, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            simulation.violated("Exceptions", callback + " of " + process + " threw " + e);
        }
    }

    /** Whether a wakeup is to end what waits; nothing does while closing. */
    boolean isWoken() {
        return woken && !closing;
    }

    boolean takeWakeup() {
        boolean taken = isWoken();
        woken &= closing;
        return taken;
    }

    Simulation simulation() {
        return simulation;
    }

    long now() {
        return time.now();
    }

    boolean isClosed() {
        return closed;
    }

    boolean isCrashed() {
        return crashed;
    }

    void crash() {
        crashed = true;
        membership.crash();
    }

    private static String show(ConsumerRecords<Long, Entry> records) {
        StringBuilder text = new StringBuilder();
        records.partitions().forEach(partition -> {
            text.append(partition).append('@');
            records.records(partition)
                    .forEach(record -> text.append(record.offset()).append(' '));
        });
        return text + "next " + Trace.show(records.nextOffsets());
    }
}
