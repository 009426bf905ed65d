package dev.offsets.kafka.simulation;

import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.VirtualClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** The simulation, for a script. */
final class SimulatedCluster implements Cluster {
    private static final String TOPIC = "topic";

    private final Simulation simulation;
    private final List<SimulatedClient> clients = new ArrayList<>();

    SimulatedCluster(Protocol protocol, Setup setup, Supplier<Tampering> tamperings) {
        this.simulation = Simulation.staged(new Settings(protocol, setup, TOPIC), tamperings);
    }

    @Override
    public TopicPartition partition(int partition) {
        return new TopicPartition(TOPIC, partition);
    }

    @Override
    public Consumer<?, ?> client(String name, String staticId) {
        return newClient(name);
    }

    private Consumer<Long, Entry> newClient(String name) {
        SimulatedClient client = new SimulatedClient(simulation, name);
        clients.add(client);
        return ClientProxy.around(client, simulation.tampering());
    }

    @Override
    public TrackedConsumer<?, ?> tracked(String name) {
        Settings settings = simulation.settings;
        var builder = TrackedConsumer.wrap(newClient(name), settings.configuration())
                .commitPolicy(settings.policy)
                .drainTimeout(settings.drainTimeout);
        return VirtualClock.use(builder, simulation.time::now, simulation.time::pass, () -> 0.5)
                .build();
    }

    @Override
    public void append(TopicPartition partition, int records) {
        append(partition, records, Entry.Kind.RECORD);
    }

    private void append(TopicPartition partition, int records, Entry.Kind kind) {
        for (int i = 0; i < records; i++) {
            simulation.log(partition).append(kind);
        }
    }

    @Override
    public void transaction(TopicPartition partition, int records, boolean commit) {
        openTransaction(partition, records);
        simulation.log(partition).endTransaction(commit);
    }

    @Override
    public void openTransaction(TopicPartition partition, int records) {
        append(partition, records, Entry.Kind.OPEN);
    }

    @Override
    public void deleteRecords(TopicPartition partition, long below) {
        simulation.log(partition).deleteBelow(below);
    }

    @Override
    public void deleteTopic() {
        for (SimulatedLog log : simulation.logs()) {
            log.delete();
            simulation.group.forget(log.topicPartition);
        }
    }

    @Override
    public void standStill() {
        simulation.time.pass(simulation.settings.maxPollIntervalNanos + VirtualTime.SECOND);
    }

    @Override
    public Map<TopicPartition, String> stored(Set<TopicPartition> partitions) {
        Map<TopicPartition, String> stored = new HashMap<>();
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata offset = simulation.group.stored(partition);
            if (offset != null) {
                stored.put(partition, " " + Trace.show(offset));
            }
        }
        return stored;
    }

    @Override
    public void close() {
        clients.forEach(SimulatedClient::close);
    }
}
