package dev.offsets.kafka.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** Ways to get wrong what is polled, and what is paused. */
final class WrongPolls {
    private WrongPolls() {}

    /** Positions move with records alone. */
    static final class NoHoles extends Tampering {
        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
            ConsumerRecords<Long, Entry> polled = client.poll(timeout);
            Map<TopicPartition, List<ConsumerRecord<Long, Entry>>> records = new HashMap<>();
            Map<TopicPartition, OffsetAndMetadata> nextOffsets = new HashMap<>();
            for (TopicPartition partition : polled.partitions()) {
                List<ConsumerRecord<Long, Entry>> ofPartition = polled.records(partition);
                ConsumerRecord<Long, Entry> last = ofPartition.get(ofPartition.size() - 1);
                records.put(partition, ofPartition);
                nextOffsets.put(partition, new OffsetAndMetadata(last.offset() + 1, last.leaderEpoch(), ""));
            }
            return new ConsumerRecords<>(records, nextOffsets);
        }
    }

    /** Goes on where a log was cut, whatever is incomplete below. */
    static final class NotReadAgain extends Tampering {
        private final Map<TopicPartition, Long> positions = new HashMap<>();
        private final Set<TopicPartition> movedBack = new HashSet<>();

        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
            ConsumerRecords<Long, Entry> polled = client.poll(timeout);
            movedBack.clear();
            polled.nextOffsets().forEach((partition, next) -> {
                Long before = positions.put(partition, next.offset());
                List<ConsumerRecord<Long, Entry>> records = polled.records(partition);
                long first = records.isEmpty() ? next.offset() : records.get(0).offset();
                if (before != null && first < before) {
                    movedBack.add(partition);
                }
            });
            return polled;
        }

        @Override
        void seek(SimulatedClient client, TopicPartition partition, OffsetAndMetadata to) {
            if (!movedBack.contains(partition)) {
                positions.remove(partition);
                client.seek(partition, to);
            }
        }
    }

    static final class LostWakeup extends Tampering {
        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
            try {
                return client.poll(timeout);
            } catch (WakeupException e) {
                return ConsumerRecords.empty();
            }
        }
    }

    static final class LostPause extends Tampering {
        private int pauses;

        @Override
        void pause(SimulatedClient client, Collection<TopicPartition> partitions) {
            if (partitions.isEmpty() || ++pauses % 3 != 0) {
                client.pause(partitions);
            }
        }
    }

    static final class LostResume extends Tampering {
        private int resumes;

        @Override
        void resume(SimulatedClient client, Collection<TopicPartition> partitions) {
            if (partitions.isEmpty() || ++resumes % 3 != 0) {
                client.resume(partitions);
            }
        }
    }

    static final class ResumesAll extends Tampering {
        @Override
        void resume(SimulatedClient client, Collection<TopicPartition> partitions) {
            client.resume(client.paused());
        }
    }
}
