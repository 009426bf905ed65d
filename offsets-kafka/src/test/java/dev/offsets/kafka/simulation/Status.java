package dev.offsets.kafka.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** What the consumer says of itself agrees with what can be seen. */
final class Status extends Checker {
    private final Map<String, Set<OffsetAndMetadata>> everStored = new HashMap<>();

    @Override
    void stored(String process, TopicPartition partition, OffsetAndMetadata offset) {
        everStored
                .computeIfAbsent(process + " " + partition, key -> new HashSet<>())
                .add(offset);
    }

    @Override
    void saidCommitted(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> {
            if (!everStored
                    .getOrDefault(client.process + " " + partition, Set.of())
                    .contains(offset)) {
                violated(client.process + " says that it has stored " + partition + " " + Trace.show(offset));
            }
        });
    }

    @Override
    void turnEnded(SimulatedUser user) {
        user.consumer().status().forEach((partition, status) -> {
            View view = view(user.process(), partition);
            if (view == null || view.over || view.position == View.UNKNOWN) {
                return;
            }
            String said = user.process() + " says of " + partition + " " + status;
            if (status.position() != view.position) {
                violated(said + ": the position is " + view.position);
            }
            if (status.committableOffset() > view.committable()) {
                violated(said + ": committable is " + view.committable());
            }
            if (status.committableOffset() < view.lastCommittable) {
                violated(said + ": committable was " + view.lastCommittable);
            }
            view.lastCommittable = status.committableOffset();
            if (status.incomplete() != view.unfinished()) {
                violated(said + ": unfinished are " + view.unfinished());
            }
            if (status.committedOffset().isPresent()
                    && !view.stored.contains(status.committedOffset().getAsLong())) {
                violated(said + ": it has stored only " + view.stored);
            }
        });
    }
}
