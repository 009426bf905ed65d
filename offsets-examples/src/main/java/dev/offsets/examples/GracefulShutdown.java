package dev.offsets.examples;

import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Ends cleanly when the JVM is told to (SIGTERM, Ctrl-C): what runs is waited for, what finished is committed, and the
 * group knows at once that this member has gone.
 *
 * <p>The shutdown hook only asks the loop to end, and waits for it: the consumer belongs to the loop's thread, and the JVM
 * is gone as soon as all hooks have returned.
 */
public final class GracefulShutdown {
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(10);

    private final ExecutorService workers = Executors.newFixedThreadPool(16);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean running = true;

    /** Arguments: bootstrap servers, topic, group. */
    public static void main(String[] args) {
        new GracefulShutdown()
                .run(
                        Map.of("bootstrap.servers", args[0], "group.id", args[2], "auto.offset.reset", "earliest"),
                        args[1]);
    }

    private void run(Map<String, Object> config, String topic) {
        try (var consumer = TrackedConsumer.<String, String>builder(config)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .drainTimeout(DRAIN_TIMEOUT)
                .build()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(consumer)));
            consumer.subscribe(List.of(topic));
            while (running) {
                for (TrackedRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    workers.execute(() -> process(record));
                }
            }
        } catch (WakeupException e) {
            // The hook has asked us to end, and the consumer has been closed by now
        } finally {
            workers.shutdown();
            ended.countDown();
        }
    }

    private void stop(TrackedConsumer<?, ?> consumer) {
        running = false;
        consumer.wakeup();
        try {
            // Longer than the wait for running work, so that the last commit has its time
            ended.await(DRAIN_TIMEOUT.toSeconds() + 5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void process(TrackedRecord<String, String> record) {
        try {
            System.out.println("handled " + record);
            record.complete();
        } catch (Throwable t) {
            record.fail(t);
        }
    }
}
