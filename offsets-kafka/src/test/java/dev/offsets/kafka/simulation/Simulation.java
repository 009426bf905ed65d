package dev.offsets.kafka.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** One run: a time of trouble, then a time of calm, after which everything must have come right. */
final class Simulation {
    /** Longer than any delay that the library allows itself. */
    private static final long CALM_NANOS = 45 * VirtualTime.SECOND;

    private static final int MOST_EVENTS = 400_000;

    /** Unwinds a run that has ended. */
    private static final class Stopped extends Error {
        private static final long serialVersionUID = 1L;

        Stopped() {
            super("the run has ended", null, false, false);
        }
    }

    final Scenario scenario;
    final Settings settings;
    final Trace trace;
    final VirtualTime time;
    final SimulatedGroup group;
    final Checkers checkers;
    private final Supplier<Tampering> tamperings;
    private final Map<TopicPartition, SimulatedLog> logs = new LinkedHashMap<>();
    private final Map<String, LogActor> logActors = new LinkedHashMap<>();
    private final List<SimulatedUser> users = new ArrayList<>();
    private final Deque<SimulatedUser> running = new ArrayDeque<>();
    private Violation violation;
    private boolean calm;
    private int events;

    private Simulation(Scenario scenario, Supplier<Tampering> tamperings, boolean traced) {
        this(scenario, new Settings(scenario), tamperings, traced, true);
    }

    private Simulation(
            Scenario scenario, Settings settings, Supplier<Tampering> tamperings, boolean traced, boolean checked) {
        this.scenario = scenario;
        this.tamperings = tamperings;
        this.settings = settings;
        this.trace = new Trace(traced);
        this.time = new VirtualTime(this::checkRunning);
        this.trace.useTime(time);
        this.checkers = new Checkers(this, checked);
        settings.partitions.forEach(partition -> logs.put(partition, new SimulatedLog(partition, time)));
        this.group = switch (settings.protocol) {
            case MANUAL -> new NoGroup(this);
            case CLASSIC_EAGER -> new ClassicGroup(this, true);
            case CLASSIC_COOPERATIVE -> new ClassicGroup(this, false);
            case CONSUMER -> new ConsumerGroup(this);
        };
    }

    /** A cluster in which nothing happens by itself, and nobody looks at what others do. */
    static Simulation staged(Settings settings, Supplier<Tampering> tamperings) {
        return new Simulation(new Scenario(1, Set.of(), 0), settings, tamperings, false, false);
    }

    /** Runs a scenario with the library as it is. */
    static Outcome run(Scenario scenario) {
        return run(scenario, Tampering::new, false);
    }

    /**
     * Runs a scenario.
     *
     * @param tamperings what stands between the library and the rest, one for each process
     * @param traced whether the outcome is to say what happened
     */
    static Outcome run(Scenario scenario, Supplier<Tampering> tamperings, boolean traced) {
        Simulation simulation = new Simulation(scenario, tamperings, traced);
        try {
            simulation.run();
        } catch (Stopped e) {
            // A checker has found something.
        } catch (RuntimeException | Error e) {
            if (simulation.violation == null) {
                simulation.violation = new Violation("Exceptions", "the run threw " + e, e);
            }
        } finally {
            Thread.interrupted();
        }
        return new Outcome(
                scenario,
                simulation.settings.toString(),
                simulation.violation,
                simulation.trace.lines(),
                simulation.events);
    }

    private void run() {
        settings.topics().forEach(topic -> logActors.put(topic, new LogActor(this, topic)));
        Chance chance = chance("starts");
        for (int i = 1; i <= settings.users; i++) {
            SimulatedUser user = new SimulatedUser(this, "user" + i);
            users.add(user);
            time.in(chance.millis(0, 500), user::start);
        }
        time.pass(scenario.troubleNanos());
        calm = true;
        trace.add(() -> "calm from here on");
        time.pass(2 * VirtualTime.SECOND);
        endLogs();
        time.pass(8 * VirtualTime.SECOND);
        endLogs();
        time.pass(CALM_NANOS);
        checkers.all(Checker::ended);
    }

    private void endLogs() {
        for (SimulatedLog log : logs.values()) {
            log.append(Entry.Kind.RECORD);
            if (log.hasOpenTransaction()) {
                log.endTransaction(true);
            }
            trace.add(() -> "  " + log.topicPartition + " ends at " + log.end());
        }
    }

    /** To be called often: ends a run that has failed, or gets nowhere. */
    void checkRunning() {
        if (violation != null) {
            throw new Stopped();
        }
        if (++events > MOST_EVENTS) {
            violated("Liveness", "the run does not end");
        }
    }

    void violated(String checker, String what) {
        violated(checker, what, null);
    }

    void violated(String checker, String what, Throwable cause) {
        if (violation == null) {
            violation = new Violation(checker, what, cause);
            trace.add(() -> checker + ": " + what);
        }
        throw new Stopped();
    }

    SimulatedLog log(TopicPartition partition) {
        return logs.get(partition);
    }

    Collection<SimulatedLog> logs() {
        return logs.values();
    }

    /** A topic is deleted, and created again with as many records. */
    void replace(String topic) {
        logActors.get(topic).replace();
    }

    /** The worst time for a log to lose its end: before a process resumes that is to leave out some of what is lost. */
    void beforeStart(String process) {
        Chance chance = chance("before the start of " + process);
        TopicPartition partition = chance.pick(settings.partitions);
        OffsetAndMetadata stored = group.stored(partition);
        if (stored != null && !stored.metadata().isEmpty() && chance.perMille(200) && happens(Feature.TRUNCATION)) {
            logActors.get(partition.topic()).rewriteFrom(log(partition), stored.offset() + chance.between(0, 4));
        }
    }

    List<SimulatedUser> users() {
        return users;
    }

    Tampering tampering() {
        return tamperings.get();
    }

    Chance chance(String actor) {
        return new Chance(scenario.seed(), actor);
    }

    boolean isCalm() {
        return calm;
    }

    /** Whether this kind of trouble may happen now. */
    boolean happens(Feature feature) {
        return !calm && scenario.has(feature);
    }

    boolean isClosing(String process) {
        return users.stream().anyMatch(user -> user.client() != null && user.isClosing(process));
    }

    /** A user's code runs from now on, maybe inside another's wait. Answers whether that other was interrupted. */
    boolean enter(SimulatedUser user) {
        running.push(user);
        return Thread.interrupted();
    }

    void leave(SimulatedUser user, boolean otherInterrupted) {
        running.pop();
        if (otherInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isRunning(SimulatedUser user) {
        return running.peek() == user;
    }
}
