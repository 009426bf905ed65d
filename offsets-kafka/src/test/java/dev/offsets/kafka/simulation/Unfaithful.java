package dev.offsets.kafka.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;

/** Simulated clients that do one thing otherwise than Kafka's: the scripts must show it. */
enum Unfaithful {
    FORGETS_POSITIONS_WITHOUT_RECORDS(NoHoles::new),
    FORGETS_LEADER_EPOCHS(NoEpochs::new),
    KEEPS_A_PAUSE_OVER_AN_EAGER_REBALANCE(KeptPause::new),
    DELIVERS_WHAT_IS_PAUSED(NoPause::new),
    COMMITS_IN_THE_MIDDLE_OF_A_REBALANCE(CommitsAnyway::new),
    COMMITS_ONLY_FORWARDS(OnlyForwards::new),
    RUNS_CALLBACKS_AT_ONCE(AtOnce::new),
    NAMES_WHAT_HAS_FAILED(NamesFailed::new),
    LOSES_WHAT_IS_IN_FLIGHT_WHEN_CLOSED(LostAtClose::new),
    WAKES_UP_BEFORE_COMMITTING(WokenBefore::new),
    REPORTS_WHAT_IS_LOST_AS_REVOKED(LostAsRevoked::new),
    LEAVES_WITHOUT_A_CALLBACK(NoLastCallback::new),
    MEASURES_THE_LEAD_FROM_THE_BEGINNING(LeadFromZero::new);

    final Supplier<Tampering> tampering;

    Unfaithful(Supplier<Tampering> tampering) {
        this.tampering = tampering;
    }

    /** Polls otherwise. */
    private abstract static class Changed extends Tampering {
        abstract Map<TopicPartition, OffsetAndMetadata> change(ConsumerRecords<Long, Entry> polled);

        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
            ConsumerRecords<Long, Entry> polled = client.poll(timeout);
            Map<TopicPartition, List<ConsumerRecord<Long, Entry>>> records = new HashMap<>();
            polled.partitions().forEach(partition -> records.put(partition, polled.records(partition)));
            return new ConsumerRecords<>(records, change(polled));
        }
    }

    private static final class NoHoles extends Changed {
        @Override
        Map<TopicPartition, OffsetAndMetadata> change(ConsumerRecords<Long, Entry> polled) {
            Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(polled.nextOffsets());
            next.keySet().retainAll(polled.partitions());
            return next;
        }
    }

    private static final class NoEpochs extends Changed {
        @Override
        Map<TopicPartition, OffsetAndMetadata> change(ConsumerRecords<Long, Entry> polled) {
            Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(polled.nextOffsets());
            next.replaceAll((partition, offset) -> new OffsetAndMetadata(offset.offset(), Optional.empty(), ""));
            return next;
        }
    }

    /** Passes callbacks on. */
    private abstract static class Listening extends Tampering {
        void revoked(
                SimulatedClient client, ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            listener.onPartitionsRevoked(partitions);
        }

        void assigned(
                SimulatedClient client, ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            listener.onPartitionsAssigned(partitions);
        }

        void lost(ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            listener.onPartitionsLost(partitions);
        }

        @Override
        void subscribe(SimulatedClient client, Collection<String> topics, ConsumerRebalanceListener listener) {
            client.subscribe(topics, new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    assigned(client, listener, partitions);
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    revoked(client, listener, partitions);
                }

                @Override
                public void onPartitionsLost(Collection<TopicPartition> partitions) {
                    lost(listener, partitions);
                }
            });
        }
    }

    private static final class KeptPause extends Listening {
        private final Set<TopicPartition> paused = new HashSet<>();

        @Override
        void revoked(
                SimulatedClient client, ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            paused.addAll(client.paused());
            listener.onPartitionsRevoked(partitions);
        }

        @Override
        void assigned(
                SimulatedClient client, ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            paused.retainAll(partitions);
            client.pause(paused);
            listener.onPartitionsAssigned(partitions);
        }
    }

    private static final class LostAsRevoked extends Listening {
        @Override
        void lost(ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            listener.onPartitionsRevoked(partitions);
        }
    }

    private static final class NoLastCallback extends Listening {
        private boolean closing;

        @Override
        void revoked(
                SimulatedClient client, ConsumerRebalanceListener listener, Collection<TopicPartition> partitions) {
            if (!closing) {
                listener.onPartitionsRevoked(partitions);
            }
        }

        @Override
        void close(SimulatedClient client, Duration timeout) {
            closing = true;
            client.close(timeout);
        }
    }

    private static final class NoPause extends Tampering {
        @Override
        void pause(SimulatedClient client, Collection<TopicPartition> partitions) {}
    }

    private static final class CommitsAnyway extends Tampering {
        @Override
        void commitSync(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            try {
                client.commitSync(offsets, timeout);
            } catch (RebalanceInProgressException e) {
                // as if it had been stored
            }
        }
    }

    private static final class OnlyForwards extends Tampering {
        @Override
        void commitSync(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            Map<TopicPartition, OffsetAndMetadata> stored = client.committed(offsets.keySet(), timeout);
            Map<TopicPartition, OffsetAndMetadata> forwards = new HashMap<>(offsets);
            forwards.values()
                    .removeIf(offset -> stored.values().stream()
                            .anyMatch(former -> former != null && former.offset() > offset.offset()));
            client.commitSync(forwards, timeout);
        }
    }

    private static final class AtOnce extends Tampering {
        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            client.commitSync(offsets, Duration.ofSeconds(1));
            callback.onComplete(offsets, null);
        }
    }

    private static final class NamesFailed extends Tampering {
        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            client.commitAsync(offsets, (committed, failure) -> callback.onComplete(offsets, failure));
        }
    }

    private static final class LostAtClose extends Tampering {
        private boolean inFlight;

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            inFlight = true;
            client.commitAsync(offsets, callback);
        }

        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
            inFlight = false;
            return client.poll(timeout);
        }

        @Override
        void close(SimulatedClient client, Duration timeout) {
            if (inFlight) {
                client.crash();
            } else {
                client.close(timeout);
            }
        }
    }

    private static final class WokenBefore extends Tampering {
        @Override
        void commitSync(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            if (client.takeWakeup()) {
                throw new WakeupException();
            }
            client.commitSync(offsets, timeout);
        }
    }

    private static final class LeadFromZero extends Tampering {
        @Override
        Map<MetricName, Metric> metrics(SimulatedClient client) {
            Map<MetricName, Metric> metrics = client.metrics();
            metrics.replaceAll((name, metric) -> new Metric() {
                @Override
                public MetricName metricName() {
                    return name;
                }

                @Override
                public Object metricValue() {
                    TopicPartition partition = new TopicPartition(
                            name.tags().get("topic"),
                            Integer.parseInt(name.tags().get("partition")));
                    return (double) client.positions.assigned.get(partition).position;
                }
            });
            return metrics;
        }
    }
}
