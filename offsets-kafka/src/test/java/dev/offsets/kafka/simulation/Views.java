package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Keeps the ledger that the other checkers read. Told of everything first. */
final class Views extends Checker {
    private record Key(String process, TopicPartition partition) {}

    private final Map<Key, View> views = new HashMap<>();
    private final Map<Key, Long> lastStored = new HashMap<>();

    /** The newest incarnation; null before the first. */
    View of(String process, TopicPartition partition) {
        return views.get(new Key(process, partition));
    }

    /** What a process itself has stored last, or was told when it was assigned the partition; null for nothing. */
    Long lastStored(String process, TopicPartition partition) {
        return lastStored.get(new Key(process, partition));
    }

    boolean knowsEpoch(String process, TopicPartition partition, long offset) {
        View view = of(process, partition);
        return view != null && view.epochKnown && view.position == offset;
    }

    private View begin(String process, TopicPartition partition) {
        View former = of(process, partition);
        if (former != null) {
            former.over = true;
        }
        View view = new View();
        if (former != null && former.leaving) {
            view.leaving = true;
        }
        views.put(new Key(process, partition), view);
        return view;
    }

    @Override
    void assigned(SimulatedClient client, Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> {
            begin(client.process, partition).leaving = false;
            lastStored.remove(new Key(client.process, partition));
        });
    }

    @Override
    void revoking(SimulatedClient client, Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> of(client.process, partition).leaving = true);
    }

    @Override
    void lost(SimulatedClient client, Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> of(client.process, partition).lost = true);
    }

    @Override
    void gone(SimulatedClient client, Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> of(client.process, partition).over = true);
    }

    @Override
    void closed(SimulatedClient client) {
        end(client.process);
    }

    @Override
    void crashed(SimulatedClient client) {
        end(client.process);
    }

    private void end(String process) {
        views.forEach((key, view) -> {
            if (key.process.equals(process)) {
                view.over = true;
            }
        });
    }

    @Override
    void sought(SimulatedClient client, TopicPartition partition, OffsetAndMetadata to) {
        View view = begin(client.process, partition);
        if (to != null) {
            view.position = to.offset();
            view.epoch = to.leaderEpoch().orElse(null);
            view.epochKnown = true;
        }
    }

    @Override
    void toldPosition(SimulatedClient client, TopicPartition partition, OffsetAndMetadata position) {
        View view = of(client.process, partition);
        if (position.offset() < view.position) {
            view = begin(client.process, partition);
        }
        if (position.offset() > view.position) {
            view.position = position.offset();
            view.epoch = position.leaderEpoch().orElse(null);
            view.epochKnown = view.epoch != null;
        }
    }

    @Override
    void toldStored(SimulatedClient client, TopicPartition partition, OffsetAndMetadata offset) {
        lastStored.put(new Key(client.process, partition), offset.offset());
        toldPosition(client, partition, offset);
    }

    @Override
    void polled(SimulatedClient client, ConsumerRecords<Long, Entry> records) {
        Set<TopicPartition> partitions =
                new LinkedHashSet<>(records.nextOffsets().keySet());
        partitions.addAll(records.partitions());
        for (TopicPartition partition : partitions) {
            List<ConsumerRecord<Long, Entry>> ofPartition = records.records(partition);
            OffsetAndMetadata next = records.nextOffsets().get(partition);
            View view = of(client.process, partition);
            long first =
                    ofPartition.isEmpty() ? next.offset() : ofPartition.get(0).offset();
            if (first < view.position) {
                view = begin(client.process, partition);
            }
            for (ConsumerRecord<Long, Entry> record : ofPartition) {
                view.records.put(record.offset(), record.value());
                view.position = record.offset() + 1;
            }
            if (next != null) {
                view.position = next.offset();
                view.epoch = next.leaderEpoch().orElse(null);
            }
            view.epochKnown = next != null;
        }
    }

    @Override
    void leftOut(SimulatedClient client, TopicPartition partition, List<Entry> entries) {
        View view = of(client.process, partition);
        for (Entry entry : entries) {
            // Unless somebody has sought meanwhile.
            if (view.records.remove(entry.offset, entry)) {
                view.leftOut.put(entry.offset, entry);
            }
        }
    }

    @Override
    void stored(String process, TopicPartition partition, OffsetAndMetadata offset) {
        lastStored.put(new Key(process, partition), offset.offset());
        View view = of(process, partition);
        if (view != null) {
            view.stored.add(offset.offset());
            view.highestStored = Math.max(view.highestStored, offset.offset());
        }
    }

    @Override
    void reported(Delivery delivery, Receipt receipt, boolean finished) {
        if (receipt == Receipt.ACCEPTED && finished) {
            delivery.view.finished.add(delivery.entry.offset);
        }
    }
}
