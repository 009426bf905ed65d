package dev.offsets.examples.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Fills the topic: half of the records without a transaction, the rest in transactions that commit or abort. */
final class RecordSource {
    private static final int BATCH = 500;

    private enum Kind {
        PLAIN,
        COMMITTED,
        ABORTED
    }

    private final Cluster cluster;
    private final List<Produced> produced = new ArrayList<>();

    RecordSource(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Writes records with the ids from 0 and returns what was written where, by id. */
    List<Produced> produce(int records) throws InterruptedException, ExecutionException {
        try (KafkaProducer<Long, String> plain = producer(Map.of());
                KafkaProducer<Long, String> inTransactions =
                        producer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, cluster.topic()))) {
            inTransactions.initTransactions();
            for (int first = 0; first < records; first += BATCH) {
                int end = Math.min(first + BATCH, records);
                switch (kind(first / BATCH)) {
                    case PLAIN -> send(plain, first, end, true);
                    case COMMITTED -> {
                        inTransactions.beginTransaction();
                        send(inTransactions, first, end, true);
                        inTransactions.commitTransaction();
                    }
                    case ABORTED -> {
                        inTransactions.beginTransaction();
                        send(inTransactions, first, end, false);
                        inTransactions.abortTransaction();
                    }
                }
            }
        }
        return produced;
    }

    private static Kind kind(int batch) {
        if (batch % 2 == 0) {
            return Kind.PLAIN;
        }
        return batch % 8 == 7 ? Kind.ABORTED : Kind.COMMITTED;
    }

    /** Sends the records and waits until all are written, those of a transaction to be aborted too. */
    private void send(KafkaProducer<Long, String> producer, int first, int end, boolean committed)
            throws InterruptedException, ExecutionException {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (long id = first; id < end; id++) {
            int partition = (int) (id % Cluster.PARTITIONS);
            sent.add(producer.send(new ProducerRecord<>(cluster.topic(), partition, id, "order " + id)));
        }
        producer.flush();
        for (Future<RecordMetadata> future : sent) {
            RecordMetadata metadata = future.get();
            produced.add(new Produced(produced.size(), metadata.partition(), metadata.offset(), committed));
        }
    }

    private KafkaProducer<Long, String> producer(Map<String, Object> settings) {
        return new KafkaProducer<>(cluster.clientConfig(settings), new LongSerializer(), new StringSerializer());
    }
}
