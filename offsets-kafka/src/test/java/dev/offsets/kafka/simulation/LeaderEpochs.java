package dev.offsets.kafka.simulation;

import java.util.Objects;

/**
 * A commit carries the leader epoch of the record that stands at its offset, if that was delivered, or the epoch that
 * came with the position.
 */
final class LeaderEpochs extends Checker {
    @Override
    void commitCalled(SimulatedClient client, Commit commit) {
        commit.offsets.forEach((partition, offset) -> {
            View view = view(client.process, partition);
            if (view == null || !view.epochKnown) {
                return;
            }
            Entry record = view.records.get(offset.offset());
            if (record == null && offset.offset() != view.position) {
                violated(client.process + " commits " + partition + " " + Trace.show(offset)
                        + ", which is neither a record nor the position " + view.position);
            }
            Integer right = record == null ? view.epoch : Integer.valueOf(record.epoch);
            if (!Objects.equals(offset.leaderEpoch().orElse(null), right)) {
                violated(client.process + " commits " + partition + " " + Trace.show(offset) + ", where the epoch is "
                        + right);
            }
        });
    }
}
