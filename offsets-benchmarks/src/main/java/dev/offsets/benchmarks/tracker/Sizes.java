package dev.offsets.benchmarks.tracker;

import dev.offsets.OffsetTracker;
import dev.offsets.kafka.TrackedConsumer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.openjdk.jol.info.GraphLayout;

/** How many bytes trackers keep alive, as JOL counts them. */
final class Sizes {
    private static final int RECORDS = 1_000_000;
    /** Shared by all, so that it is not counted with each. */
    private static final LongSupplier CLOCK = System::nanoTime;

    private Sizes() {}

    static void print() {
        // Java's records hide where their fields are, and JOL has to guess it.
        System.setProperty("jol.magicFieldOffset", "true");
        System.out.println("| retained | bytes |\n|---|---|");
        row("a record in flight, dense", perRecord(i -> i));
        row("a record in flight, 10% holes", perRecord(i -> i + i / 9));
        row("a record in flight, worst of " + patterns().size() + " sparse patterns", worst());
        row("a record completed ahead, dense", completedAhead(false));
        row("all of it, once the head has finished too", completedAhead(true) * RECORDS);
        row("an idle partition, assigned", idle(0));
        row("an idle partition, after " + RECORDS + " records", idle(RECORDS));
        row("ten thousand idle partitions, each after a thousand records", tenThousandIdle());
        row(
                "heap of a consumer with ten thousand idle partitions, beside its Kafka consumer",
                consumerOfTenThousandIdle());
    }

    private static void row(String what, double bytes) {
        System.out.printf(bytes < 100 ? "| %s | %.2f |%n" : "| %s | %,.0f |%n", what, bytes);
    }

    private static long bytes(Object root) {
        return GraphLayout.parseInstance(root)
                .subtract(GraphLayout.parseInstance(CLOCK))
                .totalSize();
    }

    private static double perRecord(IntToLongFunction offsets) {
        return (double) bytes(tracking(RECORDS, offsets)) / RECORDS;
    }

    private static OffsetTracker tracking(int records, IntToLongFunction offsets) {
        OffsetTracker tracker = OffsetTracker.startingAt(0, CLOCK);
        for (int i = 0; i < records; i++) {
            tracker.track(offsets.applyAsLong(i));
        }
        return tracker;
    }

    /** Runs of so many records, a stride apart, and a gap between two runs. */
    private static List<IntToLongFunction> patterns() {
        List<IntToLongFunction> patterns = new ArrayList<>();
        for (long stride : new long[] {1, 2, 8, 15, 16, 17, 18, 33, 511, 512, 513, 4_097, 1L << 40}) {
            for (int run : new int[] {1, 2, 31, 32, 33, 34, 64, 65, 511, 513, 4_097}) {
                for (long gap : new long[] {0, 511, 8_200, 1L << 40}) {
                    patterns.add(i -> i * stride + i / run * gap);
                }
            }
        }
        return patterns;
    }

    private static double worst() {
        int records = 100_000;
        return patterns().stream()
                .mapToDouble(pattern -> (double) bytes(tracking(records, pattern)) / records)
                .max()
                .orElseThrow();
    }

    private static double completedAhead(boolean headFinishes) {
        OffsetTracker tracker = tracking(RECORDS, i -> i);
        for (int offset = headFinishes ? 0 : 1; offset < RECORDS; offset++) {
            tracker.complete(offset);
        }
        tracker.advance();
        return (double) bytes(tracker) / RECORDS;
    }

    private static long idle(int records) {
        return bytes(idleTracker(records));
    }

    private static OffsetTracker idleTracker(int records) {
        OffsetTracker tracker = OffsetTracker.startingAt(0, CLOCK);
        for (long offset = 0; offset < records; offset++) {
            tracker.track(offset);
            tracker.complete(offset);
            tracker.advance();
        }
        return tracker;
    }

    private static long consumerOfTenThousandIdle() {
        Map<TopicPartition, Long> beginnings = new HashMap<>();
        for (int partition = 0; partition < 10_000; partition++) {
            beginnings.put(new TopicPartition("topic", partition), 0L);
        }
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
        consumer.updateBeginningOffsets(beginnings);
        try (TrackedConsumer<byte[], byte[]> tracked = TrackedConsumer.wrap(
                        consumer, Map.of("group.id", "group", "enable.auto.commit", false))
                .build()) {
            consumer.assign(beginnings.keySet());
            consumer.poll(Duration.ZERO);
            long before = usedHeap();
            tracked.assign(beginnings.keySet());
            tracked.poll(Duration.ZERO);
            return usedHeap() - before;
        }
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long tenThousandIdle() {
        List<OffsetTracker> trackers = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            trackers.add(idleTracker(1_000));
        }
        return bytes(trackers);
    }
}
