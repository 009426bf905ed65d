package dev.offsets.kafka.simulation;

import dev.offsets.kafka.simulation.SimulatedGroup.Ticket;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** A member under KIP-848. What it knows of its epoch may be a moment old. */
final class ConsumerMembership extends Membership {
    private final SimulatedClient client;
    private final Simulation simulation;
    private final ConsumerGroup group;
    private final String memberId;
    private boolean joined;
    private int epoch;
    private long heartbeatAt;

    ConsumerMembership(SimulatedClient client, Simulation simulation) {
        this.client = client;
        this.simulation = simulation;
        this.group = (ConsumerGroup) simulation.group;
        this.memberId = client.process;
    }

    @Override
    void poll() {
        if (joined && !group.knows(memberId)) {
            joined = false;
            client.lose(client.owned());
        }
        if (!joined) {
            joined = true;
            client.commits.awaitArrivals();
            group.join(memberId);
        }
        group.polled(memberId);
        if (simulation.time.now() >= heartbeatAt) {
            heartbeatAt = simulation.time.now() + client.chance.millis(5, 60);
            reconcile();
        }
    }

    private void reconcile() {
        Set<TopicPartition> owned = client.owned();
        Set<TopicPartition> mayOwn = new LinkedHashSet<>(group.heartbeat(memberId, owned));
        int newEpoch = group.epoch(memberId);
        simulation.time.in(client.chance.millis(0, 15), () -> epoch = Math.max(epoch, newEpoch));
        Set<TopicPartition> revoked = new LinkedHashSet<>(owned);
        revoked.removeAll(mayOwn);
        if (!revoked.isEmpty()) {
            client.revoke(revoked);
            if (!group.knows(memberId)) {
                // The callback took too long. What was revoked is reported as lost once more.
                joined = false;
                Set<TopicPartition> lost = client.owned();
                lost.addAll(revoked);
                client.lose(lost);
                return;
            }
        }
        mayOwn.removeAll(owned);
        if (!mayOwn.isEmpty() || (revoked.isEmpty() && owned.isEmpty() && client.chance.perMille(50))) {
            client.assigned(mayOwn);
        }
    }

    @Override
    Ticket ticket() {
        return new Ticket(memberId, epoch);
    }

    @Override
    void leave() {
        if (group.knows(memberId)) {
            client.revoke(client.owned());
        } else {
            client.lose(client.owned());
        }
        joined = false;
        client.commits.awaitArrivals();
        group.leave(memberId);
    }

    @Override
    void crash() {
        group.crashed(memberId);
    }
}
