package dev.offsets.examples.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.examples.ChildJvm;
import dev.offsets.examples.ChildJvm.Ended;
import dev.offsets.kafka.broker.LocalBroker;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands as their users run them. */
@Timeout(180)
class ReplayCommandsIT {
    private static final int MANY = 100_000;
    private static final TopicPartition P0 = new TopicPartition("orders", 0);

    private static LocalBroker broker;
    private static Admin admin;

    @TempDir
    Path directory;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = LocalBroker.start();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
        admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1), new NewTopic("many", 1, (short) 1)))
                .all()
                .get();
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < 20; i++) {
                producer.send(new ProducerRecord<>("orders", i % 2, "key", "order " + i));
            }
            for (int i = 0; i < MANY; i++) {
                producer.send(new ProducerRecord<>("many", "key " + i % 100, "order " + i));
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

    private static String[] onTheBroker(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--bootstrap-server", broker.bootstrapServers()));
        all.addAll(List.of(arguments));
        return all.toArray(String[]::new);
    }

    private Ended groupReplay(String... arguments) throws Exception {
        return ChildJvm.run(directory, GroupReplayCommand.class, onTheBroker(arguments));
    }

    private static void commit(String group, long offset) throws Exception {
        admin.alterConsumerGroupOffsets(group, Map.of(P0, new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    private static Map<TopicPartition, Long> committed(String group) throws Exception {
        return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    @Test
    void plan_isPrinted_andAppliedWithExecuteAlone() throws Exception {
        commit("shop", 8);
        Ended planned = groupReplay("--group", "shop", "--to=-5");

        assertThat(planned.status()).isZero();
        assertThat(planned.lines().get(0)).isEqualTo("Group shop, Empty, read_uncommitted");
        assertThat(planned.lines().get(2).split(" {2,}"))
                .containsExactly("orders", "0", "8", "0", "10", "committed -5", "3", "5", "0");
        assertThat(planned.out()).contains("Nothing was changed: --execute applies it.");
        assertThat(committed("shop")).isEqualTo(Map.of(P0, 8L));

        Ended applied = groupReplay("--group", "shop", "--to=-5", "--execute");
        assertThat(applied.status()).isZero();
        assertThat(applied.out()).endsWith("Applied.\n");
        assertThat(committed("shop")).isEqualTo(Map.of(P0, 3L));
    }

    @Test
    void partitionsThatAreNamed_areMoved_andWhatCouldNotBeToldIsSaid() throws Exception {
        commit("some", 8);
        Ended ended = groupReplay("--group", "some", "--to", "committed", "--topic", "orders", "--execute");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out()).contains("the group has committed nothing for this partition");
        assertThat(committed("some")).isEqualTo(Map.of(P0, 8L));

        assertThat(groupReplay("--group", "some", "--to", "1h", "--topic", "orders:1", "--execute")
                        .status())
                .isZero();
        assertThat(committed("some")).isEqualTo(Map.of(P0, 8L, new TopicPartition("orders", 1), 0L));
    }

    @Test
    void oneRecord_isSkipped() throws Exception {
        commit("skipping", 4);
        assertThat(groupReplay("--group", "skipping", "--skip", "orders-0@4", "--execute")
                        .status())
                .isZero();
        assertThat(committed("skipping")).isEqualTo(Map.of(P0, 5L));

        Ended notTheNext = groupReplay("--group", "skipping", "--skip", "orders-0@7", "--execute");
        assertThat(notTheNext.status()).isEqualTo(2);
        assertThat(notTheNext.out()).contains("they would be skipped too: if they are to be, ask for offset 8");
        assertThat(notTheNext.err()).startsWith("Nothing was changed: the plan for group skipping has no target");
        assertThat(committed("skipping")).isEqualTo(Map.of(P0, 5L));
    }

    @Test
    void activeGroup_isRefused() throws Exception {
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers(), "group.id", "active"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            while (consumer.assignment().isEmpty()) {
                consumer.poll(Duration.ofMillis(50));
            }
            consumer.commitSync(Map.of(P0, new OffsetAndMetadata(5)));
            Ended ended = groupReplay("--group", "active", "--to", "earliest", "--execute");

            assertThat(ended.status()).isEqualTo(2);
            assertThat(ended.err()).startsWith("Nothing was changed: group active is Stable:");
            assertThat(committed("active")).containsEntry(P0, 5L);
        }
    }

    @Test
    void wrongArguments_areRefused() throws Exception {
        assertThat(groupReplay("--group", "shop", "--to", "yesterday"))
                .satisfies(ended -> assertThat(ended.status()).isEqualTo(2))
                .satisfies(ended -> assertThat(ended.err()).contains("'yesterday' is neither earliest"));
        assertThat(groupReplay("--group", "shop").err()).contains("--to=POINT | --skip=TOPIC-PARTITION@OFFSET");
        assertThat(groupReplay("--group", "shop", "--skip", "orders").err())
                .startsWith("--skip orders: must be one record, such as orders-3@1042");
        assertThat(groupReplay("--group", "shop", "--to", "earliest", "--isolation-level", "none")
                        .err())
                .startsWith("--isolation-level none: must be read_uncommitted or read_committed");
    }

    @Test
    void range_isPrinted_withoutAGroup() throws Exception {
        Ended ended = ChildJvm.run(
                directory, RangeReplayCommand.class, onTheBroker("--topic", "orders", "--from", "2", "--to", "5"));

        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.lines())
                .containsExactlyInAnyOrder(
                        "orders-0@2 key order 4",
                        "orders-0@3 key order 6",
                        "orders-0@4 key order 8",
                        "orders-1@2 key order 5",
                        "orders-1@3 key order 7",
                        "orders-1@4 key order 9");
        assertThat(ended.err()).contains("6 of 6 offsets (100 %)");
    }

    @Test
    void rangeThatWasDeletedMeanwhile_isSaidToBe_andTheNextRunGoesOnBehindIt() throws Exception {
        admin.createTopics(List.of(new NewTopic("short-lived", 1, (short) 1)))
                .all()
                .get();
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < 10; i++) {
                producer.send(new ProducerRecord<>("short-lived", "key", "order " + i));
            }
        }
        admin.deleteRecords(Map.of(new TopicPartition("short-lived", 0), RecordsToDelete.beforeOffset(8)))
                .all()
                .get();
        Path state = Files.writeString(directory.resolve("left"), "short-lived-0 = 3 10\n");
        String[] arguments = onTheBroker("--topic", "short-lived", "--state", state.toString());
        Ended stopped = ChildJvm.run(directory, RangeReplayCommand.class, arguments);

        assertThat(stopped.status()).isEqualTo(1);
        assertThat(stopped.err())
                .contains("Stopped before the end: ")
                .contains("short-lived-0: the records from 3 up to 8, where the log begins now, were deleted");
        assertThat(Files.readString(state)).contains("short-lived-0=8 10");
        Ended rest = ChildJvm.run(directory, RangeReplayCommand.class, arguments);
        assertThat(rest.status()).isZero();
        assertThat(rest.lines()).containsExactly("short-lived-0@8 key order 8", "short-lived-0@9 key order 9");
    }

    @Test
    void interrupted_goesOnWithWhatItsFileSaysIsLeft() throws Exception {
        Path state = directory.resolve("state");
        Set<String> printed = new HashSet<>();
        Process process = ChildJvm.command(
                        RangeReplayCommand.class, onTheBroker("--topic", "many", "--state", state.toString()))
                .redirectError(directory.resolve("first").toFile())
                .start();
        try (BufferedReader output = process.inputReader()) {
            printed.add(output.readLine());
            process.toHandle().destroy();
            output.lines().forEach(printed::add);
        } finally {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        assertThat(printed.size()).as("was interrupted").isLessThan(MANY);
        assertThat(Files.readString(state)).containsPattern("many-0=\\d+ " + MANY);

        Ended rest = ChildJvm.run(
                directory, RangeReplayCommand.class, onTheBroker("--topic", "many", "--state", state.toString()));
        printed.addAll(rest.lines());
        assertThat(printed)
                .isEqualTo(IntStream.range(0, MANY)
                        .mapToObj(i -> "many-0@" + i + " key " + i % 100 + " order " + i)
                        .collect(Collectors.toSet()));
        assertThat(Files.readString(state)).contains("many-0=" + MANY + " " + MANY);
    }
}
