package dev.offsets.benchmarks;

import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedConsumerBuilder;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Metric;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What a record costs in the loop of a consumer that is watched, beside one that is not: nanoseconds a record, from the poll to
 * being finished. A watched one reports its metrics to JMX, has an Admin, looks at its partitions every millisecond, where it
 * would every ten seconds, and another thread reads its report and all of its metrics a hundred times a second. One that is not
 * watched has no reporter and no Admin, and never looks.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class ObservedLoopBenchmark {
    private static final int RECORDS = PrebuiltRecords.POLLS * PrebuiltRecords.RECORDS_IN_A_POLL;
    private static final Duration LOOK_EVERY = Duration.ofMillis(1);
    private static final long READ_EVERY_MILLIS = 10;

    @Param({"false", "true"})
    public boolean watched;

    private final ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor();
    private PrebuiltRecords records;
    private PrebuiltConsumer kafka;
    private volatile TrackedConsumer<byte[], byte[]> tracked;
    private volatile double read;

    @Setup
    public void setUp() {
        records = new PrebuiltRecords();
        if (watched) {
            reader.scheduleAtFixedRate(this::read, 0, READ_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void read() {
        TrackedConsumer<byte[], byte[]> present = tracked;
        if (present != null) {
            double sum = present.report().toJson().length();
            for (Metric metric : present.metrics().values()) {
                sum += metric.metricValue() instanceof Double value ? value : 0;
            }
            read = sum;
        }
    }

    /** Making a consumer and closing it takes as long as thousands of records, and is not measured. */
    @Setup(Level.Invocation)
    public void open() {
        kafka = new PrebuiltConsumer(records);
        Map<String, Object> config = new HashMap<>(Map.of("group.id", "group", "enable.auto.commit", false));
        if (!watched) {
            config.put("metric.reporters", "");
        }
        TrackedConsumerBuilder<byte[], byte[]> builder = TrackedConsumer.wrap(kafka, config);
        if (watched) {
            builder.admin(PrebuiltAdmin.of(records)).lookEvery(LOOK_EVERY);
        } else {
            builder.lookEvery(Duration.ofDays(1));
        }
        tracked = builder.build();
        tracked.assign(records.ends().keySet());
    }

    @TearDown(Level.Invocation)
    public void close() {
        tracked.close();
        kafka.checkAllIsCommitted();
    }

    @TearDown
    public void tearDown() {
        reader.shutdownNow();
        if (watched && read == 0) {
            throw new IllegalStateException("nothing was read");
        }
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void loop(Blackhole handler) {
        while (!kafka.isAtEnd()) {
            for (TrackedRecord<byte[], byte[]> record : tracked.poll(Duration.ZERO)) {
                handler.consume(record.value());
                record.complete();
            }
        }
    }
}
