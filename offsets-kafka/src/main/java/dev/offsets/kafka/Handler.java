package dev.offsets.kafka;

/**
 * The work on one record, or on one batch of records, done when it returns. What it throws, whatever it is, is a failure,
 * and the {@link FailurePolicy} says what comes of it.
 *
 * <p>Called on the threads of the executor that was given to {@link TrackedConsumer#processor}, on several at once; it may
 * block.
 *
 * @param <T> a {@link org.apache.kafka.clients.consumer.ConsumerRecord}, or a list of them
 */
@FunctionalInterface
public interface Handler<T> {
    /**
     * Does the work.
     *
     * @throws Exception if the work has failed. An interrupt, and what Kafka and {@code java.nio} make of one, always
     *     stops the consumer: an interrupted record is never finished
     */
    void handle(T work) throws Exception;
}
