package dev.offsets.kafka.simulation;

import dev.offsets.TrackerStatus;
import dev.offsets.kafka.TrackedConsumerListener;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A user's listener that believes nothing, and now and then throws. */
final class UserListener implements TrackedConsumerListener {
    private final Simulation simulation;
    private final SimulatedUser user;
    private final SimulatedClient client;

    UserListener(Simulation simulation, SimulatedUser user) {
        this.simulation = simulation;
        this.user = user;
        this.client = user.client();
    }

    @Override
    public void onCommitted(Map<TopicPartition, OffsetAndMetadata> offsets) {
        simulation.checkers.all(checker -> checker.saidCommitted(client, offsets));
        maybeThrow();
    }

    @Override
    public void onCommitFailed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception cause) {
        maybeThrow();
    }

    @Override
    public void onRevoked(Map<TopicPartition, TrackerStatus> partitions, Optional<Exception> commitFailure) {
        maybeThrow();
    }

    @Override
    public void onLost(Map<TopicPartition, TrackerStatus> partitions) {
        maybeThrow();
    }

    @Override
    public void onPositionJumped(TopicPartition partition, long from, long to) {
        simulation.trace.add(() -> client.process + "  jumps " + partition + " from " + from + " to " + to);
        maybeThrow();
    }

    @Override
    public void onLeftOut(TopicPartition partition, List<? extends ConsumerRecord<?, ?>> records) {
        List<Entry> entries =
                records.stream().map(record -> (Entry) record.value()).toList();
        simulation.trace.add(() -> client.process + "  leaves out " + partition + " " + entries);
        simulation.checkers.all(checker -> checker.leftOut(client, partition, entries));
        maybeThrow();
    }

    private void maybeThrow() {
        if (simulation.happens(Feature.LISTENER) && user.chance.perMille(10)) {
            user.listenerThrew = true;
            throw new SimulatedUser.OwnException();
        }
    }
}
