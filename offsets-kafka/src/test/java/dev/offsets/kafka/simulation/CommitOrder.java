package dev.offsets.kafka.simulation;

/** Within an incarnation commits never go back, and one asynchronous commit at most waits for its answer. */
final class CommitOrder extends Checker {
    @Override
    void commitCalled(SimulatedClient client, Commit commit) {
        commit.offsets.forEach((partition, offset) -> {
            View view = view(client.process, partition);
            if (view == null) {
                return;
            }
            if (offset.offset() < view.highestSent) {
                violated(client.process + " commits " + partition + " " + Trace.show(offset) + " after "
                        + view.highestSent);
            }
            view.highestSent = offset.offset();
            if (commit.sync) {
                return;
            }
            long patience = simulation.settings.apiTimeout.toNanos();
            for (Commit earlier : view.unanswered) {
                if (commit.calledAt - earlier.calledAt < patience) {
                    violated(client.process + " commits " + partition + " " + Trace.show(offset)
                            + " before it knows of " + Trace.show(earlier.offsets));
                }
            }
            view.unanswered.add(commit);
        });
    }

    @Override
    void answered(SimulatedClient client, Commit commit) {
        commit.offsets.keySet().forEach(partition -> {
            View view = view(client.process, partition);
            if (view != null) {
                view.unanswered.remove(commit);
            }
        });
    }
}
