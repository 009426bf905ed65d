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
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
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
    private PrebuiltConsumer consumer;
    private TrackedConsumer<byte[], byte[]> tracked;

    @Setup
    public void buildRecords() {
        records = new PrebuiltRecords();
    }

    /** Some milliseconds of work for each: what this takes is no record's cost. */
    @Setup(Level.Invocation)
    public void begin() {
        consumer = new PrebuiltConsumer(records);
        tracked = TrackedConsumer.wrap(consumer, CONFIG).build();
        tracked.assign(records.ends().keySet());
    }

    @TearDown(Level.Invocation)
    public void end() {
        consumer.checkAllIsCommitted();
        tracked.close();
    }

    /** For comparison: a loop that commits the positions once. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void bareLoop(Blackhole handler) {
        while (!consumer.isAtEnd()) {
            ConsumerRecords<byte[], byte[]> polled = consumer.poll(Duration.ZERO);
            for (ConsumerRecord<byte[], byte[]> record : polled) {
                handler.consume(record.value());
            }
        }
        consumer.commitSync(records.ends(), Duration.ZERO);
    }

    /** As the records are handed out. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void trackedRecords(Blackhole handler) {
        while (!consumer.isAtEnd()) {
            for (TrackedRecord<byte[], byte[]> record : tracked.poll(Duration.ZERO)) {
                handler.consume(record.value());
                record.complete();
            }
        }
        tracked.commitSync();
    }

    /** Kafka's own records, completed through the poll's result. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void kafkasRecords(Blackhole handler) {
        while (!consumer.isAtEnd()) {
            TrackedRecords<byte[], byte[]> polled = tracked.poll(Duration.ZERO);
            for (ConsumerRecord<byte[], byte[]> record : polled.consumerRecords()) {
                handler.consume(record.value());
                polled.complete(record);
            }
        }
        tracked.commitSync();
    }

    /** A processor that works on the loop thread, without an order. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void processor(Blackhole handler) {
        RecordProcessor<byte[], byte[]> processor =
                tracked.processor(Runnable::run, 1).handle(record -> handler.consume(record.value()));
        while (!consumer.isAtEnd()) {
            processor.process(tracked.poll(Duration.ZERO));
        }
        tracked.commitSync();
    }
}
