package dev.offsets.kafka;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/**
 * What a handler sends elsewhere, as stages to return from an {@link AsyncHandler}: its record then counts as finished only
 * when its outputs are confirmed.
 *
 * <pre>{@code
 * consumer.processor(workers, 64)
 *         .handleAsync(record -> Outputs.send(producer, new ProducerRecord<>("invoices", invoice(record.value()))));
 * }</pre>
 *
 * <p>All methods may be called from any thread.
 */
public final class Outputs {
    private Outputs() {}

    /**
     * Sends a record, as {@link Producer#send(ProducerRecord, org.apache.kafka.clients.producer.Callback)} does: it may block
     * for as long as the producer's {@code max.block.ms}.
     *
     * @return completes when the send is confirmed, on the producer's thread; exceptionally when it has failed, when the
     *     producer throws, and when there is no confirmation to be had: with {@code acks=0}
     */
    public static <K, V> CompletionStage<RecordMetadata> send(Producer<K, V> producer, ProducerRecord<K, V> record) {
        Objects.requireNonNull(record, "record");
        CompletableFuture<RecordMetadata> confirmed = new CompletableFuture<>();
        try {
            producer.send(record, (metadata, failure) -> {
                if (failure != null) {
                    confirmed.completeExceptionally(failure);
                } else if (metadata.hasOffset()) {
                    confirmed.complete(metadata);
                } else {
                    confirmed.completeExceptionally(notConfirmed(record));
                }
            });
        } catch (RuntimeException e) {
            confirmed.completeExceptionally(e);
        }
        return confirmed;
    }

    private static KafkaException notConfirmed(ProducerRecord<?, ?> record) {
        return new KafkaException("the broker gave no offset to the record sent to " + record.topic()
                + ", so that it is not known whether it has it: set acks to 1 or all in the producer's configuration");
    }

    /**
     * All of several outputs.
     *
     * @return completes when all have completed; exceptionally if one has failed, after the others have completed
     */
    public static CompletionStage<Void> all(CompletionStage<?>... outputs) {
        return all(List.of(outputs));
    }

    /**
     * All of several outputs; of none it is complete.
     *
     * @return completes when all have completed; exceptionally if one has failed, after the others have completed
     */
    public static CompletionStage<Void> all(Collection<? extends CompletionStage<?>> outputs) {
        return CompletableFuture.allOf(
                outputs.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture<?>[]::new));
    }
}
