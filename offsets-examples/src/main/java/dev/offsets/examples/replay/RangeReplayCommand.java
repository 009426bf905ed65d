package dev.offsets.examples.replay;

import dev.offsets.examples.ClusterOptions;
import dev.offsets.kafka.RangeReplay;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.ReplayPoint;
import dev.offsets.kafka.ReplayRange;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Reads a range of a topic again and prints its records, on a pool of workers, outside of any group. With a file to keep in
 * what is left, it can be interrupted (Ctrl-C, SIGTERM) and goes on where it was.
 */
@Command(
        name = "range-replay",
        description =
                "Prints the records of a range of a topic, outside of any group. Each key's records stay in order.",
        footer =
                "Exit status: 0 when all of it was printed, or it was interrupted; 1 when it stopped before, and says why.")
public final class RangeReplayCommand implements Callable<Integer> {
    private static final int BEFORE_THE_END = 1;
    private static final int CONCURRENCY = 16;
    private static final Duration BETWEEN_PROGRESS = Duration.ofSeconds(1);

    @Mixin
    private ClusterOptions cluster;

    @Option(
            names = "--topic",
            paramLabel = "TOPIC[:PARTITION,...]",
            required = true,
            description = "A topic, or some of its partitions; can be given again.")
    private List<String> topics;

    @Option(
            names = "--from",
            paramLabel = "POINT",
            converter = PointConverter.class,
            description =
                    "The first record: earliest (default), an offset, a moment (2026-11-29T10:15:30Z), a time ago (2h).")
    private ReplayPoint from = ReplayPoint.earliest();

    @Option(
            names = "--to",
            paramLabel = "POINT",
            converter = PointConverter.class,
            description = "Up to this record, and not with it; latest by default: the end as it is now.")
    private ReplayPoint to = ReplayPoint.latest();

    @Option(
            names = "--state",
            paramLabel = "FILE",
            description = "Keeps what is left of the range here, and goes on with that if the file is there.")
    private Path state;

    @Option(names = "--help", usageHelp = true, description = "Print this text.")
    private boolean help;

    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean running = true;

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new RangeReplayCommand())
                .setExecutionExceptionHandler((exception, commandLine, parsed) -> stopped(exception))
                .execute(args));
    }

    private static int stopped(Exception exception) {
        boolean wraps = exception instanceof ExecutionException;
        System.err.println("Stopped before the end: " + (wraps ? exception.getCause() : exception));
        return BEFORE_THE_END;
    }

    @Override
    public Integer call() throws Exception {
        ReplayRange range = state != null && Files.exists(state) ? load() : request();
        System.err.print(range.toTable());
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
        try {
            replay(range);
        } finally {
            ended.countDown();
        }
        return CommandLine.ExitCode.OK;
    }

    private void replay(ReplayRange range) throws IOException {
        ExecutorService workers = Executors.newFixedThreadPool(CONCURRENCY);
        Map<String, Object> config = cluster.configuration();
        config.put("isolation.level", cluster.isolationLevel().toString().toLowerCase(Locale.ROOT));
        RangeReplay<String, String> replay =
                RangeReplay.open(config, range, new StringDeserializer(), new StringDeserializer());
        try (replay) {
            RecordProcessor<String, String> processor =
                    replay.processor(workers, CONCURRENCY).orderedByKey().handle(RangeReplayCommand::print);
            long toldAtNanos = System.nanoTime();
            while (running && !replay.isDone()) {
                processor.process(replay.poll(Duration.ofMillis(100)));
                if (System.nanoTime() - toldAtNanos >= BETWEEN_PROGRESS.toNanos()) {
                    System.err.println(replay.progress().toLine());
                    toldAtNanos = System.nanoTime();
                }
            }
        } finally {
            workers.shutdown();
            System.err.println(replay.progress().toLine());
            save(replay.remaining());
        }
    }

    private static void print(ConsumerRecord<String, String> record) {
        System.out.println(record.topic() + "-" + record.partition() + "@" + record.offset() + " " + record.key() + " "
                + record.value());
    }

    /** Asks the loop to end, and waits for it: the JVM is gone as soon as all hooks have returned. */
    private void stop() {
        running = false;
        try {
            ended.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ReplayRange request() throws Exception {
        try (Admin admin = Admin.create(cluster.configuration())) {
            return ReplayRange.request(admin, Partitions.of(admin, topics), from, to, cluster.isolationLevel())
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    // What is left, in a file: one line for each partition, "orders-0 = 42 1000".

    private void save(ReplayRange remaining) throws IOException {
        if (state == null) {
            return;
        }
        Properties lines = new Properties();
        for (ReplayRange.Part part : remaining.parts()) {
            lines.setProperty(
                    part.topicPartition().toString(),
                    part.from().offset().getAsLong() + " " + part.to().offset().getAsLong());
        }
        try (Writer writer = Files.newBufferedWriter(state)) {
            lines.store(writer, "What is left of a range to read again: from and to");
        }
    }

    private ReplayRange load() throws IOException {
        Properties lines = new Properties();
        try (Reader reader = Files.newBufferedReader(state)) {
            lines.load(reader);
        }
        Map<TopicPartition, Long> starts = new HashMap<>();
        Map<TopicPartition, Long> ends = new HashMap<>();
        for (String name : lines.stringPropertyNames()) {
            int dash = name.lastIndexOf('-');
            TopicPartition partition =
                    new TopicPartition(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)));
            String[] offsets = lines.getProperty(name).split(" ");
            starts.put(partition, Long.parseLong(offsets[0]));
            ends.put(partition, Long.parseLong(offsets[1]));
        }
        return ReplayRange.between(starts, ends);
    }
}
