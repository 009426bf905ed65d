package dev.offsets.kafka.simulation;

/** A group without members, for consumers that assign partitions themselves. */
final class NoGroup extends SimulatedGroup {
    NoGroup(Simulation simulation) {
        super(simulation);
    }

    @Override
    RuntimeException refuses(Ticket ticket) {
        return null;
    }

    @Override
    void membersChanged() {}
}
