package dev.offsets.kafka.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/** What a user does beside polling. */
final class UserActions {
    private final Simulation simulation;
    private final SimulatedUser user;
    private final Chance chance;

    UserActions(Simulation simulation, SimulatedUser user) {
        this.simulation = simulation;
        this.user = user;
        this.chance = simulation.chance("actions of " + user.name);
    }

    void subscribe() {
        if (simulation.settings.protocol == Protocol.MANUAL) {
            user.consumer().assign(simulation.settings.partitions);
        } else {
            user.consumer().subscribe(simulation.settings.topics(), new Listener());
        }
    }

    /** Answers whether this life of the user has ended. */
    boolean act() {
        if (happens(Feature.CRASH, 6)) {
            user.crash();
            return true;
        }
        if (happens(Feature.USER_CLOSE, 10)) {
            user.close(Duration.ofMillis(chance.pick(0, 50, 500)));
            return true;
        }
        if (happens(Feature.WAKEUP, 40)) {
            later(user::wakeup);
        }
        if (happens(Feature.INTERRUPT, 10)) {
            later(user::interrupt);
        }
        if (happens(Feature.USER_COMMIT, 40)) {
            commit(chance.pick(0, 10, 1_000));
        }
        if (happens(Feature.USER_COMMIT, 40)) {
            later(user.consumer()::requestCommit);
        }
        List<TopicPartition> assigned = new ArrayList<>(user.consumer().assignment());
        if (assigned.isEmpty()) {
            return false;
        }
        TopicPartition partition = chance.pick(assigned);
        if (happens(Feature.USER_PAUSE, 40)) {
            pause(partition);
        }
        if (happens(Feature.USER_PAUSE, 60)) {
            resume(List.copyOf(user.consumer().paused()));
        }
        if (happens(Feature.USER_SEEK, 25)) {
            seekSomewhere(partition);
        }
        if (happens(Feature.REASSIGNMENT, 15)) {
            reassign(partition);
        }
        return false;
    }

    private boolean happens(Feature feature, int perMille) {
        return chance.perMille(perMille) && simulation.happens(feature);
    }

    private void later(Runnable action) {
        SimulatedClient present = user.client();
        simulation.time.in(chance.millis(0, 200), () -> {
            if (user.client() == present && !present.isClosed() && !present.isCrashed()) {
                action.run();
            }
        });
    }

    private void commit(int millis) {
        try {
            user.consumer().commitSync(Duration.ofMillis(millis));
        } catch (InterruptException | WakeupException e) {
            user.unexpected("commitSync", e);
        } catch (KafkaException e) {
            simulation.trace.add(() -> user.process() + "  commitSync failed: " + e);
        } catch (RuntimeException | Error e) {
            user.unexpected("commitSync", e);
        }
    }

    private void pause(TopicPartition partition) {
        simulation.trace.add(() -> user.process() + "  pauses " + partition);
        user.consumer().pause(List.of(partition));
        simulation.checkers.all(checker -> checker.userPaused(user.client(), List.of(partition)));
    }

    private void resume(Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty()) {
            simulation.trace.add(() -> user.process() + "  resumes " + partitions);
            user.consumer().resume(partitions);
            simulation.checkers.all(checker -> checker.userResumed(user.client(), partitions));
        }
    }

    private void seekSomewhere(TopicPartition partition) {
        SimulatedLog log = simulation.log(partition);
        switch (chance.between(0, 4)) {
            case 0 -> seekToEdge(partition, false);
            case 1 -> seekToEdge(partition, true);
            default -> {
                long offset = chance.nanos(log.start(), log.end());
                boolean withEpoch = chance.perMille(600);
                Optional<Integer> epoch = withEpoch ? Optional.of(log.epochAt(offset)) : Optional.empty();
                seek(partition, new OffsetAndMetadata(offset, epoch, ""));
            }
        }
    }

    private void seekToEdge(TopicPartition partition, boolean end) {
        simulation.trace.add(
                () -> user.process() + "  seeks " + partition + (end ? " to its end" : " to its beginning"));
        if (end) {
            user.consumer().seekToEnd(List.of(partition));
        } else {
            user.consumer().seekToBeginning(List.of(partition));
        }
    }

    void seek(TopicPartition partition, OffsetAndMetadata to) {
        simulation.trace.add(() -> user.process() + "  seeks " + partition + " " + Trace.show(to));
        user.consumer().seek(partition, to);
        simulation.log(partition).excuseAllBelow(to.offset(), "sought past");
    }

    /** Nothing is stored, or what is stored is not there, and there is no reset policy. */
    void seekAfter(InvalidOffsetException noOffset) {
        Set<TopicPartition> stillHere = new LinkedHashSet<>(noOffset.partitions());
        stillHere.retainAll(user.consumer().assignment());
        for (TopicPartition partition : stillHere) {
            seekToEdge(partition, !simulation.isCalm() && chance.perMille(300));
        }
    }

    private void reassign(TopicPartition partition) {
        List<TopicPartition> before = new ArrayList<>(user.client().owned());
        if (simulation.settings.protocol != Protocol.MANUAL) {
            simulation.trace.add(() -> user.process() + "  unsubscribes");
            user.consumer().unsubscribe();
            user.consumer().subscribe(simulation.settings.topics(), new Listener());
            return;
        }
        Set<TopicPartition> now = user.client().owned();
        if (now.size() > 1) {
            now.remove(partition);
        } else {
            now.addAll(simulation.settings.partitions);
        }
        before.removeAll(now);
        simulation.trace.add(() -> user.process() + "  assigns " + now);
        simulation.checkers.all(checker -> checker.revoking(user.client(), before));
        user.consumer().assign(now);
        simulation.checkers.all(checker -> checker.gone(user.client(), before));
    }

    /** No trouble from now on: undoes what would keep this loop from going on. Answers whether this life has ended. */
    boolean calmDown(List<Delivery> deliveries) {
        simulation.trace.add(() -> user.process() + "  calms down");
        resume(List.copyOf(user.consumer().paused()));
        if (simulation.settings.protocol == Protocol.MANUAL) {
            user.consumer().assign(simulation.settings.partitions);
        }
        // A processor keeps back what is ordered behind the work, wherever the position is
        boolean stuck = deliveries.stream().anyMatch(one -> one.forgotten && (user.hasProcessor() || !one.view.over));
        if (!stuck) {
            return false;
        }
        if (user.hasProcessor() || chance.perMille(500)) {
            user.close(Duration.ZERO);
            return true;
        }
        user.consumer().status().forEach((partition, status) -> {
            if (status.lowestIncompleteOffset().isPresent()) {
                long lowest = status.lowestIncompleteOffset().getAsLong();
                int epoch = simulation
                        .checkers
                        .views
                        .of(user.process(), partition)
                        .records
                        .get(lowest)
                        .epoch;
                seek(partition, new OffsetAndMetadata(lowest, Optional.of(epoch), ""));
            }
        });
        return false;
    }

    /** The user's own listener. */
    private final class Listener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            if (!partitions.isEmpty() && happens(Feature.LISTENER, 100) && happens(Feature.USER_SEEK, 500)) {
                seekSomewhere(partitions.iterator().next());
            }
            if (happens(Feature.LISTENER, 50)) {
                commit(chance.pick(0, 10));
            }
            maybeThrow();
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            maybeThrow();
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            maybeThrow();
        }

        private void maybeThrow() {
            if (happens(Feature.LISTENER, 50)) {
                user.listenerThrew = true;
                throw new SimulatedUser.OwnException();
            }
        }
    }
}
