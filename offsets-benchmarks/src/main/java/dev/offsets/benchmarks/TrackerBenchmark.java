package dev.offsets.benchmarks;

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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a record costs from tracking to being covered, on one thread: nanoseconds a record. A window of records is tracked,
 * completed in random order, and the committable offset advanced; then comes the next window.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class TrackerBenchmark {
    /** Whatever the window, one invocation is as many records as the largest window has. */
    private static final int RECORDS = 65_536;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    @Param({"64", "1024", "65536"})
    private int window;

    private OffsetTracker tracker;
    private int[] denseOrder;
    private int[] holedOrder;
    private int[] holedOffsets;
    private int holedSpan;
    private long[] words;

    @Setup
    public void setUp() {
        Random random = new Random(1);
        tracker = OffsetTracker.startingAt(0);
        denseOrder = new int[window];
        holedOffsets = new int[window];
        for (int i = 0; i < window; i++) {
            denseOrder[i] = i;
            holedOffsets[i] = holedSpan;
            holedSpan += random.nextInt(10) == 0 ? 2 : 1;
        }
        for (int i = window - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int swapped = denseOrder[i];
            denseOrder[i] = denseOrder[other];
            denseOrder[other] = swapped;
        }
        holedOrder = new int[window];
        for (int i = 0; i < window; i++) {
            holedOrder[i] = holedOffsets[denseOrder[i]];
        }
        words = new long[window / Long.SIZE];
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long trackCompleteAdvanceDense() {
        for (int done = 0; done < RECORDS; done += window) {
            long first = tracker.position();
            for (int i = 0; i < window; i++) {
                tracker.track(first + i);
            }
            for (int offset : denseOrder) {
                tracker.complete(first + offset);
            }
            tracker.advance();
        }
        return tracker.committableOffset();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long trackCompleteAdvanceTenPercentHoles() {
        for (int done = 0; done < RECORDS; done += window) {
            long first = tracker.position();
            for (int offset : holedOffsets) {
                tracker.track(first + offset);
            }
            for (int offset : holedOrder) {
                tracker.complete(first + offset);
            }
            tracker.updatePosition(first + holedSpan);
            tracker.advance();
        }
        return tracker.committableOffset();
    }

    /** For comparison: one atomic OR for each record, uncontended, in the same order. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long atomicOrAlone() {
        long seen = 0;
        for (int done = 0; done < RECORDS; done += window) {
            for (int bit : denseOrder) {
                seen ^= (long) WORD.getAndBitwiseOr(words, bit / Long.SIZE, 1L << bit);
            }
        }
        return seen;
    }
}
