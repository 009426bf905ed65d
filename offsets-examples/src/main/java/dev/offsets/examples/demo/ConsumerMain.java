package dev.offsets.examples.demo;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The consumer's own process. It prints where it stands, five times a second, and stops in good order at the end of its
 * standard input, which is also what it sees when its parent dies.
 */
final class ConsumerMain {
    private static final int WORKER_THREADS = 32;
    private static final long STATUS_INTERVAL_MILLIS = 200;

    private ConsumerMain() {}

    /** Arguments: consumer properties, topic, journal, id of the slow record, its milliseconds, one of {@link Commits}. */
    public static void main(String[] args) throws Exception {
        Map<String, Object> config = read(Path.of(args[0]));
        String topic = args[1];
        try (Journal journal = new Journal(Path.of(args[2]))) {
            Handler handler = new SimulatedWork(journal, Long.parseLong(args[3]), Long.parseLong(args[4]));
            Commits commits = Commits.valueOf(args[5]);
            ConsumerLoop loop = commits == Commits.AUTO_COMMIT
                    ? new AutoCommitLoop(config, topic, WORKER_THREADS, handler)
                    : new TrackedLoop(config, topic, WORKER_THREADS, handler, commits == Commits.WITH_MAPS);
            daemon("status", () -> printStatus(loop));
            daemon("parent", () -> stopAtEndOfInput(loop));
            loop.run();
        }
    }

    private static Map<String, Object> read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        Map<String, Object> config = new HashMap<>();
        properties.forEach((name, value) -> config.put((String) name, value));
        return config;
    }

    private static void printStatus(ConsumerLoop loop) {
        try {
            while (true) {
                loop.status().forEach(status -> System.out.println(status.toLine()));
                Thread.sleep(STATUS_INTERVAL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void stopAtEndOfInput(ConsumerLoop loop) {
        try {
            System.in.readAllBytes();
        } catch (IOException e) {
            // As good as the end
        }
        loop.stop();
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
