package dev.offsets.kafka.integration;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedConsumerBuilder;
import dev.offsets.kafka.TrackedRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a process that is to be killed: consumes on a pool, out of order, and writes each record's partition
 * and offset to a file before it reports the record as completed. One record of each partition never finishes.
 */
final class MortalConsumer {
    private static final Duration LONGEST_LIFE = Duration.ofSeconds(60);

    private static final int LONGEST_WORK_NANOS = 4_000_000;

    private MortalConsumer() {}

    /**
     * Takes the topic, the file, the offset that never finishes, and whether to store resume maps, and then to do the work
     * without delay; the consumer's configuration on standard input.
     */
    public static void main(String[] args) throws IOException {
        Properties configuration = new Properties();
        configuration.load(System.in);
        Map<String, Object> map = new HashMap<>();
        configuration.forEach((name, value) -> map.put((String) name, value));
        long neverFinished = Long.parseLong(args[2]);
        boolean maps = Boolean.parseBoolean(args[3]);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try (FileChannel finishes =
                        FileChannel.open(Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                TrackedConsumer<String, String> consumer = builder(map, maps).build()) {
            consumer.subscribe(List.of(args[0]));
            long start = System.nanoTime();
            while (System.nanoTime() - start < LONGEST_LIFE.toNanos()) {
                for (TrackedRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                    if (record.offset() != neverFinished) {
                        pool.execute(() -> handle(record, finishes, maps ? 0 : LONGEST_WORK_NANOS));
                    }
                }
            }
        }
        System.exit(1);
    }

    private static TrackedConsumerBuilder<String, String> builder(Map<String, Object> configuration, boolean maps) {
        TrackedConsumerBuilder<String, String> builder =
                TrackedConsumer.<String, String>builder(configuration).commitPolicy(CommitPolicy.afterProcessing());
        return maps
                ? builder.ownAdmin()
                        .resumeMaps()
                        .resumeMapEvery(Duration.ofMillis(500))
                        .maxInFlightPerPartition(100_000)
                : builder;
    }

    private static void handle(TrackedRecord<String, String> record, FileChannel finishes, int longestNanos) {
        LockSupport.parkNanos(new Random(record.offset()).nextInt(longestNanos + 1));
        String line = record.partition() + " " + record.offset() + "\n";
        try {
            finishes.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        record.complete();
    }

    /** Sends a configuration to a process that runs {@link #main}. */
    static void send(Map<String, ?> configuration, OutputStream input) throws IOException {
        Properties properties = new Properties();
        properties.putAll(configuration);
        try (input) {
            properties.store(input, null);
        }
    }
}
