package dev.offsets.kafka;

import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * What a handler sends elsewhere, as stages to return from an {@link AsyncHandler}: its record then counts as finished only
 * when its outputs are confirmed.
 *
 * <pre>{@code
 * consumer.processor(workers, 64)
 *         .handleAsync(record -> Outputs.send(producer, new ProducerRecord<>("invoices", invoice(record.value()))));
 * }</pre>
 */
public final class Outputs {
    private Outputs() {}

    /**
     * Sends a record, as {@link Producer#send(ProducerRecord, org.apache.kafka.clients.producer.Callback)} does.
     *
     * @return completes when the send is confirmed, on the producer's thread; exceptionally when it has failed
     */
    public static <K, V> CompletionStage<RecordMetadata> send(Producer<K, V> producer, ProducerRecord<K, V> record) {
        throw new UnsupportedOperationException("outputs are not built yet");
    }

    /**
     * All of several outputs.
     *
     * @return completes when all have completed; exceptionally if one has failed, after the others have completed
     */
    public static CompletionStage<Void> all(CompletionStage<?>... outputs) {
        throw new UnsupportedOperationException("outputs are not built yet");
    }
}
