package dev.offsets.benchmarks.tracker;

import dev.offsets.OffsetTracker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
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
@Fork(value = 5, jvmArgsAppend = "-Xmx1g")
public class InFlightBenchmark {
    private static final int RECORDS = 10_000_000;
    private static final int BATCH = 500;
    private static final int BATCHES = 100;
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
    @OperationsPerInvocation(BATCHES * BATCH)
    public void ours() {
        for (int batch = 0; batch < BATCHES; batch++) {
            completeBatch();
        }
    }

    /** Called often enough to be compiled as a whole; a loop of a benchmark that is called seldom is not, up to its end. */
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private void completeBatch() {
        int[] order = this.order;
        OffsetTracker tracker = this.tracker;
        int from = done;
        for (int i = from; i < from + BATCH; i++) {
            tracker.complete(order[i]);
        }
        done = from + BATCH;
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * BATCH)
    public long atomicOr() {
        long seen = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            seen ^= orBatch();
        }
        return seen;
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private long orBatch() {
        int[] order = this.order;
        long[] words = this.words;
        long seen = 0;
        int from = done;
        for (int i = from; i < from + BATCH; i++) {
            int offset = order[i];
            seen ^= (long) WORD.getAndBitwiseOr(words, offset / Long.BYTES, 1L << offset);
        }
        done = from + BATCH;
        return seen;
    }
}
