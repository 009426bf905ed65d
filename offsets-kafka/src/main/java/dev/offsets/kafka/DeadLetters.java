package dev.offsets.kafka;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;

/**
 * Where records go that keep failing: a topic, and a producer of the user's to send them with. Sends a record's unchanged
 * key, value and headers, with headers of its own for where the record is from and what its error was. A record counts as
 * finished only when the send is confirmed.
 *
 * <p>Immutable; may be shared between consumers.
 */
public final class DeadLetters {
    private static final FailurePolicy DEFAULT_SEND_FAILURE_POLICY = FailurePolicy.retry()
            .attempts(10)
            .backoff(Duration.ofSeconds(1), Duration.ofSeconds(30))
            .thenStopConsumer();

    private final Producer<byte[], byte[]> producer;
    private final Function<String, String> topics;
    private final String description;
    private final FailurePolicy sendFailurePolicy;

    private DeadLetters(
            Producer<byte[], byte[]> producer,
            Function<String, String> topics,
            String description,
            FailurePolicy sendFailurePolicy) {
        this.producer = producer;
        this.topics = topics;
        this.description = description;
        this.sendFailurePolicy = sendFailurePolicy;
    }

    /**
     * All to one topic.
     *
     * @param producer remains the user's, who closes it after the consumer
     * @param topic the topic to send to
     */
    public static DeadLetters to(Producer<byte[], byte[]> producer, String topic) {
        Objects.requireNonNull(topic, "topic");
        return new DeadLetters(
                Objects.requireNonNull(producer, "producer"), origin -> topic, topic, DEFAULT_SEND_FAILURE_POLICY);
    }

    /**
     * To a topic for each topic that records come from.
     *
     * @param producer remains the user's, who closes it after the consumer
     * @param topics from the name of the topic that a record comes from to the one to send it to
     */
    public static DeadLetters to(Producer<byte[], byte[]> producer, Function<String, String> topics) {
        return new DeadLetters(
                Objects.requireNonNull(producer, "producer"),
                Objects.requireNonNull(topics, "topics"),
                "dead letters",
                DEFAULT_SEND_FAILURE_POLICY);
    }

    /**
     * What to do when a send fails. Attempts and time are counted from the first send of the record. The default is {@code
     * retry().attempts(10).backoff(1 s, 30 s).thenStopConsumer()}.
     */
    public DeadLetters ifSendFails(FailurePolicy policy) {
        return new DeadLetters(producer, topics, description, Objects.requireNonNull(policy, "policy"));
    }

    FailurePolicy sendFailurePolicy() {
        return sendFailurePolicy;
    }

    /** Sends a letter. Called on the executor's threads; may block. The stage completes when the send is confirmed. */
    CompletionStage<?> send(DeadLetter letter) {
        throw new UnsupportedOperationException("dead letters are not built yet: " + letter);
    }

    /** What a policy's sentence calls it: the topic, where there is one. */
    @Override
    public String toString() {
        return description;
    }
}
