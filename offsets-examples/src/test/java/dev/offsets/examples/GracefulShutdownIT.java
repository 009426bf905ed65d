package dev.offsets.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.broker.LocalBroker;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class GracefulShutdownIT {
    private static final String TOPIC = "orders";
    private static final String GROUP = "shop";
    private static final int RECORDS = 5_000;

    @Test
    void terminated_allThatWasHandledIsCommitted_andTheGroupIsEmpty() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
            produce(broker);

            Process process = start(broker);
            Set<String> handled = new HashSet<>();
            try (BufferedReader output = process.inputReader()) {
                handled.add(output.readLine());
                // The handle's way leaves the output open
                process.toHandle().destroy();
                output.lines().forEach(handled::add);
            } finally {
                if (!process.waitFor(60, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }

            long committed = admin.listConsumerGroupOffsets(GROUP)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .get(new TopicPartition(TOPIC, 0))
                    .offset();
            assertThat(handled).hasSize((int) committed).allMatch(line -> line.startsWith("handled " + TOPIC));
            assertThat(admin.describeConsumerGroups(List.of(GROUP))
                            .describedGroups()
                            .get(GROUP)
                            .get()
                            .members())
                    .isEmpty();
        }
    }

    private static void produce(LocalBroker broker) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(TOPIC, "order " + i));
            }
        }
    }

    private static Process start(LocalBroker broker) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        GracefulShutdown.class.getName(),
                        broker.bootstrapServers(),
                        TOPIC,
                        GROUP)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
