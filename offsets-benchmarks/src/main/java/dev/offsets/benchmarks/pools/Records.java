package dev.offsets.benchmarks.pools;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The records that everybody gets: a hundred bytes each, with ids from 0, and keys in turn. */
final class Records {
    private static final int PARTITIONS = 8;
    private static final int VALUE_BYTES = 100;

    private Records() {}

    static int id(byte[] value) {
        return ByteBuffer.wrap(value).getInt();
    }

    /** Creates a topic and fills it. */
    static void produce(String bootstrapServers, String topic, int records, int keys)
            throws InterruptedException, ExecutionException {
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                // A new partition refuses what comes before it knows its leader, and takes any sequence number next
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                1,
                ProducerConfig.LINGER_MS_CONFIG,
                20,
                ProducerConfig.BATCH_SIZE_CONFIG,
                200_000);
        try (Admin admin = Admin.create(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(PARTITIONS), Optional.empty())))
                    .all()
                    .get();
        }
        AtomicReference<Exception> failure = new AtomicReference<>();
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer())) {
            for (int id = 0; id < records; id++) {
                byte[] value = ByteBuffer.allocate(VALUE_BYTES).putInt(id).array();
                producer.send(new ProducerRecord<>(topic, "key-" + id % keys, value), (metadata, error) -> {
                    if (error != null) {
                        failure.compareAndSet(null, error);
                    }
                });
            }
        }
        if (failure.get() != null) {
            throw new IllegalStateException("the records could not be produced", failure.get());
        }
    }
}
