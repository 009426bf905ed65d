package dev.offsets.kafka.simulation;

/** A partition that holds as many records as it may is not fetched from. */
final class Bounds extends Checker {
    @Override
    void polling(SimulatedClient client) {
        for (Assigned one : client.positions.assigned.values()) {
            View view = view(client.process, one.topicPartition);
            if (!one.paused && view.held() >= simulation.settings.maxInFlight) {
                violated(client.process + " polls " + one.topicPartition + " while it holds " + view.held()
                        + " records");
            }
        }
    }
}
