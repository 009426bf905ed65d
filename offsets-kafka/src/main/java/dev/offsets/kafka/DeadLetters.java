package dev.offsets.kafka;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Where records go that keep failing: a topic, and a producer of the user's to send them with. A record counts as finished
 * only when the send is confirmed.
 *
 * <p>A dead letter has the key and the value of its record, byte for byte, and its headers. It goes to the partition with the
 * number of the record's own where the topic has one, or else where the producer's partitioner puts it. These headers are
 * added, with the names and encodings that Spring for Apache Kafka uses:
 *
 * <table>
 * <caption>Headers of a dead letter</caption>
 * <tr><th>name</th><th>value</th></tr>
 * <tr><td>{@code kafka_dlt-original-topic}</td><td>text (UTF-8, as all text here)</td></tr>
 * <tr><td>{@code kafka_dlt-original-partition}</td><td>4 bytes, big-endian</td></tr>
 * <tr><td>{@code kafka_dlt-original-offset}</td><td>8 bytes, big-endian</td></tr>
 * <tr><td>{@code kafka_dlt-original-timestamp}</td><td>8 bytes, big-endian: milliseconds since 1970</td></tr>
 * <tr><td>{@code kafka_dlt-original-timestamp-type}</td><td>text: {@code CreateTime} or {@code LogAppendTime}</td></tr>
 * <tr><td>{@code kafka_dlt-original-consumer-group}</td><td>text</td></tr>
 * <tr><td>{@code kafka_dlt-exception-fqcn}</td><td>text: the class of the error</td></tr>
 * <tr><td>{@code kafka_dlt-exception-cause-fqcn}</td><td>text: the class of its cause; only if it has one</td></tr>
 * <tr><td>{@code kafka_dlt-exception-message}</td><td>text, cut after 1,000 characters; only if it has one</td></tr>
 * <tr><td>{@code kafka_dlt-exception-stacktrace}</td><td>text, cut after 16,000 characters</td></tr>
 * </table>
 *
 * <p>For a key that could not be deserialized, {@code kafka_dlt-key-exception-fqcn}, {@code -message} and {@code -stacktrace}
 * are there instead of the last three without {@code key}.
 *
 * <p>Bytes that were deserialized are not in hand any more: such a record is read from its topic once more, by its offset,
 * with a consumer outside of the group that is made from the tracked consumer's configuration when it is first needed. Where
 * both deserializers are Kafka's own for byte arrays, and no interceptor is configured, the record is sent as it was polled;
 * what its handler has changed in it is then sent too.
 *
 * <p>The producer must wait for confirmations ({@code acks} 1 or all) and not be transactional.
 *
 * <p>Immutable; may be shared between consumers, if the producer may be.
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
     * @param topic the topic to send to, which the consumer must not read
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
     * What to do when a send fails, or a record's bytes cannot be read once more: with a {@link RecordNotInLogException} if
     * they are not there any more. Attempts and time are counted from the first send of the record. The default is {@code
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
        ConsumerRecord<byte[], byte[]> original = letter.original();
        String topic = topicFor(original.topic());
        return Outputs.send(
                producer,
                new ProducerRecord<>(
                        topic,
                        samePartition(topic, original.partition()),
                        original.key(),
                        original.value(),
                        DeadLetterHeaders.of(letter)));
    }

    private String topicFor(String origin) {
        String topic = topics.apply(origin);
        if (topic == null || topic.equals(origin)) {
            throw new IllegalStateException("dead letters of topic " + origin + " are to go to "
                    + (topic == null ? "null" : "that topic itself, which would deliver them again")
                    + ": give DeadLetters.to another topic for it");
        }
        return topic;
    }

    /** Null leaves it to the partitioner. */
    private Integer samePartition(String topic, int partition) {
        boolean exists = producer.partitionsFor(topic).stream().anyMatch(info -> info.partition() == partition);
        return exists ? partition : null;
    }

    /** What a policy's sentence calls it: the topic, where there is one. */
    @Override
    public String toString() {
        return description;
    }
}
