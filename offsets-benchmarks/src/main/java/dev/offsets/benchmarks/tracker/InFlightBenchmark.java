package dev.offsets.benchmarks.tracker;

import dev.offsets.OffsetTracker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Random;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Ten million records in flight, completed in random order: mostly what the caches miss. The yardstick is an atomic OR in an
 * array of the same size, a byte a record, in the same order.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
public class InFlightBenchmark {
    private static final int RECORDS = 10_000_000;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final int[] order = Poll.shuffled(RECORDS, new Random(1));
    private OffsetTracker tracker;
    private long[] words;

    @Setup(Level.Iteration)
    public void setUp() {
        words = new long[RECORDS / Long.BYTES];
        tracker = OffsetTracker.startingAt(0);
        for (int offset = 0; offset < RECORDS; offset++) {
            tracker.track(offset);
        }
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long ours() {
        for (int offset : order) {
            tracker.complete(offset);
        }
        return tracker.advance();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long atomicOr() {
        long seen = 0;
        for (int offset : order) {
            seen ^= (long) WORD.getAndBitwiseOr(words, offset / Long.BYTES, 1L << offset);
        }
        return seen;
    }
}
