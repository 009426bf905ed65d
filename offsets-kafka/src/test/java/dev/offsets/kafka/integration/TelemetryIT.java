package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.broker.LocalBroker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The metrics that the Kafka client pushes to brokers that ask for them. */
@Timeout(120)
class TelemetryIT {
    private static final List<String> PUSHED =
            List.of("status", "commit.lag.max", "incomplete.records.sum", "oldest.incomplete.age.ms.max");

    @TempDir
    Path directory;

    private static void ask(Admin admin) throws Exception {
        ConfigResource subscription = new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "offsets");
        Map<String, String> wanted = Map.of("metrics", "org.apache.kafka.tracked.consumer", "interval.ms", "200");
        List<AlterConfigOp> operations = wanted.entrySet().stream()
                .map(entry ->
                        new AlterConfigOp(new ConfigEntry(entry.getKey(), entry.getValue()), AlterConfigOp.OpType.SET))
                .toList();
        admin.incrementalAlterConfigs(Map.of(subscription, operations)).all().get();
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"CLASSIC_COOPERATIVE", "CONSUMER"})
    void theFewForOperators_arePushed(Protocol protocol) throws Exception {
        Path received = directory.resolve("received");
        Map<String, Object> config = new HashMap<>(protocol.configuration());
        try (LocalBroker broker = LocalBroker.builder()
                        .property("metric.reporters", TelemetryReceiver.class.getName())
                        .property(TelemetryReceiver.FILE, received)
                        .start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1)))
                    .all()
                    .get();
            ask(admin);
            config.put("bootstrap.servers", broker.bootstrapServers());
            config.put("group.id", "shop");
            try (TrackedConsumer<String, String> consumer = TrackedConsumer.<String, String>builder(config)
                    .deserializers(new StringDeserializer(), new StringDeserializer())
                    .build()) {
                consumer.subscribe(List.of("orders"));
                Await.until(
                        "metrics are pushed",
                        () -> consumer.poll(Duration.ofMillis(50)),
                        () -> Files.exists(received)
                                && Files.readString(received, StandardCharsets.ISO_8859_1)
                                        .contains("org.apache.kafka.tracked.consumer."));
            }
        }
        String text = Files.readString(received, StandardCharsets.ISO_8859_1);
        assertThat(PUSHED).allSatisfy(name -> assertThat(text).contains("org.apache.kafka.tracked.consumer." + name));
        assertThat(text).doesNotContain("org.apache.kafka.tracked.consumer.commits");
    }
}
