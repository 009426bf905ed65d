package dev.offsets.kafka.integration;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedConsumerBuilder;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer with the loop around it, turned by the test's own thread, and with a ledger of its commits. What it has
 * received is kept; a handler may deal with it at once.
 */
final class Member implements AutoCloseable {
    private static final Duration TURN = Duration.ofMillis(20);
    private static final ConsumerRebalanceListener NO_LISTENER = new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsRevoked(java.util.Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsAssigned(java.util.Collection<TopicPartition> partitions) {}
    };

    private final TrackedConsumer<String, String> consumer;
    private final Ledger ledger;
    private final List<TrackedRecord<String, String>> received = new ArrayList<>();
    private Consumer<TrackedRecord<String, String>> handler = record -> {};

    private Member(TrackedConsumer<String, String> consumer, Ledger ledger) {
        this.consumer = consumer;
        this.ledger = ledger;
    }

    /** Sets a member up: on a Kafka consumer of its own, committing as soon as the committable offset moves. */
    static final class Builder {
        private final KafkaRig kafka;
        private final Map<String, Object> configuration;
        private Consumer<TrackedConsumerBuilder<String, String>> settings =
                builder -> builder.commitPolicy(CommitPolicy.afterProcessing());
        private ConsumerRebalanceListener listener = NO_LISTENER;

        Builder(KafkaRig kafka, Map<String, Object> configuration) {
            this.kafka = kafka;
            this.configuration = configuration;
        }

        Builder with(String name, Object value) {
            configuration.put(name, value.toString());
            return this;
        }

        /** Settings of the tracked consumer. */
        Builder set(Consumer<TrackedConsumerBuilder<String, String>> more) {
            settings = settings.andThen(more);
            return this;
        }

        Builder policy(CommitPolicy policy) {
            return set(builder -> builder.commitPolicy(policy));
        }

        Builder listener(ConsumerRebalanceListener users) {
            listener = users;
            return this;
        }

        /** Without a subscription or an assignment. */
        Member build() {
            Ledger ledger = new Ledger();
            TrackedConsumerBuilder<String, String> builder =
                    TrackedConsumer.wrap(ledger.observe(new KafkaConsumer<>(configuration)), configuration);
            settings.accept(builder);
            Member member = new Member(builder.build(), ledger);
            kafka.opened(member, ledger);
            return member;
        }

        /** Subscribed to the test's topic. */
        Member subscribe() {
            Member member = build();
            member.consumer.subscribe(List.of(kafka.topic()), listener);
            return member;
        }
    }

    TrackedConsumer<String, String> consumer() {
        return consumer;
    }

    Ledger ledger() {
        return ledger;
    }

    /** From now on, each record goes to the handler as it is received. */
    Member handle(Consumer<TrackedRecord<String, String>> newHandler) {
        handler = newHandler;
        return this;
    }

    Member completeAll() {
        return handle(TrackedRecord::complete);
    }

    /** One turn of the loop. */
    void turn() {
        for (TrackedRecord<String, String> record : consumer.poll(TURN)) {
            received.add(record);
            handler.accept(record);
        }
    }

    /** Turns until a condition holds, bounded. */
    void until(String condition, Callable<Boolean> holds) throws Exception {
        Await.until(condition, this::turn, holds);
    }

    /** Turns until so many records have been received. */
    void receive(int records) throws Exception {
        until(records + " records received", () -> received.size() >= records);
    }

    void turns(int turns) {
        for (int i = 0; i < turns; i++) {
            turn();
        }
    }

    List<TrackedRecord<String, String>> received() {
        return received;
    }

    List<TrackedRecord<String, String>> received(TopicPartition partition) {
        return received.stream()
                .filter(record -> new TopicPartition(record.topic(), record.partition()).equals(partition))
                .toList();
    }

    List<Long> receivedOffsets(TopicPartition partition) {
        return received(partition).stream().map(TrackedRecord::offset).toList();
    }

    /** Does not wait for what the test has left unfinished. */
    @Override
    public void close() {
        consumer.close(Duration.ofMillis(100));
    }
}
