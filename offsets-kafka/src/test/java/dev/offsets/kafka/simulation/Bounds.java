package dev.offsets.kafka.simulation;

/**
 * A partition that holds as many records as it may, alone or with the others, is not fetched from. One that a failure has
 * stopped neither is nor counts.
 */
final class Bounds extends Checker {
    @Override
    void polling(SimulatedClient client) {
        int heldByAll = 0;
        for (Assigned one : client.positions.assigned.values()) {
            View view = view(client.process, one.topicPartition);
            heldByAll += view.stopped ? 0 : view.held();
        }
        for (Assigned one : client.positions.assigned.values()) {
            View view = view(client.process, one.topicPartition);
            int held = view.held();
            boolean full = held >= simulation.settings.maxInFlight
                    || held > 0 && !view.stopped && heldByAll >= simulation.settings.maxInFlightOfAll;
            if (full && !one.paused) {
                violated(client.process + " polls " + one.topicPartition + " while it holds " + held + " records, of "
                        + heldByAll);
            }
        }
    }
}
