package dev.offsets.kafka.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class LocalBrokerIT {
    private static final String TOPIC = "topic";

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void transactions_areReadBackByAGroup(String groupProtocol) throws Exception {
        try (LocalBroker broker = LocalBroker.start()) {
            createTopic(broker);
            produce(broker, "committed", true);
            produce(broker, "aborted", false);
            produce(broker, "last", true);

            assertThat(consumeUntil(broker, groupProtocol, "last")).containsExactly("committed", "last");
        }
    }

    @Test
    void restart_afterStopAndAfterKill_keepsDataAndAddress() throws Exception {
        Path directory;
        try (LocalBroker broker = LocalBroker.start()) {
            directory = broker.directory();
            String address = broker.bootstrapServers();
            createTopic(broker);
            produce(broker, "first", true);

            broker.stop();
            assertThat(broker.isAlive()).isFalse();
            assertThat(broker.log()).content().contains("shut down completed");
            broker.restart();
            produce(broker, "second", true);
            // Its marker is written after the producer has had its answer
            assertThat(consumeUntil(broker, "classic", "second")).containsExactly("first", "second");

            broker.kill();
            assertThat(broker.isAlive()).isFalse();
            broker.restart();

            assertThat(broker.bootstrapServers()).isEqualTo(address);
            assertThat(consumeUntil(broker, "consumer", "second")).containsExactly("first", "second");
        }
        assertThat(directory).doesNotExist();
    }

    @Test
    void pause_answersNothing_untilResumed() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.listTopics().names().get();

            broker.pause();
            ListTopicsOptions soon = new ListTopicsOptions().timeoutMs(1_000);
            assertThatThrownBy(() -> admin.listTopics(soon).names().get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TimeoutException.class);

            broker.resume();
            assertThat(admin.describeCluster().nodes().get()).hasSize(1);
        }
    }

    @Test
    void start_withABadProperty_showsTheLog() {
        assertThatThrownBy(() -> LocalBroker.builder()
                        .property("log.retention.check.interval.ms", "often")
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Invalid value often");
    }

    private static void createTopic(LocalBroker broker) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
        }
    }

    private static void produce(LocalBroker broker, String value, boolean commit) throws Exception {
        Map<String, Object> config =
                Map.of("bootstrap.servers", broker.bootstrapServers(), "transactional.id", "producer");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC, value)).get();
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    private static List<String> consumeUntil(LocalBroker broker, String groupProtocol, String last) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                broker.bootstrapServers(),
                "group.id",
                "group-" + groupProtocol,
                "group.protocol",
                groupProtocol,
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed");
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            while (!values.contains(last)) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    values.add(record.value());
                }
            }
            consumer.commitSync();
        }
        return values;
    }
}
