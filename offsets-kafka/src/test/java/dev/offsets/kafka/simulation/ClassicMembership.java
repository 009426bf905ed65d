package dev.offsets.kafka.simulation;

import dev.offsets.kafka.simulation.SimulatedGroup.Ticket;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;

/** A member under the classic protocol, eager or cooperative. */
final class ClassicMembership extends Membership {
    private enum State {
        OUTSIDE,
        JOINING,
        STABLE
    }

    private final SimulatedClient client;
    private final Simulation simulation;
    private final ClassicGroup group;
    private final boolean eager;
    private State state = State.OUTSIDE;
    private String memberId = "";
    private int generation = -1;
    private int joins;
    private long noticeDelay;
    private boolean rejoin;

    ClassicMembership(SimulatedClient client, Simulation simulation, boolean eager) {
        this.client = client;
        this.simulation = simulation;
        this.group = (ClassicGroup) simulation.group;
        this.eager = eager;
    }

    @Override
    void poll() {
        group.polled(memberId);
        if (state != State.OUTSIDE && !group.knows(memberId)) {
            state = State.OUTSIDE;
            generation = -1;
            client.lose(client.owned());
        }
        boolean told = group.isPreparing() && simulation.time.now() >= group.preparingSince() + noticeDelay;
        if (state == State.OUTSIDE) {
            memberId = client.process + "." + ++joins;
            join();
        } else if (state == State.STABLE && (told || rejoin)) {
            if (eager) {
                client.revoke(client.owned());
            }
            join();
        } else if (state == State.JOINING && group.isPreparing() && !group.hasJoined(memberId)) {
            join();
        }
        if (state == State.JOINING && group.knows(memberId) && group.isStable()) {
            complete();
        }
    }

    private void join() {
        rejoin = false;
        state = State.JOINING;
        noticeDelay = client.chance.millis(0, 40);
        client.commits.awaitArrivals();
        group.join(memberId, client.owned());
    }

    private void complete() {
        state = State.STABLE;
        generation = group.generation();
        Set<TopicPartition> assigned = new LinkedHashSet<>(group.assignment(memberId));
        if (eager) {
            client.assigned(assigned);
            return;
        }
        Set<TopicPartition> revoked = client.owned();
        revoked.removeAll(assigned);
        if (!revoked.isEmpty()) {
            client.revoke(revoked);
            rejoin = true;
        }
        assigned.removeAll(client.owned());
        client.assigned(assigned);
    }

    @Override
    RuntimeException refusal() {
        if (state != State.OUTSIDE && !group.knows(memberId)) {
            return new CommitFailedException(); // its heartbeats have told it
        }
        return switch (state) {
            case STABLE -> null;
            case JOINING -> new RebalanceInProgressException("joining");
            case OUTSIDE -> new CommitFailedException();
        };
    }

    @Override
    Ticket ticket() {
        return new Ticket(memberId, generation);
    }

    @Override
    void leave() {
        if (state != State.OUTSIDE && group.knows(memberId)) {
            client.revoke(client.owned());
        } else {
            client.lose(client.owned());
        }
        state = State.OUTSIDE;
        client.commits.awaitArrivals();
        group.leave(memberId);
    }

    @Override
    void crash() {
        group.crashed(memberId);
    }
}
