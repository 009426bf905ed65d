package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** Ways to commit the wrong thing, or at the wrong moment. */
final class WrongCommits {
    private WrongCommits() {}

    /** Sends something else than what the library wants to send. */
    abstract static class Changed extends Tampering {
        abstract Map<TopicPartition, OffsetAndMetadata> change(Map<TopicPartition, OffsetAndMetadata> offsets);

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            client.commitAsync(change(offsets), callback);
        }

        @Override
        void commitSync(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            client.commitSync(change(offsets), timeout);
        }

        static Map<TopicPartition, OffsetAndMetadata> raise(
                Map<TopicPartition, OffsetAndMetadata> offsets, Map<TopicPartition, OffsetAndMetadata> to) {
            Map<TopicPartition, OffsetAndMetadata> raised = new HashMap<>(offsets);
            raised.replaceAll((partition, offset) -> {
                OffsetAndMetadata other = to.get(partition);
                return other != null && other.offset() > offset.offset() ? other : offset;
            });
            return raised;
        }
    }

    static final class HighestFinished extends Changed {
        private final Map<TopicPartition, OffsetAndMetadata> highest = new HashMap<>();

        @Override
        Receipt complete(Delivery delivery) {
            OffsetAndMetadata after =
                    new OffsetAndMetadata(delivery.entry.offset + 1, Optional.of(delivery.entry.epoch), "");
            highest.merge(delivery.topicPartition, after, (a, b) -> a.offset() > b.offset() ? a : b);
            return delivery.complete();
        }

        @Override
        Map<TopicPartition, OffsetAndMetadata> change(Map<TopicPartition, OffsetAndMetadata> offsets) {
            return raise(offsets, highest);
        }
    }

    static final class Position extends Changed {
        private final Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();

        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
            ConsumerRecords<Long, Entry> records = client.poll(timeout);
            positions.putAll(records.nextOffsets());
            return records;
        }

        @Override
        Map<TopicPartition, OffsetAndMetadata> change(Map<TopicPartition, OffsetAndMetadata> offsets) {
            return raise(offsets, positions);
        }
    }

    /** The epoch of the last record below the offset. */
    static final class EpochOfTheRecordBefore extends Changed {
        private final Map<TopicPartition, TreeMap<Long, Integer>> epochs = new HashMap<>();

        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
            ConsumerRecords<Long, Entry> records = client.poll(timeout);
            for (ConsumerRecord<Long, Entry> record : records) {
                epochs.computeIfAbsent(new TopicPartition(record.topic(), record.partition()), key -> new TreeMap<>())
                        .put(record.offset(), record.value().epoch);
            }
            return records;
        }

        @Override
        Map<TopicPartition, OffsetAndMetadata> change(Map<TopicPartition, OffsetAndMetadata> offsets) {
            Map<TopicPartition, OffsetAndMetadata> changed = new HashMap<>(offsets);
            changed.replaceAll((partition, offset) -> {
                var before = epochs.getOrDefault(partition, new TreeMap<>()).lowerEntry(offset.offset());
                return before == null
                        ? offset
                        : new OffsetAndMetadata(offset.offset(), Optional.of(before.getValue()), "");
            });
            return changed;
        }
    }

    /** Repeats the former commit's offsets after a newer one. */
    static final class Older extends Tampering {
        private Map<TopicPartition, OffsetAndMetadata> former = Map.of();

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            client.commitAsync(offsets, (committed, exception) -> {
                Map<TopicPartition, OffsetAndMetadata> again = new HashMap<>(former);
                again.keySet().retainAll(client.owned());
                former = offsets;
                callback.onComplete(committed, exception);
                if (exception == null && !again.isEmpty() && !client.isClosed()) {
                    client.commitAsync(again, (ignored, outcome) -> {});
                }
            });
        }
    }

    static final class Twice extends Tampering {
        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            client.commitAsync(offsets, callback);
            client.commitAsync(offsets, (committed, exception) -> {});
        }
    }

    /** A commit that failed is taken for one that succeeded. */
    static final class FailedIsDone extends Tampering {
        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            client.commitAsync(offsets, (committed, exception) -> callback.onComplete(committed, null));
        }
    }

    /** A blocking commit whose outcome is not known is taken for one that succeeded. */
    static final class UnknownIsDone extends Tampering {
        @Override
        void commitSync(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            try {
                client.commitSync(offsets, timeout);
            } catch (KafkaException e) {
                // as if nothing had happened
            }
        }
    }

    /** Leaves commits alone for a while though none has failed. */
    static final class Late extends Tampering {
        private int commits;

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            if (++commits % 3 == 0) {
                callback.onComplete(offsets, new DisconnectException("not really"));
            } else {
                client.commitAsync(offsets, callback);
            }
        }
    }

    /** What has been committed once is taken to be stored for ever. */
    static final class NothingTwice extends Tampering {
        private final Map<TopicPartition, OffsetAndMetadata> confirmed = new HashMap<>();

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            if (confirmed.entrySet().containsAll(offsets.entrySet())) {
                callback.onComplete(offsets, null);
                return;
            }
            client.commitAsync(offsets, (committed, exception) -> {
                if (exception == null) {
                    confirmed.putAll(offsets);
                }
                callback.onComplete(committed, exception);
            });
        }
    }

    /** After a commit has failed, its partitions are never committed again. */
    static final class NoRetry extends Tampering {
        private final Set<TopicPartition> given = new HashSet<>();

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            if (offsets.keySet().stream().anyMatch(given::contains)) {
                return;
            }
            client.commitAsync(offsets, (committed, exception) -> {
                if (exception != null) {
                    given.addAll(offsets.keySet());
                }
                callback.onComplete(committed, exception);
            });
        }
    }

    /** While one topic is denied, no other is committed either. */
    static final class AllForOne extends Tampering {
        private static final long HELD_UP_NANOS = 4 * VirtualTime.SECOND;

        private long heldUpUntil;
        private Exception reason;

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            if (client.now() < heldUpUntil) {
                callback.onComplete(offsets, reason);
                return;
            }
            client.commitAsync(offsets, (committed, exception) -> {
                if (exception instanceof TopicAuthorizationException) {
                    heldUpUntil = client.now() + HELD_UP_NANOS;
                    reason = exception;
                }
                callback.onComplete(committed, exception);
            });
        }
    }
}
