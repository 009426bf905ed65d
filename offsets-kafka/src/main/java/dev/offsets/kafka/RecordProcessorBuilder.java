package dev.offsets.kafka;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Builds a {@link RecordProcessor}; made by {@link TrackedConsumer#processor}. Its last word is one of the {@code handle}
 * methods. For one thread.
 */
public final class RecordProcessorBuilder<K, V> {
    static final CompletionStage<?> DONE = CompletableFuture.completedFuture(null);

    final TrackedConsumer<K, V> consumer;
    final Executor executor;
    final int maxConcurrency;
    Ordering<K, V> ordering = Ordering.none();
    FailurePolicy failurePolicy = FailurePolicy.stopConsumer();
    int maxBatch = 1;

    RecordProcessorBuilder(TrackedConsumer<K, V> consumer, Executor executor, int maxConcurrency) {
        this.consumer = consumer;
        this.executor = executor;
        this.maxConcurrency = maxConcurrency;
    }

    /** No order: as many records at once as there may be. The default. */
    public RecordProcessorBuilder<K, V> unordered() {
        ordering = Ordering.none();
        return this;
    }

    /** The records of one partition one after another, in its order. */
    public RecordProcessorBuilder<K, V> orderedByPartition() {
        ordering = Ordering.byPartition();
        return this;
    }

    /**
     * The records of one partition that have the same key one after another, in its order. Records without a key are not
     * ordered. Byte arrays are compared by their content; keys of other array types, and of classes without {@code equals}
     * and {@code hashCode} of their own, are refused: the consumer stops at the first.
     */
    public RecordProcessorBuilder<K, V> orderedByKey() {
        return orderedBy(ConsumerRecord::key);
    }

    /**
     * The records of one partition for which a function answers the same one after another, in its order. Where it answers
     * null there is no order. What is said of keys in {@link #orderedByKey} holds for the answers. If the function throws,
     * the consumer stops at that record.
     *
     * @param function called once for each record, on the loop thread; must not block
     */
    public RecordProcessorBuilder<K, V> orderedBy(Function<? super ConsumerRecord<K, V>, ?> function) {
        ordering = Ordering.by(Objects.requireNonNull(function, "function"));
        return this;
    }

    /** What to do when an attempt at a record has failed. The default is to stop the consumer. */
    public RecordProcessorBuilder<K, V> onFailure(FailurePolicy policy) {
        failurePolicy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /** One record at a time on a thread; done when the handler returns. */
    public RecordProcessor<K, V> handle(Handler<? super ConsumerRecord<K, V>> handler) {
        Objects.requireNonNull(handler, "handler");
        return build(records -> {
            handler.handle(records.get(0));
            return DONE;
        });
    }

    /** One record at a time; done when the stage that the handler returns completes. */
    public RecordProcessor<K, V> handleAsync(AsyncHandler<? super ConsumerRecord<K, V>> handler) {
        Objects.requireNonNull(handler, "handler");
        return build(records -> handler.handle(records.get(0)));
    }

    /**
     * Several records of one partition at a time; done when the handler returns. A batch that fails is tried again record
     * by record, each as a batch of its own, so that the bad one is singled out; the {@link FailurePolicy} is asked about
     * that one.
     *
     * @param maxRecords how many records at most; one or more. A batch is never waited for to fill
     */
    public RecordProcessor<K, V> handleBatches(int maxRecords, Handler<? super List<ConsumerRecord<K, V>>> handler) {
        Objects.requireNonNull(handler, "handler");
        maxBatch = checkBatch(maxRecords);
        return build(records -> {
            handler.handle(records);
            return DONE;
        });
    }

    /** Several records of one partition at a time, as {@link #handleBatches}; done when the stage completes. */
    public RecordProcessor<K, V> handleBatchesAsync(
            int maxRecords, AsyncHandler<? super List<ConsumerRecord<K, V>>> handler) {
        Objects.requireNonNull(handler, "handler");
        maxBatch = checkBatch(maxRecords);
        return build(handler::handle);
    }

    private RecordProcessor<K, V> build(AsyncHandler<List<ConsumerRecord<K, V>>> handler) {
        return consumer.install(this, handler);
    }

    private static int checkBatch(int maxRecords) {
        if (maxRecords < 1) {
            throw new IllegalArgumentException("maxRecords is " + maxRecords + ": it must be one or more");
        }
        return maxRecords;
    }
}
