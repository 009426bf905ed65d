package dev.offsets.kafka.simulation;

import dev.offsets.CommitPoint;
import dev.offsets.OffsetTracker;
import dev.offsets.ResumeMap;
import dev.offsets.kafka.simulation.WrongCommits.Changed;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** Ways to store, keep and believe resume maps that are wrong. */
final class WrongMaps {
    private static final int MOST_CHARACTERS = 4_096;
    private static final int FARTHEST = 1_000;

    private WrongMaps() {}

    /** Sends other metadata than the library wants to send. */
    abstract static class ChangedMaps extends Changed {
        /** The simulation, as seen from the last client. */
        private Simulation simulation;

        abstract OffsetAndMetadata change(SimulatedLog log, OffsetAndMetadata offset);

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            simulation = client.simulation();
            super.commitAsync(client, offsets, callback);
        }

        @Override
        void commitSync(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            simulation = client.simulation();
            super.commitSync(client, offsets, timeout);
        }

        @Override
        Map<TopicPartition, OffsetAndMetadata> change(Map<TopicPartition, OffsetAndMetadata> offsets) {
            Map<TopicPartition, OffsetAndMetadata> changed = new HashMap<>(offsets);
            changed.replaceAll((partition, offset) -> change(simulation.log(partition), offset));
            return changed;
        }

        static OffsetAndMetadata with(OffsetAndMetadata offset, String metadata) {
            return new OffsetAndMetadata(offset.offset(), offset.leaderEpoch(), metadata);
        }

        /** The map that is sent, with each offset moved. */
        static OffsetAndMetadata moved(SimulatedLog log, OffsetAndMetadata offset, LongUnaryOperator by) {
            TreeMap<Long, Integer> named = named(log, offset);
            if (named.isEmpty()) {
                return offset;
            }
            TreeMap<Long, Integer> moved = new TreeMap<>();
            named.forEach((at, epoch) -> moved.put(by.applyAsLong(at), epoch));
            return with(offset, encode(log, offset.offset(), moved));
        }

        static TreeMap<Long, Integer> named(SimulatedLog log, OffsetAndMetadata offset) {
            ResumeMap map = Maps.decode(log, offset);
            TreeMap<Long, Integer> named = new TreeMap<>();
            for (long at = offset.offset(); at < offset.offset() + FARTHEST; at++) {
                for (int epoch = 0; epoch <= log.epoch(); epoch++) {
                    if (map.isFinished(at, epoch)) {
                        named.put(at, epoch);
                    }
                }
            }
            return named;
        }

        static String encode(SimulatedLog log, long base, TreeMap<Long, Integer> finished) {
            OffsetTracker tracker = OffsetTracker.startingAt(base);
            finished.tailMap(base, true).forEach((offset, epoch) -> {
                tracker.track(offset, epoch);
                tracker.complete(offset);
            });
            return tracker.resumeMap(new CommitPoint(base, OptionalInt.empty()))
                    .encode(Maps.logId(log), MOST_CHARACTERS)
                    .text();
        }
    }

    static final class ShiftedByOne extends ChangedMaps {
        @Override
        OffsetAndMetadata change(SimulatedLog log, OffsetAndMetadata offset) {
            return moved(log, offset, at -> at + 1);
        }
    }

    /** What was finished is counted from the former commit's offset. */
    static final class OfAnotherOffset extends ChangedMaps {
        private final Map<TopicPartition, OffsetAndMetadata> former = new HashMap<>();

        @Override
        OffsetAndMetadata change(SimulatedLog log, OffsetAndMetadata offset) {
            OffsetAndMetadata before = former.put(log.topicPartition, offset);
            if (before == null || before.offset() >= offset.offset()) {
                return offset;
            }
            long distance = offset.offset() - before.offset();
            return moved(log, offset, at -> at + distance);
        }
    }

    /** Takes what was delivered for finished. */
    static final class NamesTheUnfinished extends ChangedMaps {
        @Override
        OffsetAndMetadata change(SimulatedLog log, OffsetAndMetadata offset) {
            TreeMap<Long, Integer> named = named(log, offset);
            if (named.isEmpty()) {
                return offset;
            }
            TreeMap<Long, Integer> all = new TreeMap<>();
            for (long at = offset.offset(); at <= named.lastKey() && at < log.end(); at++) {
                all.put(at, log.entry(at).epoch);
            }
            return with(offset, encode(log, offset.offset(), all));
        }
    }

    /** Takes a record for the one that the map names if it stands at the same offset, whatever its leader epoch is. */
    static final class BlindToEpochs extends Tampering {
        @Override
        Map<TopicPartition, OffsetAndMetadata> committed(
                SimulatedClient client, Set<TopicPartition> partitions, Duration timeout) {
            Map<TopicPartition, OffsetAndMetadata> stored = new HashMap<>(super.committed(client, partitions, timeout));
            stored.replaceAll((partition, offset) -> {
                SimulatedLog log = client.simulation().log(partition);
                return offset == null ? null : withPresentEpochs(log, offset);
            });
            return stored;
        }

        private static OffsetAndMetadata withPresentEpochs(SimulatedLog log, OffsetAndMetadata offset) {
            TreeMap<Long, Integer> named = ChangedMaps.named(log, offset);
            named.replaceAll((at, epoch) -> at < log.end() ? log.entry(at).epoch : log.epoch());
            return named.isEmpty() ? offset : ChangedMaps.with(offset, ChangedMaps.encode(log, offset.offset(), named));
        }
    }

    /** A commit of the same offset as before drops the map. */
    static final class DroppedByKeepAlive extends ChangedMaps {
        private final Map<TopicPartition, Long> former = new HashMap<>();

        @Override
        OffsetAndMetadata change(SimulatedLog log, OffsetAndMetadata offset) {
            Long before = former.put(log.topicPartition, offset.offset());
            return before != null && before == offset.offset() ? with(offset, "") : offset;
        }
    }

    /** A topic is known by its name alone. */
    static final class NotBoundToTheLog extends Tampering {
        @Override
        CompletableFuture<Map<String, Uuid>> topicIds(SimulatedTopicIds ids, Set<String> topics) {
            return super.topicIds(ids, topics).thenApply(answer -> {
                Map<String, Uuid> names = new HashMap<>();
                answer.keySet().forEach(topic -> names.put(topic, new Uuid(topic.hashCode(), 1)));
                return names;
            });
        }
    }

    /** A topic's id is looked up once, and taken to stay. */
    static final class LookedUpOnce extends Tampering {
        private final Map<String, Uuid> known = new HashMap<>();

        @Override
        CompletableFuture<Map<String, Uuid>> topicIds(SimulatedTopicIds ids, Set<String> topics) {
            return super.topicIds(ids, topics).thenApply(answer -> {
                answer.forEach(known::putIfAbsent);
                return Map.copyOf(known);
            });
        }
    }
}
