package dev.offsets.kafka.simulation;

/** A partition that holds as many records as it may, alone or with the others, is not fetched from. */
final class Bounds extends Checker {
    @Override
    void polling(SimulatedClient client) {
        int heldByAll = 0;
        for (Assigned one : client.positions.assigned.values()) {
            heldByAll += view(client.process, one.topicPartition).held();
        }
        for (Assigned one : client.positions.assigned.values()) {
            int held = view(client.process, one.topicPartition).held();
            boolean full = held >= simulation.settings.maxInFlight
                    || held > 0 && heldByAll >= simulation.settings.maxInFlightOfAll;
            if (full && !one.paused) {
                violated(client.process + " polls " + one.topicPartition + " while it holds " + held + " records, of "
                        + heldByAll);
            }
        }
    }
}
