package dev.offsets.benchmarks.tracker;

import dev.offsets.OffsetTracker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Random;
import java.util.concurrent.TimeUnit;
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

/**
 * Ten million records in flight, completed in random order: mostly what the caches miss. The yardstick is an atomic OR in an
 * array of the same size, a byte a record, in the same order.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 50)
@Measurement(iterations = 100)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
public class InFlightBenchmark {
    private static final int RECORDS = 10_000_000;
    private static final int AT_A_TIME = 50_000;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final int[] order = Poll.shuffled(RECORDS, new Random(1));
    private final long[] words = new long[RECORDS / Long.BYTES];
    private final OffsetTracker tracker = OffsetTracker.startingAt(0);
    private int done;

    @Setup
    public void setUp() {
        for (int offset = 0; offset < RECORDS; offset++) {
            tracker.track(offset);
        }
    }

    @Benchmark
    @OperationsPerInvocation(AT_A_TIME)
    public void ours() {
        for (int i = 0; i < AT_A_TIME; i++) {
            tracker.complete(order[done++]);
        }
    }

    @Benchmark
    @OperationsPerInvocation(AT_A_TIME)
    public long atomicOr() {
        long seen = 0;
        for (int i = 0; i < AT_A_TIME; i++) {
            int offset = order[done++];
            seen ^= (long) WORD.getAndBitwiseOr(words, offset / Long.BYTES, 1L << offset);
        }
        return seen;
    }
}
