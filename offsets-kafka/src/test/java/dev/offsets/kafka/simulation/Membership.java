package dev.offsets.kafka.simulation;

import dev.offsets.kafka.simulation.SimulatedGroup.Ticket;

/** The client's side of a group protocol. This one is for a client that is no member. */
class Membership {
    /** What is due: joining, giving up, taking on; calls the listener. */
    void poll() {}

    /** Why the client itself refuses a commit now; null if it doesn't. */
    RuntimeException refusal() {
        return null;
    }

    Ticket ticket() {
        return Ticket.NOBODY;
    }

    /** Gives everything up and leaves. */
    void leave() {}

    void crash() {}

    static Membership of(SimulatedClient client, Simulation simulation) {
        return switch (simulation.settings.protocol) {
            case MANUAL -> new Membership();
            case CLASSIC_EAGER -> new ClassicMembership(client, simulation, true);
            case CLASSIC_COOPERATIVE -> new ClassicMembership(client, simulation, false);
            case CONSUMER -> new ConsumerMembership(client, simulation);
        };
    }
}
