package dev.offsets.examples.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.offsets.CommitPolicy;
import dev.offsets.examples.ChildJvm;
import dev.offsets.examples.ChildJvm.Ended;
import dev.offsets.examples.replay.GroupReplayCommand;
import dev.offsets.kafka.GroupReport;
import dev.offsets.kafka.PartitionStatus;
import dev.offsets.kafka.StatusThresholds;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.broker.LocalBroker;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command as its users run it, beside Kafka's own tool for the same group at the same time. */
@Timeout(180)
class GroupReportCommandIT {
    private static final ObjectMapper PARSER = new ObjectMapper();
    private static final TopicPartition P0 = new TopicPartition("orders", 0);

    private static LocalBroker broker;
    private static Admin admin;

    @TempDir
    Path directory;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = LocalBroker.start();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
        admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1))).all().get();
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < 17; i++) {
                producer.send(new ProducerRecord<>("orders", i < 10 ? 0 : 1, null, "order " + i));
            }
        }
    }

    @AfterAll
    static void stopBroker() {
        if (admin != null) {
            admin.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    private static void commit(String group, TopicPartition partition, long offset) throws Exception {
        admin.alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    private static String[] onTheBroker(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--bootstrap-server", broker.bootstrapServers()));
        all.addAll(List.of(arguments));
        return all.toArray(String[]::new);
    }

    private Ended run(Class<?> main, String... arguments) throws Exception {
        return ChildJvm.run(directory, main, onTheBroker(arguments));
    }

    private Ended report(String... arguments) throws Exception {
        return run(GroupReportCommand.class, arguments);
    }

    /** What Kafka's tool says, as topic-partition to its words by the names of its columns. */
    private Map<String, Map<String, String>> kafkasReport(String group) throws Exception {
        Ended ended = run(ConsumerGroupCommand.class, "--describe", "--group", group);
        List<String[]> rows = ended.lines().stream()
                .filter(line -> !line.isBlank())
                .map(line -> line.trim().split("\\s+"))
                .toList();
        int header = 0;
        while (!rows.get(header)[0].equals("GROUP")) {
            header++;
        }
        Map<String, Map<String, String>> report = new TreeMap<>();
        for (String[] row : rows.subList(header + 1, rows.size())) {
            Map<String, String> words = new TreeMap<>();
            for (int i = 0; i < row.length; i++) {
                words.put(rows.get(header)[i], row[i]);
            }
            report.put(words.get("TOPIC") + "-" + words.get("PARTITION"), words);
        }
        return report;
    }

    private static String orDash(JsonNode node) {
        return node.isNull() ? "-" : node.asText();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void sameGroupAtTheSameTime_saysWhatKafkasToolSays(String protocol) throws Exception {
        String group = "shop-" + protocol;
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "group.id",
                        group,
                        "client.id",
                        "till-1",
                        "group.protocol",
                        protocol,
                        "enable.auto.commit",
                        "false",
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            for (int read = 0; read < 17; ) {
                read += consumer.poll(Duration.ofMillis(100)).count();
            }
            consumer.commitSync(Map.of(P0, new OffsetAndMetadata(2)));

            Map<String, Map<String, String>> kafkas = kafkasReport(group);
            Ended ours = report("--group", group, "--json");
            JsonNode json = PARSER.readTree(ours.out());

            assertThat(ours.status()).isZero();
            assertThat(json.get("state").asText()).isEqualTo("Stable");
            assertThat(kafkas).containsOnlyKeys("orders-0", "orders-1");
            assertThat(json.get("partitions")).hasSize(2);
            for (JsonNode partition : json.get("partitions")) {
                Map<String, String> theirs = kafkas.get(partition.get("topic").asText() + "-"
                        + partition.get("partition").asText());
                assertThat(orDash(partition.get("committedOffset"))).isEqualTo(theirs.get("CURRENT-OFFSET"));
                assertThat(orDash(partition.get("highWatermark"))).isEqualTo(theirs.get("LOG-END-OFFSET"));
                assertThat(orDash(partition.get("commitLag"))).isEqualTo(theirs.get("LAG"));
                assertThat(partition.get("owner").asText())
                        .isEqualTo(theirs.get("CLIENT-ID") + "@"
                                + theirs.get("HOST").replace("/", ""));
            }
            assertThat(kafkas.get("orders-0")).containsEntry("LAG", "8");
        }
    }

    @Test
    void committedBelowTheLogStartOrBeyondTheEnd_isWhereKafkasToolMisleads() throws Exception {
        commit("lost", P0, 1_000);
        assertThat(kafkasReport("lost").get("orders-0")).containsEntry("LAG", "-990");

        Ended ours = report("--group", "lost");
        assertThat(ours.status()).isEqualTo(1);
        assertThat(ours.out())
                .contains("orders-0 INVALID_COMMIT: offset 1000 is beyond the end of the log, 10:")
                .contains("--group lost --topic orders:0 --to earliest --execute");
    }

    @Test
    void internalTopicsAreMarked_andTheQuorumIsShownApart() throws Exception {
        commit("watcher", new TopicPartition("__consumer_offsets", 0), 0);
        String table = report("--group", "watcher", "--quorum").out();
        assertThat(table).contains("__consumer_offsets (internal)");
        String quorum = table.substring(table.indexOf("Metadata quorum"));
        assertThat(quorum.lines().toList().get(0))
                .startsWith(
                        "Metadata quorum (the cluster's control plane, apart from any consumer's lag): leader 1, epoch ");
        assertThat(quorum.lines().toList().get(1).split("\\s+"))
                .containsExactly("REPLICA", "ROLE", "LOG-END", "REPLICA-LAG", "LAST-CAUGHT-UP");
        assertThat(quorum.lines().toList().get(2)).matches("1 +leader +\\d+ +0 +.*");
        assertThat(report("--group", "watcher").out()).doesNotContain("quorum");

        List<String> json = report("--group", "watcher", "--quorum", "--json").lines();
        assertThat(json).hasSize(2);
        assertThat(PARSER.readTree(json.get(0))
                        .get("partitions")
                        .get(0)
                        .get("internal")
                        .booleanValue())
                .isTrue();
        JsonNode quorumJson = PARSER.readTree(json.get(1)).get("metadataQuorum");
        assertThat(quorumJson.get("leader").intValue()).isEqualTo(1);
        assertThat(quorumJson.get("highWatermark").longValue()).isPositive();
        assertThat(quorumJson.get("replicas").get(0).get("replicaLag").longValue())
                .isZero();
    }

    @Test
    void oneLine_isForLogs() throws Exception {
        commit("lined", P0, 3);
        Ended ended = report("--group", "lined", "--line", "--quorum");

        assertThat(ended.status()).isZero();
        assertThat(ended.lines()).hasSize(2);
        assertThat(ended.lines().get(0)).isEqualTo("group lined: UNKNOWN, 1 partition, commit lag 7 offsets");
        assertThat(ended.lines().get(1))
                .matches("metadata quorum: leader 1, epoch \\d+, high watermark \\d+, largest replica lag 0");
    }

    /** As somebody does who has nothing but what is printed. */
    @Test
    void recordThatHoldsItsPartitionBack_isFoundInTheReport_andWhatThatSaysGetsPastIt() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        ExecutorService workers = Executors.newFixedThreadPool(4);
        String report;
        try (var consumer = tracked("blocked")) {
            consumer.subscribe(List.of("orders"));
            var processor = consumer.processor(workers, 4).handle(record -> {
                if (record.partition() == 0 && record.offset() == 4) {
                    hanging.await();
                }
            });
            GroupReport last = consumer.report();
            while (last.status().kind() != PartitionStatus.Kind.BLOCKED || committed("blocked") != 4) {
                processor.process(consumer.poll(Duration.ofMillis(50)));
                last = consumer.report();
            }
            report = last.toTable();
            Ended outside = report("--group", "blocked");
            assertThat(kafkasReport("blocked").get("orders-0"))
                    .containsEntry("CURRENT-OFFSET", "4")
                    .containsEntry("LAG", "6");
            assertThat(outside.lines().get(2)).matches("orders +0 +OK +0 +4 +10 +10 +6( +-)? +till-1@127.0.0.1");
            assertThat(outside.out())
                    .contains("COMMITTED is the next record to be done")
                    .contains("Whether COMMITTED moves, --watch tells.");
            consumer.close(Duration.ofMillis(100));
        } finally {
            hanging.countDown();
            workers.shutdown();
        }
        assertThat(report).contains("orders-0 BLOCKED: the record at offset 4 ").contains("CountDownLatch.await");
        String advice = report.lines()
                .map(String::strip)
                .filter(line -> line.startsWith("group-replay "))
                .findFirst()
                .orElseThrow();
        String[] arguments = advice.replace("group-replay ", "")
                .replace("...", broker.bootstrapServers())
                .split(" ");
        Ended skipped = ChildJvm.run(directory, GroupReplayCommand.class, arguments);

        assertThat(skipped.status()).as(skipped.err()).isZero();
        assertThat(committed("blocked")).isEqualTo(5);
    }

    private static TrackedConsumer<String, String> tracked(String group) {
        return TrackedConsumer.<String, String>builder(Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "group.id",
                        group,
                        "client.id",
                        "till-1",
                        "auto.offset.reset",
                        "earliest"))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .commitPolicy(CommitPolicy.afterProcessing())
                .lookEvery(Duration.ofMillis(50))
                .statusThresholds(StatusThresholds.DEFAULTS.withBlockedAfter(Duration.ofMillis(300)))
                .build();
    }

    /** Of the first partition; -1 when that is nothing. */
    private static long committed(String group) throws Exception {
        OffsetAndMetadata offset = admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get()
                .get(P0);
        return offset == null ? -1 : offset.offset();
    }

    @Test
    void groupThatIsNotThere_isSaid() throws Exception {
        Ended ended = report("--group", "nobody");

        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).contains("There is no consumer group nobody.");
    }

    @Test
    void wrongArguments_areRefused() throws Exception {
        assertThat(report("--group", "shop", "--isolation-level", "serializable"))
                .satisfies(ended -> assertThat(ended.status()).isEqualTo(2))
                .satisfies(ended -> assertThat(ended.err())
                        .startsWith("--isolation-level serializable: must be read_uncommitted or read_committed"));
        assertThat(report("--group", "shop", "--watch", "0").err()).startsWith("--watch 0: must be 1 or more");
        assertThat(report("--group", "shop", "--command-config", "/no/such/file"))
                .satisfies(ended -> assertThat(ended.status()).isEqualTo(2))
                .satisfies(ended -> assertThat(ended.err()).contains("NoSuchFileException: /no/such/file"));
    }

    @Test
    void commandConfig_reachesTheClient() throws Exception {
        commit("configured", P0, 3);
        Path config = Files.writeString(directory.resolve("client.properties"), "security.protocol=NO_SUCH\n");

        Ended ended = report("--group", "configured", "--command-config", config.toString());
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).contains("NO_SUCH");
    }

    @Test
    void watch_printsAgainAndAgain() throws Exception {
        commit("watched", P0, 3);
        Process process = ChildJvm.command(
                        GroupReportCommand.class, onTheBroker("--group", "watched", "--json", "--watch", "1"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = process.inputReader()) {
            JsonNode first = PARSER.readTree(output.readLine());
            assertThat(first.get("partitions").get(0).get("commitLag").longValue())
                    .isEqualTo(7);
            commit("watched", P0, 5);
            JsonNode next = PARSER.readTree(output.readLine());
            while (next.get("partitions").get(0).get("commitLag").longValue() == 7) {
                next = PARSER.readTree(output.readLine());
            }
            assertThat(next.get("partitions").get(0).get("commitLag").longValue())
                    .isEqualTo(5);
        } finally {
            process.destroyForcibly();
        }
    }
}
