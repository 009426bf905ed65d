package dev.offsets.kafka.integration;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Stands between the library and a Kafka consumer and writes down what passes: which partitions are owned, how far they
 * were read, what is committed. Finds commits that must never be made: for a partition that is not owned, above the
 * position, or below an earlier commit of the same incarnation.
 */
final class Ledger {
    private static final java.util.function.Consumer<Collection<TopicPartition>> NOTHING = partitions -> {};

    private final Set<TopicPartition> owned = new HashSet<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> newestCommits = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private Consumer<?, ?> observed;
    private volatile java.util.function.Consumer<Collection<TopicPartition>> beforeRevocation = NOTHING;
    private final List<TopicPartition> commits = new ArrayList<>();

    /** The same consumer, with this ledger in between. */
    @SuppressWarnings("unchecked")
    <K, V> Consumer<K, V> observe(Consumer<K, V> consumer) {
        observed = consumer;
        return (Consumer<K, V>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    Object[] passed = arguments == null ? new Object[0] : arguments.clone();
                    before(method.getName(), passed);
                    Object result;
                    try {
                        result = method.invoke(consumer, passed);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (result instanceof ConsumerRecords<?, ?> records) {
                        read(records);
                    } else if (method.getName().equals("position")) {
                        at((TopicPartition) passed[0], (Long) result);
                    }
                    return result;
                });
    }

    /** Runs on the loop thread when partitions are being revoked, before the library learns of it. */
    void beforeRevocation(java.util.function.Consumer<Collection<TopicPartition>> hook) {
        beforeRevocation = hook;
    }

    /** What the Kafka consumer itself has paused. On the loop thread. */
    Set<TopicPartition> paused() {
        return observed.paused();
    }

    /** What was done that must never be done. */
    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** How many commits have been asked for, counted for each of these partitions. */
    synchronized int commits(Set<TopicPartition> partitions) {
        return (int) commits.stream().filter(partitions::contains).count();
    }

    private synchronized void before(String method, Object[] arguments) {
        switch (method) {
            case "subscribe" -> {
                if (arguments.length == 2) {
                    arguments[1] = observe((ConsumerRebalanceListener) arguments[1]);
                }
            }
            case "assign" -> {
                owned.clear();
                owned.addAll(partitions(arguments[0]));
            }
            case "seek" -> begin(List.of((TopicPartition) arguments[0]));
            case "seekToBeginning", "seekToEnd" -> begin(partitions(arguments[0]));
            case "commitSync", "commitAsync" -> offsets(arguments[0]).forEach(this::commit);
            default -> {}
        }
    }

    private ConsumerRebalanceListener observe(ConsumerRebalanceListener listener) {
        return new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                synchronized (Ledger.this) {
                    owned.addAll(partitions);
                    begin(partitions);
                }
                listener.onPartitionsAssigned(partitions);
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                beforeRevocation.accept(partitions);
                listener.onPartitionsRevoked(partitions);
                synchronized (Ledger.this) {
                    owned.removeAll(partitions);
                }
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                synchronized (Ledger.this) {
                    owned.removeAll(partitions);
                }
                listener.onPartitionsLost(partitions);
            }
        };
    }

    /** A new incarnation: its commits may be lower than the last one's. */
    private void begin(Collection<TopicPartition> partitions) {
        partitions.forEach(positions::remove);
        partitions.forEach(newestCommits::remove);
    }

    private synchronized void read(ConsumerRecords<?, ?> records) {
        for (TopicPartition partition : records.partitions()) {
            for (ConsumerRecord<?, ?> record : records.records(partition)) {
                at(partition, record.offset() + 1);
            }
        }
        records.nextOffsets().forEach((partition, next) -> at(partition, next.offset()));
    }

    /** A position that moved back (a log cut off, or made anew) begins a new incarnation. */
    private synchronized void at(TopicPartition partition, long position) {
        Long before = positions.get(partition);
        if (before != null && position < before) {
            begin(List.of(partition));
        }
        positions.put(partition, position);
    }

    private void commit(TopicPartition partition, OffsetAndMetadata offset) {
        commits.add(partition);
        if (!owned.contains(partition)) {
            violations.add("commit of " + partition + "@" + offset + ", which is not owned");
        }
        Long position = positions.get(partition);
        if (position != null && offset.offset() > position) {
            violations.add("commit of " + partition + "@" + offset + " above the position " + position);
        }
        OffsetAndMetadata newest = newestCommits.put(partition, offset);
        if (newest != null && newest.offset() > offset.offset()) {
            violations.add("commit of " + partition + "@" + offset + " after " + newest);
        }
    }

    @SuppressWarnings("unchecked")
    private static Collection<TopicPartition> partitions(Object argument) {
        return (Collection<TopicPartition>) argument;
    }

    @SuppressWarnings("unchecked")
    private static Map<TopicPartition, OffsetAndMetadata> offsets(Object argument) {
        return (Map<TopicPartition, OffsetAndMetadata>) argument;
    }
}
