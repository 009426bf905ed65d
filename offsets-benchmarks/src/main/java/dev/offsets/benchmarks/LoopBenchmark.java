package dev.offsets.benchmarks;

import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.TrackedRecords;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What a record costs in the loop, from the poll to being finished and committed, on one thread: nanoseconds a record. The
 * records are prebuilt, so that Kafka costs nothing; what the bare loop takes is to be subtracted.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class LoopBenchmark {
    private static final int RECORDS = PrebuiltRecords.POLLS * PrebuiltRecords.RECORDS_IN_A_POLL;

    private static final Map<String, Object> CONFIG = Map.of("group.id", "group", "enable.auto.commit", false);

    private PrebuiltRecords records;

    @Setup
    public void setUp() {
        records = new PrebuiltRecords();
    }

    /** For comparison: a loop that commits the positions once. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void bareLoop(Blackhole handler) {
        PrebuiltConsumer consumer = new PrebuiltConsumer(records);
        while (!consumer.isAtEnd()) {
            ConsumerRecords<byte[], byte[]> polled = consumer.poll(Duration.ZERO);
            for (ConsumerRecord<byte[], byte[]> record : polled) {
                handler.consume(record.value());
            }
        }
        consumer.commitSync(records.ends(), Duration.ZERO);
        consumer.checkAllIsCommitted();
    }

    /** As the records are handed out. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void trackedRecords(Blackhole handler) {
        PrebuiltConsumer consumer = new PrebuiltConsumer(records);
        try (TrackedConsumer<byte[], byte[]> tracked = tracked(consumer)) {
            while (!consumer.isAtEnd()) {
                for (TrackedRecord<byte[], byte[]> record : tracked.poll(Duration.ZERO)) {
                    handler.consume(record.value());
                    record.complete();
                }
            }
        }
        consumer.checkAllIsCommitted();
    }

    /** Kafka's own records, completed through the poll's result. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void kafkasRecords(Blackhole handler) {
        PrebuiltConsumer consumer = new PrebuiltConsumer(records);
        try (TrackedConsumer<byte[], byte[]> tracked = tracked(consumer)) {
            while (!consumer.isAtEnd()) {
                TrackedRecords<byte[], byte[]> polled = tracked.poll(Duration.ZERO);
                for (ConsumerRecord<byte[], byte[]> record : polled.consumerRecords()) {
                    handler.consume(record.value());
                    polled.complete(record);
                }
            }
        }
        consumer.checkAllIsCommitted();
    }

    /** A processor that works on the loop thread, without an order. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void processor(Blackhole handler) {
        PrebuiltConsumer consumer = new PrebuiltConsumer(records);
        try (TrackedConsumer<byte[], byte[]> tracked = tracked(consumer)) {
            RecordProcessor<byte[], byte[]> processor =
                    tracked.processor(Runnable::run, 1).handle(record -> handler.consume(record.value()));
            while (!consumer.isAtEnd()) {
                processor.process(tracked.poll(Duration.ZERO));
            }
        }
        consumer.checkAllIsCommitted();
    }

    private TrackedConsumer<byte[], byte[]> tracked(PrebuiltConsumer consumer) {
        TrackedConsumer<byte[], byte[]> tracked =
                TrackedConsumer.wrap(consumer, CONFIG).build();
        tracked.assign(records.ends().keySet());
        return tracked;
    }
}
