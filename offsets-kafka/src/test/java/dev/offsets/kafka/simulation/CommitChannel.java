package dev.offsets.kafka.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/** How a client's commits get to the coordinator and the answers back: in order, if they get there. */
final class CommitChannel {
    private enum Fate {
        STORED,
        REQUEST_LOST,
        ANSWER_LOST,
        REFUSED,
        PARTLY_STORED,
        UNANSWERED
    }

    private final SimulatedClient client;
    private final Simulation simulation;
    private final VirtualTime time;
    private final Chance chance;
    private final Deque<Runnable> callbacks = new ArrayDeque<>();
    private final List<Commit> unanswered = new ArrayList<>();
    private long lastArrivalAt;
    private long lastAnswerAt;
    private long coordinatorKnownAt;

    CommitChannel(SimulatedClient client, Simulation simulation) {
        this.client = client;
        this.simulation = simulation;
        this.time = simulation.time;
        this.chance = simulation.chance("commits of " + client.process);
    }

    void async(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        Commit commit = new Commit(offsets, false, time.now());
        called(commit);
        send(
                commit,
                () -> callbacks.add(() -> {
                    simulation.trace.add(() -> client.process + "  answer to " + Trace.show(commit.offsets) + ": "
                            + Trace.answer(commit.failure));
                    simulation.checkers.all(checker -> checker.answered(client, commit));
                    client.guarded(
                            "commit callback", () -> callback.onComplete(told(commit), asynchronous(commit.failure)));
                }));
    }

    /** Of a commit that failed, KIP-848's client does not say what it was. */
    private Map<TopicPartition, OffsetAndMetadata> told(Commit commit) {
        boolean silent = commit.failure != null && simulation.settings.protocol == Protocol.CONSUMER;
        return silent ? null : commit.offsets;
    }

    private static RuntimeException asynchronous(RuntimeException failure) {
        return failure instanceof RetriableException ? new RetriableCommitFailedException(failure) : failure;
    }

    private void called(Commit commit) {
        simulation.trace.add(
                () -> client.process + (commit.sync ? "  commitSync " : "  commitAsync ") + Trace.show(commit.offsets));
        simulation.checkers.all(checker -> checker.commitCalled(client, commit));
    }

    void sync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        Commit commit = new Commit(offsets, true, time.now());
        called(commit);
        try {
            syncUntilAnswered(commit, time.now() + timeout.toNanos());
        } catch (RuntimeException e) {
            commit.failure = e;
            throw e;
        } finally {
            simulation.trace.add(() ->
                    client.process + "  answer to " + Trace.show(commit.offsets) + ": " + Trace.answer(commit.failure));
            simulation.checkers.all(checker -> checker.answered(client, commit));
        }
    }

    private void syncUntilAnswered(Commit commit, long deadline) {
        runCallbacks();
        List<Commit> earlier = List.copyOf(unanswered);
        while (true) {
            commit.answered = false;
            send(commit, () -> {});
            if (simulation.settings.protocol == Protocol.CONSUMER) {
                await(deadline, () -> earlier.stream().allMatch(one -> one.answered));
            }
            await(deadline, () -> commit.answered);
            runCallbacks();
            if (!(commit.failure instanceof RetriableException)) {
                break;
            }
            time.passUntil(Math.min(deadline, time.now() + 20 * VirtualTime.MILLI), () -> false);
            if (time.now() >= deadline) {
                throw new TimeoutException("not committed in time", commit.failure);
            }
        }
        if (commit.failure instanceof StaleMemberEpochException) {
            throw new CommitFailedException("stale member epoch");
        }
        if (commit.failure != null) {
            throw commit.failure;
        }
    }

    private void await(long deadline, BooleanSupplier done) {
        // KIP-848's client may notice a wakeup only when the answer is there: then it stays for the next poll
        boolean noticed = simulation.settings.protocol != Protocol.CONSUMER || chance.perMille(800);
        time.passUntil(
                deadline,
                () -> done.getAsBoolean()
                        || noticed && client.isWoken()
                        || Thread.currentThread().isInterrupted());
        if (noticed && client.takeWakeup()) {
            throw new WakeupException();
        }
        if (Thread.interrupted()) {
            throw new InterruptException(new InterruptedException());
        }
        if (!done.getAsBoolean()) {
            runCallbacks();
            throw new TimeoutException("not answered in time");
        }
    }

    private void send(Commit commit, Runnable answered) {
        commit.failure = null;
        unanswered.add(commit);
        RuntimeException refusal = client.membership.refusal();
        if (refusal != null) {
            answer(commit, refusal, answered);
            return;
        }
        if (happens(Feature.PARKED_COMMITS, 40)) {
            coordinatorKnownAt = time.now() + chance.millis(20, 2_500);
            simulation.trace.add(() -> client.process + "  the coordinator is unknown for a while");
        }
        if (time.now() < coordinatorKnownAt && !simulation.isCalm()) {
            time.in(coordinatorKnownAt - time.now(), () -> transmit(commit, answered));
        } else {
            transmit(commit, answered);
        }
    }

    private boolean happens(Feature feature, int perMille) {
        return chance.perMille(perMille) && simulation.happens(feature);
    }

    private void transmit(Commit commit, Runnable answered) {
        if (client.isCrashed() || client.isClosed()) {
            return;
        }
        Fate fate = happens(Feature.COMMIT_FAILURES, 300) ? chance.pick(Fate.values()) : Fate.STORED;
        SimulatedGroup.Ticket ticket = client.membership.ticket();
        lastArrivalAt = Math.max(lastArrivalAt, time.now() + chance.millis(0, 15));
        if (fate == Fate.REQUEST_LOST) {
            time.in(chance.millis(200, 800), () -> answer(commit, new TimeoutException("no answer"), answered));
            return;
        }
        time.in(lastArrivalAt - time.now(), () -> arrive(commit, ticket, fate, answered));
    }

    private void arrive(Commit commit, SimulatedGroup.Ticket ticket, Fate fate, Runnable answered) {
        RuntimeException failure = null;
        if (fate == Fate.REFUSED) {
            failure = chance.perMille(500)
                    ? new CoordinatorLoadInProgressException("loading")
                    : new KafkaException("refused");
        } else {
            Map<TopicPartition, OffsetAndMetadata> taken = new LinkedHashMap<>(commit.offsets);
            if (fate == Fate.PARTLY_STORED) {
                taken.keySet().removeIf(partition -> chance.perMille(500));
                failure = new KafkaException("stored in part");
            }
            RuntimeException refusal = simulation.group.commit(ticket, client.process, taken);
            failure = refusal == null ? failure : refusal;
        }
        RuntimeException outcome = failure;
        if (fate == Fate.ANSWER_LOST) {
            time.in(chance.millis(200, 800), () -> answer(commit, new TimeoutException("no answer"), answered));
        } else if (fate != Fate.UNANSWERED) {
            lastAnswerAt = Math.max(lastAnswerAt, time.now() + chance.millis(0, 15));
            time.in(lastAnswerAt - time.now(), () -> answer(commit, outcome, answered));
        }
    }

    private void answer(Commit commit, RuntimeException failure, Runnable answered) {
        commit.answered = true;
        commit.failure = failure;
        unanswered.remove(commit);
        answered.run();
    }

    /** What is stored, asked for by a blocking call. */
    Map<TopicPartition, OffsetAndMetadata> stored(Collection<TopicPartition> partitions, Duration timeout) {
        long answerAt = Math.max(simulation.isCalm() ? 0 : coordinatorKnownAt, time.now() + chance.millis(0, 8));
        long deadline = time.now() + timeout.toNanos();
        if (answerAt > deadline) {
            await(deadline, () -> false);
        }
        await(answerAt, () -> time.now() >= answerAt);
        Map<TopicPartition, OffsetAndMetadata> stored = new LinkedHashMap<>();
        partitions.forEach(partition -> stored.put(partition, simulation.group.stored(partition)));
        return stored;
    }

    /** What has been sent gets to the coordinator before whatever is sent next. */
    void awaitArrivals() {
        time.passUntil(lastArrivalAt, () -> false);
    }

    /** Whether a commit has not been answered yet, or its callback has not run. */
    boolean isWaiting() {
        return !unanswered.isEmpty() || hasCallbacks();
    }

    boolean hasCallbacks() {
        return !callbacks.isEmpty();
    }

    void runCallbacks() {
        while (!callbacks.isEmpty()) {
            callbacks.poll().run();
        }
    }

    /** The classic client runs the callbacks of what has been answered by now, the other one waits for the rest too. */
    void close(long deadline) {
        if (simulation.settings.protocol == Protocol.CONSUMER) {
            time.passUntil(deadline, unanswered::isEmpty);
        }
        runCallbacks();
    }
}
