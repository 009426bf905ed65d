package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.ResumeMap;
import dev.offsets.kafka.TrackedRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class RestartIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void restart_beginsAtTheLowestUnfinishedRecord(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 100);
        Member first =
                kafka.member(protocol).policy(CommitPolicy.batched(1_000)).subscribe();
        first.receive(100);
        for (TrackedRecord<String, String> record : first.received()) {
            if (record.offset() < 42 || record.offset() > 50) {
                record.complete();
            }
        }
        first.close();
        assertThat(kafka.committed(0)).isEqualTo(42);

        Member second = kafka.member(protocol).subscribe().completeAll();

        second.until("committed is the end", () -> Long.valueOf(100).equals(kafka.committed(0)));
        assertThat(second.receivedOffsets(kafka.partition(0)))
                .containsExactlyElementsOf(LongStream.range(42, 100).boxed().toList());
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void restart_whenAllHadFinished_beginsAtTheEnd(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member first = kafka.member(protocol)
                .policy(CommitPolicy.batched(1_000))
                .subscribe()
                .completeAll();
        first.receive(10);
        first.close();
        assertThat(kafka.committed(0)).isEqualTo(10);
        kafka.produce(0, 3);

        Member second = kafka.member(protocol).subscribe().completeAll();

        second.until("committed is the end", () -> Long.valueOf(13).equals(kafka.committed(0)));
        assertThat(second.receivedOffsets(kafka.partition(0))).containsExactly(10L, 11L, 12L);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void crash_losesNothing_andRepeatsOnlyWhatWasNotCommitted(Protocol protocol) throws Exception {
        int partitions = 3;
        int records = 3_000;
        kafka.createTopic(partitions);
        for (int partition = 0; partition < partitions; partition++) {
            kafka.produce(partition, records);
        }
        letDeadMembersGoAfterThreeSeconds();
        Path finishes = directory.resolve("finishes");
        Map<String, Object> configuration = kafka.configuration(protocol);
        if (protocol != Protocol.CONSUMER) {
            configuration.put("session.timeout.ms", "3000");
        }

        Process child = startChild(configuration, finishes, 2_500, false);
        try {
            Await.until(
                    "in mid-stream",
                    () -> Files.exists(finishes)
                            && Files.size(finishes) > 4_000 * "0 1000\n".length()
                            && kafka.committed().size() == partitions
                            && kafka.committed().values().stream().allMatch(offset -> offset > 500));
            assertThat(child.isAlive()).isTrue();
        } catch (AssertionError e) {
            e.addSuppressed(new AssertionError("the child's log:\n" + Files.readString(childLog())));
            throw e;
        } finally {
            child.destroyForcibly().waitFor();
        }

        Map<TopicPartition, Set<Long>> finished = finished(finishes);
        Member second = kafka.member(protocol).subscribe().completeAll();
        Map<TopicPartition, Long> ends = kafka.ends(partitions);
        second.until("committed is the end", () -> kafka.committed().equals(ends));
        for (TopicPartition partition : ends.keySet()) {
            List<Long> again = second.receivedOffsets(partition);
            long start = again.get(0);
            // Started where the crash had left the committed offset, with nothing below that was not finished
            assertThat(start).isBetween(500L, 2_500L);
            assertThat(finished.get(partition))
                    .containsAll(LongStream.range(0, start).boxed().toList())
                    .doesNotContain(2_500L);
            assertThat(again)
                    .containsExactlyElementsOf(
                            LongStream.range(start, records).boxed().toList());
        }
        assertThat(finished.values().stream().flatMap(Collection::stream).distinct())
                .as("work was out of order")
                .anyMatch(offset -> offset > 2_500);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void crashWithResumeMaps_repeatsOnlyWhatTheStoredMapDoesNotName(Protocol protocol) throws Exception {
        long stuck = 100;
        int records = 52_000;
        kafka.createTopic(1);
        kafka.produce(0, records);
        letDeadMembersGoAfterThreeSeconds();
        Path finishes = directory.resolve("finishes");
        Map<String, Object> configuration = kafka.configuration(protocol);
        if (protocol != Protocol.CONSUMER) {
            configuration.put("session.timeout.ms", "3000");
        }

        Process child = startChild(configuration, finishes, stuck, true);
        try {
            Await.until(
                    "50,000 are done beyond, and stored",
                    () -> kafka.storedMap(0).finishedRecords() >= 50_000);
            assertThat(child.isAlive()).isTrue();
        } catch (AssertionError e) {
            e.addSuppressed(new AssertionError("the child's log:\n" + Files.readString(childLog())));
            throw e;
        } finally {
            child.destroyForcibly().waitFor();
        }

        ResumeMap map = kafka.storedMap(0);
        Set<Long> finished = finished(finishes).get(kafka.partition(0));
        Member second = kafka.member(protocol)
                .set(builder -> builder.admin(kafka.admin()).resumeMaps())
                .subscribe()
                .completeAll();
        second.until("committed is the end", () -> Long.valueOf(records).equals(kafka.committed(0)));

        assertThat(map.base()).isEqualTo(stuck);
        assertThat(second.receivedOffsets(kafka.partition(0)))
                .hasSizeLessThan(records - 50_000)
                .containsExactlyElementsOf(LongStream.range(stuck, records)
                        .filter(offset -> !map.isFinished(offset, 0))
                        .boxed()
                        .toList());
        assertThat(LongStream.range(stuck, records)
                        .filter(offset -> map.isFinished(offset, 0) && !finished.contains(offset)))
                .as("left out, and not finished")
                .isEmpty();
    }

    private Path childLog() {
        return directory.resolve("child.log");
    }

    private void letDeadMembersGoAfterThreeSeconds() throws Exception {
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, kafka.group());
        kafka.admin()
                .incrementalAlterConfigs(Map.of(
                        group,
                        List.of(
                                set("consumer.session.timeout.ms", "3000"),
                                set("consumer.heartbeat.interval.ms", "200"))))
                .all()
                .get();
    }

    private static AlterConfigOp set(String name, String value) {
        return new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    }

    private Process startChild(Map<String, Object> configuration, Path finishes, long neverFinished, boolean maps)
            throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MortalConsumer.class.getName(),
                        kafka.topic(),
                        finishes.toString(),
                        Long.toString(neverFinished),
                        Boolean.toString(maps))
                .redirectErrorStream(true)
                .redirectOutput(childLog().toFile())
                .start();
        MortalConsumer.send(configuration, child.getOutputStream());
        return child;
    }

    private Map<TopicPartition, Set<Long>> finished(Path finishes) throws Exception {
        Map<TopicPartition, Set<Long>> finished = new HashMap<>();
        for (String line : Files.readAllLines(finishes)) {
            String[] words = line.split(" ");
            finished.computeIfAbsent(kafka.partition(Integer.parseInt(words[0])), partition -> new HashSet<>())
                    .add(Long.parseLong(words[1]));
        }
        return finished;
    }
}
