package dev.offsets.kafka.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * One client on the stage. What it sees while it polls is kept until the step ends, and then told: callbacks in their
 * order, then records and positions, however many polls it took.
 */
final class Actor implements Player {
    static final Duration TURN = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    final org.apache.kafka.clients.consumer.Consumer<?, ?> client;
    private final String name;
    private final Transcript transcript;
    private final List<Runnable> seen = new ArrayList<>();
    private final Map<TopicPartition, StringBuilder> records = new LinkedHashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> nextOffsets = new LinkedHashMap<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private int answers;
    private boolean lost;
    private Consumer<Collection<TopicPartition>> onAssigned = partitions -> {};
    private Consumer<Collection<TopicPartition>> onRevoked = partitions -> {};

    Actor(String name, org.apache.kafka.clients.consumer.Consumer<?, ?> client, Transcript transcript) {
        this.name = name;
        this.client = client;
        this.transcript = transcript;
    }

    Actor onAssigned(Consumer<Collection<TopicPartition>> action) {
        onAssigned = action;
        return this;
    }

    Actor onRevoked(Consumer<Collection<TopicPartition>> action) {
        onRevoked = action;
        return this;
    }

    Actor subscribe(TopicPartition anyPartition) {
        client.subscribe(List.of(anyPartition.topic()), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                called("assigned", partitions);
                onAssigned.accept(partitions);
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                called("revoked", partitions);
                positions.keySet().removeAll(partitions);
                onRevoked.accept(partitions);
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                called("lost", partitions);
                lost = true;
                positions.keySet().removeAll(partitions);
            }
        });
        return this;
    }

    /** How often a callback is called with nothing is left open. */
    private void called(String callback, Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty()) {
            Map<TopicPartition, String> named = named(partitions);
            seen.add(() -> tell("is told: " + callback, named));
        }
    }

    private static Map<TopicPartition, String> named(Collection<TopicPartition> partitions) {
        Map<TopicPartition, String> named = new HashMap<>();
        partitions.forEach(partition -> named.put(partition, ""));
        return named;
    }

    private void tell(String what, Map<TopicPartition, String> partitions) {
        transcript.add(name + " " + what, partitions);
    }

    private void tell(String what) {
        tell(what, Map.of());
    }

    @Override
    public void poll() {
        ConsumerRecords<?, ?> polled = client.poll(TURN);
        polled.partitions()
                .forEach(partition -> polled.records(partition)
                        .forEach(record -> records.computeIfAbsent(partition, key -> new StringBuilder())
                                .append(' ')
                                .append(record.offset())));
        nextOffsets.putAll(polled.nextOffsets());
        polled.nextOffsets().forEach((partition, next) -> positions.put(partition, next.offset()));
    }

    @Override
    public Set<TopicPartition> assignment() {
        return client.assignment();
    }

    @Override
    public void tellAll() {
        seen.forEach(Runnable::run);
        seen.clear();
        if (!records.isEmpty()) {
            Map<TopicPartition, String> told = new HashMap<>();
            records.forEach((partition, offsets) -> told.put(partition, offsets.toString()));
            tell("received", told);
            records.clear();
        }
        if (!nextOffsets.isEmpty()) {
            Map<TopicPartition, String> told = new HashMap<>();
            nextOffsets.forEach((partition, next) -> told.put(partition, " " + Trace.show(next)));
            tell("goes on at", told);
            nextOffsets.clear();
        }
    }

    @Override
    public boolean hasRead(long offset) {
        Set<TopicPartition> assigned = client.assignment();
        return !assigned.isEmpty()
                && assigned.stream().allMatch(partition -> positions.getOrDefault(partition, -1L) >= offset);
    }

    boolean hasRead(TopicPartition partition, long offset) {
        return positions.getOrDefault(partition, -1L) >= offset;
    }

    /** Whether its position is this one, as far as it knows. */
    boolean isAt(TopicPartition partition, long offset) {
        try {
            return assignment().contains(partition) && client.position(partition, Duration.ZERO) == offset;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** What was read so far does not count any more. */
    void forget() {
        positions.clear();
    }

    /** A partition that it owns, or another one while it owns none. */
    TopicPartition ownedOr(TopicPartition other) {
        return assignment().stream().findFirst().orElse(other);
    }

    boolean hasLost() {
        return lost;
    }

    int answers() {
        return answers;
    }

    Map<TopicPartition, OffsetAndMetadata> at(TopicPartition partition, long offset) {
        return Map.of(partition, new OffsetAndMetadata(offset));
    }

    /** The same offset for several partitions. */
    Map<TopicPartition, OffsetAndMetadata> at(Collection<TopicPartition> partitions, long offset) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        partitions.forEach(partition -> offsets.put(partition, new OffsetAndMetadata(offset)));
        return offsets;
    }

    void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        commitSync(offsets, PATIENCE);
    }

    /** Tells at once when called between steps, and with the other callbacks when called inside one. */
    void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        String outcome = outcomeOfCommit(offsets, timeout);
        Map<TopicPartition, String> told = shown(offsets);
        seen.add(() -> tell("commits: " + outcome, told));
    }

    String outcomeOfCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        return outcomeOfCommit(offsets, PATIENCE);
    }

    private String outcomeOfCommit(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        return outcome(() -> client.commitSync(offsets, timeout));
    }

    void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        client.commitAsync(offsets, (committed, failure) -> {
            answers++;
            Map<TopicPartition, String> told = committed == null ? Map.of() : shown(committed);
            seen.add(() -> tell("has committed: " + shown(failure), told));
        });
    }

    private static Map<TopicPartition, String> shown(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<TopicPartition, String> shown = new HashMap<>();
        offsets.forEach((partition, offset) -> shown.put(partition, " " + Trace.show(offset)));
        return shown;
    }

    /** Calls something, and tells what it threw, if anything. */
    void attempt(String what, Runnable call) {
        String outcome = outcome(call);
        tell(what + ": " + outcome);
    }

    private static String outcome(Runnable call) {
        try {
            call.run();
            return "ok";
        } catch (RuntimeException e) {
            return shown(e);
        }
    }

    private static String shown(Exception failure) {
        return failure == null ? "ok" : failure.getClass().getSimpleName();
    }

    void pause(Collection<TopicPartition> partitions) {
        client.pause(partitions);
        tellPaused();
    }

    void tellPaused() {
        tell("has paused", named(client.paused()));
    }

    void tellAssignment() {
        tell("owns", named(client.assignment()));
    }

    void tellPosition(TopicPartition partition) {
        tell("is", Map.of(partition, " at " + client.position(partition, PATIENCE)));
    }

    void tellCommitted(TopicPartition partition) {
        OffsetAndMetadata offset =
                client.committed(new HashSet<>(Set.of(partition)), PATIENCE).get(partition);
        tell("reads what is stored:", Map.of(partition, " " + Trace.show(offset)));
    }

    /** How far the position is from the log's start, by the client's metric. */
    void tellLead(TopicPartition partition) {
        client.metrics().forEach((metric, value) -> {
            Map<String, String> tags = metric.tags();
            if (metric.name().equals("records-lead")
                    && partition.topic().equals(tags.get("topic"))
                    && String.valueOf(partition.partition()).equals(tags.get("partition"))) {
                tell("leads by " + value.metricValue(), named(Set.of(partition)));
            }
        });
    }

    void close() {
        closeClient();
        tell("is closed");
    }

    @SuppressWarnings("deprecation") // what came in its place, clients before Kafka 4.1 don't have
    void closeClient() {
        client.close(PATIENCE);
    }
}
