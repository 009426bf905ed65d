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
                .add(withoutMetadata(offset));
    }

    @Override
    void saidCommitted(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> {
            if (!everStored
                    .getOrDefault(client.process + " " + partition, Set.of())
                    .contains(withoutMetadata(offset))) {
                violated(client.process + " says that it has stored " + partition + " " + Trace.show(offset));
            }
        });
    }

    private static OffsetAndMetadata withoutMetadata(OffsetAndMetadata offset) {
        return new OffsetAndMetadata(offset.offset(), offset.leaderEpoch(), "");
    }

    @Override
    void turnEnded(SimulatedUser user) {
        user.consumer().status().forEach((partition, status) -> {
            View view = view(user.process(), partition);
            if (view == null || view.over || view.position == View.UNKNOWN) {
                return;
            }
            String wrong = null;
            if (status.position() != view.position) {
                wrong = "the position is " + view.position;
            } else if (status.committableOffset() > view.committable()) {
                wrong = "committable is " + view.committable();
            } else if (status.committableOffset() < view.lastCommittable) {
                wrong = "committable was " + view.lastCommittable;
            } else if (status.incomplete() != view.unfinished()) {
                wrong = "unfinished are " + view.unfinished();
            } else if (status.committedOffset().isPresent()
                    && !view.stored.contains(status.committedOffset().getAsLong())) {
                wrong = "it has stored only " + view.stored;
            }
            view.lastCommittable = status.committableOffset();
            if (wrong != null) {
                violated(user.process() + " says of " + partition + " " + status + ": " + wrong);
            }
        });
    }
}
