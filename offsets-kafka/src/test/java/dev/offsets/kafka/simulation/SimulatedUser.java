package dev.offsets.kafka.simulation;

import dev.offsets.kafka.CloseResult;
import dev.offsets.kafka.RecordFailedException;
import dev.offsets.kafka.RecordStuckException;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.TrackedRecords;
import dev.offsets.kafka.VirtualClock;
import dev.offsets.kafka.VirtualTopicIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/** A program that uses the library: a loop, and now and then something else. Restarted as often as it ends. */
final class SimulatedUser {
    /** What the body of a loop, or a listener, may throw. */
    static final class OwnException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final Duration SLACK = Duration.ofMillis(20);

    final String name;
    final Chance chance;
    private final Simulation simulation;
    private final UserActions actions;
    private SimulatedClient client;
    private TrackedConsumer<Long, Entry> consumer;
    private Workers workers;
    /** Null where the user reports what its workers do. */
    private ProcessorWork processor;

    private boolean withHandles;
    private List<Delivery> deliveries;
    private int lives;
    private boolean closing;
    private boolean calmed;
    private Expected expected;
    boolean listenerThrew;

    SimulatedUser(Simulation simulation, String name) {
        this.simulation = simulation;
        this.name = name;
        this.chance = simulation.chance(name);
        this.actions = new UserActions(simulation, this);
    }

    String process() {
        return client.process;
    }

    SimulatedClient client() {
        return client;
    }

    TrackedConsumer<Long, Entry> consumer() {
        return consumer;
    }

    boolean isClosing(String process) {
        return closing && client.process.equals(process);
    }

    void start() {
        Settings settings = simulation.settings;
        OffsetTools.maybeUse(simulation, chance);
        client = new SimulatedClient(simulation, name + "." + ++lives);
        simulation.beforeStart(client.process);
        Tampering tampering = simulation.tampering();
        workers = new Workers(simulation, this, client, tampering);
        deliveries = new ArrayList<>();
        withHandles = chance.perMille(500);
        closing = false;
        calmed = simulation.isCalm();
        expected = new Expected();
        listenerThrew = false;
        var builder = TrackedConsumer.wrap(ClientProxy.around(client, tampering), settings.configuration())
                .commitPolicy(settings.policy)
                .maxInFlightPerPartition(settings.maxInFlight)
                .maxInFlight(settings.maxInFlightOfAll)
                .commitKeepAlive(settings.commitKeepAlive)
                .listener(new UserListener(simulation, this))
                .drainTimeout(settings.drainTimeout);
        if (settings.explicitStarts) {
            builder.explicitStarts();
        }
        if (settings.stuckLimit != null) {
            builder.stopWhenStuckFor(settings.stuckLimit);
        }
        if (settings.resumeMaps) {
            SimulatedTopicIds ids = new SimulatedTopicIds(simulation, client.process);
            VirtualTopicIds.use(builder, topics -> tampering.topicIds(ids, topics))
                    .resumeMapEvery(settings.resumeMapInterval)
                    .resumeMapCharacters(settings.resumeMapCharacters);
        }
        consumer = VirtualClock.use(builder, simulation.time::now, simulation.time::pass, client.chance::fraction)
                .build();
        processor = settings.processing == null ? null : new ProcessorWork(simulation, this, tampering, consumer);
        simulation.trace.add(() -> client.process + "  starts" + (withHandles ? "" : ", with Kafka's records"));
        actions.subscribe();
        next();
    }

    private void next() {
        SimulatedClient present = client;
        long pause = chance.pick(0, chance.between(0, 20), chance.between(0, 100)) * VirtualTime.MILLI;
        if (simulation.happens(Feature.EXPULSION) && chance.perMille(8)) {
            simulation.trace.add(() -> client.process + "  stands still");
            pause = 5 * VirtualTime.SECOND;
        }
        simulation.time.in(pause, () -> {
            if (client == present && !client.isCrashed()) {
                turn();
            }
        });
    }

    private void turn() {
        boolean others = simulation.enter(this);
        try {
            expected.turnBegins();
            if (simulation.isCalm() && !calmed) {
                calmed = true;
                if (actions.calmDown(deliveries)) {
                    return;
                }
            } else if (actions.act()) {
                return;
            }
            seekWhatStopped();
            if (pollAndHandOut()) {
                simulation.checkers.all(checker -> checker.turnEnded(this));
                next();
            }
        } finally {
            expected.turnEnds();
            simulation.leave(this, others);
        }
    }

    /** Answers whether the loop goes on. */
    private boolean pollAndHandOut() {
        try {
            handOut(poll());
            if (simulation.happens(Feature.LOOP_EXCEPTION) && chance.perMille(8)) {
                throw new OwnException();
            }
            return true;
        } catch (WakeupException e) {
            simulation.trace.add(() -> client.process + "  wakes up");
            return expected.wakeupThrown() || unexpected("poll", e);
        } catch (InterruptException e) {
            return expected.interruptThrown() || unexpected("poll", e);
        } catch (RecordFailedException e) {
            return afterFailure(e);
        } catch (RecordStuckException e) {
            return afterStuck(e);
        } catch (InvalidOffsetException e) {
            simulation.trace.add(() -> client.process + "  no offset: " + e.getMessage());
            if (!simulation.settings.resetPolicy.equals("none")) {
                unexpected("poll", e);
            }
            actions.seekAfter(e);
            return true;
        } catch (OwnException e) {
            if (listenerThrew) {
                listenerThrew = false;
                return true;
            }
            close(simulation.settings.drainTimeout);
            return false;
        } catch (RuntimeException | Error e) {
            return unexpected("poll", e);
        }
    }

    private boolean afterStuck(RecordStuckException stuck) {
        simulation.trace.add(() -> client.process + "  " + stuck.getMessage());
        simulation.checkers.all(checker -> checker.saidStuck(this, stuck.topicPartition(), stuck.offset()));
        if (!simulation.isCalm() && chance.perMille(500)) {
            close(simulation.settings.drainTimeout);
            return false;
        }
        if (Thread.currentThread().isInterrupted()) {
            // Whoever goes on has dealt with that, too: work is not started by a thread that is interrupted.
            expected.interruptThrown();
        }
        actions.seek(stuck.topicPartition(), new OffsetAndMetadata(stuck.offset()));
        return true;
    }

    private TrackedRecords<Long, Entry> poll() {
        Duration timeout = simulation.isCalm()
                ? Duration.ofMillis(chance.between(100, 1_000))
                : Duration.ofMillis(chance.pick(0, 10, 100, chance.between(0, 500)));
        expected.pollBegins();
        simulation.checkers.all(checker -> checker.pollBegins(this));
        long started = simulation.time.now();
        long late = simulation.time.late();
        TrackedRecords<Long, Entry> records;
        try {
            records = consumer.poll(timeout);
        } finally {
            // A drain, a commit and a question what is stored, in each of two callbacks at most.
            Duration most = timeout.plus(simulation.settings.drainTimeout.multipliedBy(5))
                    .plus(simulation.settings.apiTimeout.multipliedBy(4))
                    .plus(simulation.settings.longestLookUp())
                    .plus(SLACK);
            checkTook("poll", started, late, most);
        }
        simulation.checkers.all(checker -> checker.pollReturned(this));
        if (expected.pollShouldHaveThrown()) {
            simulation.violated("Exceptions", client.process + " was not woken by wakeup()");
        }
        return records;
    }

    private void checkTook(String call, long started, long lateBefore, Duration most) {
        long took = simulation.time.now() - started - (simulation.time.late() - lateBefore);
        if (took > most.toNanos()) {
            simulation.violated(
                    "Bounds", client.process + ": " + call + " took " + took / 1e6 + " ms, longer than " + most);
        }
    }

    private void handOut(TrackedRecords<Long, Entry> records) {
        if (processor != null) {
            processor.process(records);
            return;
        }
        int left = simulation.happens(Feature.HALF_ITERATED) && chance.perMille(200)
                ? chance.between(0, records.count())
                : Integer.MAX_VALUE;
        if (withHandles) {
            for (TrackedRecord<Long, Entry> record : records) {
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                give(new Delivery(client.process, simulation.checkers.views.of(client.process, partition), record));
                if (--left <= 0) {
                    break;
                }
            }
            return;
        }
        for (ConsumerRecord<Long, Entry> record : records.consumerRecords()) {
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            View view = simulation.checkers.views.of(client.process, partition);
            give(new Delivery(client.process, view, null, records, record));
        }
    }

    private void give(Delivery delivery) {
        deliveries.removeIf(one -> one.view.over || one.accepted > 0 && !one.failed);
        deliveries.add(delivery);
        delivery.givenAt = simulation.time.now();
        simulation.checkers.all(checker -> checker.handedOut(delivery));
        workers.give(delivery);
    }

    /** What a processor has stopped begins anew some time. */
    private void seekWhatStopped() {
        if (processor != null) {
            processor.stopped().forEach((partition, at) -> {
                checkFailed("a processor's status", partition, at.offset(), at.cause());
                if (simulation.isCalm() || chance.perMille(100)) {
                    actions.seek(partition, new OffsetAndMetadata(at.offset()));
                }
            });
        }
    }

    private void checkFailed(String where, TopicPartition partition, long offset, Throwable said) {
        View view = simulation.checkers.views.of(client.process, partition);
        boolean real =
                deliveries.stream().anyMatch(one -> one.failed && one.view == view && one.entry.offset == offset);
        if (!real) {
            unexpected(where, said);
        }
    }

    private boolean afterFailure(RecordFailedException failure) {
        simulation.trace.add(() -> client.process + "  " + failure.getMessage());
        checkFailed("poll", failure.topicPartition(), failure.offset(), failure);
        if (!simulation.isCalm() && chance.perMille(400)) {
            close(simulation.settings.drainTimeout);
            return false;
        }
        boolean giveUp = !simulation.isCalm() && chance.perMille(300);
        actions.seek(failure.topicPartition(), new OffsetAndMetadata(failure.offset() + (giveUp ? 1 : 0)));
        return true;
    }

    /** A worker has reported a failure. */
    void failed(Delivery delivery) {
        if (delivery.failed && !deliveries.contains(delivery)) {
            deliveries.add(delivery);
        }
    }

    /** The work on a record will never end. */
    void forgotten(Delivery delivery) {
        delivery.forgotten = true;
        deliveries.add(delivery);
    }

    boolean hasProcessor() {
        return processor != null;
    }

    void wakeup() {
        simulation.trace.add(() -> client.process + "  wakeup()");
        expected.wakeup();
        consumer.wakeup();
    }

    void interrupt() {
        simulation.trace.add(() -> client.process + "  is interrupted");
        expected.interrupt(simulation.isRunning(this));
    }

    void close(Duration timeout) {
        simulation.trace.add(() -> client.process + "  close(" + timeout + ")");
        closing = true;
        long started = simulation.time.now();
        long late = simulation.time.late();
        try {
            CloseResult result = consumer.close(timeout);
            simulation.trace.add(() -> client.process + "  closed: " + result);
        } catch (RuntimeException | Error e) {
            unexpected("close", e);
        }
        checkTook("close", started, late, timeout.plus(SLACK));
        restartLater();
    }

    void crash() {
        simulation.trace.add(() -> client.process + "  crashes");
        client.crash();
        simulation.checkers.all(checker -> checker.crashed(client));
        restartLater();
    }

    private void restartLater() {
        Thread.interrupted();
        simulation.time.in(chance.millis(0, 1_000), this::start);
    }

    /** Ends the run. */
    boolean unexpected(String call, Throwable thrown) {
        simulation.violated("Exceptions", client.process + ": " + call + " threw " + thrown, thrown);
        return false;
    }
}
