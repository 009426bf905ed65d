package dev.offsets.kafka.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Ways to get wrong what is committed when partitions go. */
final class WrongRebalances {
    private WrongRebalances() {}

    /** Passes a listener on, with something wrong around it. */
    private abstract static class Listening extends Tampering {
        SimulatedClient client;
        final Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();

        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient polled, Duration timeout) {
            ConsumerRecords<Long, Entry> records = polled.poll(timeout);
            positions.putAll(records.nextOffsets());
            return records;
        }

        void commit(Collection<TopicPartition> partitions) {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>(positions);
            offsets.keySet().retainAll(partitions);
            if (!offsets.isEmpty()) {
                try {
                    client.commitSync(offsets, Duration.ofMillis(20));
                } catch (KafkaException e) {
                    // too late anyway
                }
            }
        }

        void lost(ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            listener.onPartitionsLost(partitions);
        }

        void revoked(ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            listener.onPartitionsRevoked(partitions);
        }

        @Override
        void subscribe(SimulatedClient subscribed, Collection<String> topics, ConsumerRebalanceListener listener) {
            client = subscribed;
            client.subscribe(topics, new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    listener.onPartitionsAssigned(partitions);
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    revoked(listener, partitions);
                }

                @Override
                public void onPartitionsLost(Collection<TopicPartition> partitions) {
                    lost(listener, partitions);
                }
            });
        }
    }

    static final class OnLost extends Listening {
        @Override
        void lost(ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            commit(partitions);
            listener.onPartitionsLost(partitions);
        }
    }

    /** What was revoked takes part in the next commit. */
    static final class AfterRevoke extends Listening {
        private final List<TopicPartition> gone = new ArrayList<>();

        @Override
        void revoked(ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            listener.onPartitionsRevoked(partitions);
            gone.addAll(partitions);
        }

        @Override
        void commitAsync(
                SimulatedClient committing,
                Map<TopicPartition, OffsetAndMetadata> offsets,
                OffsetCommitCallback callback) {
            Map<TopicPartition, OffsetAndMetadata> more = new HashMap<>(positions);
            more.keySet().retainAll(gone);
            more.putAll(offsets);
            committing.commitAsync(more, callback);
        }
    }

    /** Revoked partitions go without a last commit. */
    static final class NotOnRevoke extends Listening {
        private boolean revoking;

        @Override
        void revoked(ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            revoking = true;
            listener.onPartitionsRevoked(partitions);
            revoking = false;
        }

        @Override
        void commitSync(SimulatedClient committing, Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            if (!revoking) {
                committing.commitSync(offsets, timeout);
            }
        }
    }
}
