package dev.offsets.examples.demo;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** The demo's story: fill the topic, process it, kill the consumer in the middle, start it again, and judge. */
final class CrashTest {
    private static final double KILLED_AFTER = 0.45;
    private static final Duration SLOW_AT_FIRST = Duration.ofMinutes(10);
    private static final Duration SLOW_WHEN_TRIED_AGAIN = Duration.ofSeconds(3);
    /** The shortest that a broker allows by default. */
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

    private final Cluster cluster;
    private final Commits commits;
    private final Console console;

    CrashTest(Cluster cluster, Commits commits, Console console) {
        this.cluster = cluster;
        this.commits = commits;
        this.console = console;
    }

    Verdict run(int records) throws IOException, InterruptedException, ExecutionException {
        List<Produced> produced = new RecordSource(cluster).produce(records);
        int expected = (int) produced.stream().filter(Produced::committed).count();
        console.step(
                "produced %,d records to %d partitions: %,d to be processed, %,d in aborted transactions",
                records, Cluster.PARTITIONS, expected, records - expected);
        Produced slow = slowOne(produced);
        Observer observer = new Observer(cluster, console, expected);
        Path directory = Files.createTempDirectory("offsets-demo-");
        directory.toFile().deleteOnExit();
        Path config = writeConsumerConfig(directory);

        console.step("processing, commits by %s; %s hangs", commits, slow);
        Path journal = directory.resolve("first");
        boolean killedAsPlanned;
        try (ConsumerProcess first = start(config, journal, slow, SLOW_AT_FIRST)) {
            killedAsPlanned =
                    observer.follow(first, new JournalReader(journal, 1), () -> isTheMomentToKill(observer, slow));
            first.kill();
        }
        Map<Integer, GroupOffset> atKill = cluster.offsets();
        observer.readRest();
        console.step(
                killedAsPlanned
                        ? "killed the consumer (SIGKILL) when %,d records were processed"
                        : "the consumer stopped by itself, or got no further than %,d records",
                observer.processedRecords());

        console.step(
                "starting it again, %s now takes %d s; the group first waits %d s for the one that was killed",
                slow, SLOW_WHEN_TRIED_AGAIN.toSeconds(), SESSION_TIMEOUT.toSeconds());
        journal = directory.resolve("second");
        boolean endedAsPlanned;
        try (ConsumerProcess second = start(config, journal, slow, SLOW_WHEN_TRIED_AGAIN)) {
            endedAsPlanned = observer.follow(second, new JournalReader(journal, 2), observer::allIsCommitted);
            endedAsPlanned &= second.stop();
        }
        Map<Integer, GroupOffset> atEnd = cluster.offsets();
        observer.readRest();
        console.step("stopped the consumer when %,d records were processed", observer.processedRecords());

        Verdict verdict =
                Verdict.of(produced, observer.processed(), slow, atKill, atEnd, killedAsPlanned && endedAsPlanned);
        console.print(Report.describe(cluster.group(), cluster.topic(), atEnd));
        console.print(Report.of(verdict));
        return verdict;
    }

    /** A record of the first partition that is read early on. */
    private static Produced slowOne(List<Produced> produced) {
        return produced.stream()
                .skip(produced.size() / 10)
                .filter(record -> record.committed() && record.partition() == 0)
                .findFirst()
                .orElseThrow();
    }

    /**
     * In the middle of the work, with records finished beyond the slow one; and, with auto-commit, when the slow one is
     * committed although it is not finished.
     */
    private boolean isTheMomentToKill(Observer observer, Produced slow) {
        boolean committed = !observer.offsets().get(slow.partition()).readsAgain(slow.offset());
        return observer.processedShare() >= KILLED_AFTER
                && (committed || commits != Commits.AUTO_COMMIT)
                && observer.processed().stream()
                        .anyMatch(entry -> entry.partition() == slow.partition() && entry.offset() > slow.offset());
    }

    private ConsumerProcess start(Path config, Path journal, Produced slow, Duration slowFor) throws IOException {
        journal.toFile().deleteOnExit();
        return new ConsumerProcess(List.of(
                config.toString(),
                cluster.topic(),
                journal.toString(),
                Long.toString(slow.id()),
                Long.toString(slowFor.toMillis()),
                commits.name()));
    }

    private Path writeConsumerConfig(Path directory) throws IOException {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, cluster.group());
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, Long.toString(SESSION_TIMEOUT.toMillis()));
        settings.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "1000");
        // Small fetches, so that the partitions take turns
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "32768");
        Properties properties = new Properties();
        properties.putAll(cluster.clientConfig(settings));
        Path file = directory.resolve("consumer.properties");
        file.toFile().deleteOnExit();
        try (Writer writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        }
        return file;
    }
}
