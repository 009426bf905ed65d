package dev.offsets.kafka;

import java.util.concurrent.CompletionStage;

/**
 * The work on one record, or on one batch of records, done when the stage that it returns completes. A stage that completes
 * exceptionally is a failure, and so is whatever is thrown, and null.
 *
 * <p>Called on the threads of the executor that was given to {@link TrackedConsumer#processor}, on several at once. What
 * follows the stage's completion is short on the thread that completes it: handlers are never called there.
 *
 * @param <T> a {@link org.apache.kafka.clients.consumer.ConsumerRecord}, or a list of them
 */
@FunctionalInterface
public interface AsyncHandler<T> {
    /**
     * Begins the work.
     *
     * @return completes when the work is done, with any value, or exceptionally when it has failed; a stage that never
     *     completes holds its record, and its place among those worked on at once, for ever
     * @throws Exception if the work has failed already
     */
    CompletionStage<?> handle(T work) throws Exception;
}
