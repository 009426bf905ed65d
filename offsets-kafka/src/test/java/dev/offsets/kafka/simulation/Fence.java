package dev.offsets.kafka.simulation;

/** No commit is sent for a partition that this process has been told it does not own. */
final class Fence extends Checker {
    @Override
    void commitCalled(SimulatedClient client, Commit commit) {
        commit.offsets.forEach((partition, offset) -> {
            View view = view(client.process, partition);
            if (view == null || view.over || view.lost || client.isClosed() || client.isCrashed()) {
                violated(client.process + " commits " + partition + " " + Trace.show(offset)
                        + ", which it does not own");
            }
        });
    }
}
