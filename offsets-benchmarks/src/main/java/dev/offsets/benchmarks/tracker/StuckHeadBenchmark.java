package dev.offsets.benchmarks.tracker;

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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One record does not finish, and a million above it have: what the next ones cost, and what it costs when it does finish. */
@State(Scope.Thread)
@Warmup(iterations = 20)
@Measurement(iterations = 20)
@Fork(1)
public class StuckHeadBenchmark {
    private static final int AHEAD = 1_000_000;
    private static final int MORE = 65_536;
    private static final int RECORDS = 1 + AHEAD + MORE;

    @Param({"OURS", "CONNECT", "SMALLRYE", "STORM", "REACTOR", "PARALLEL_CONSUMER", "TREE_SET"})
    private Subjects subject;

    /** A tracker at whose head nothing is stuck is the one to compare with. */
    @Param({"true", "false"})
    private boolean stuck;

    private final Poll all = new Poll(RECORDS, 0);
    private final int[] more = Poll.shuffled(MORE, new Random(2));
    private Subject tracker;

    @Setup(Level.Invocation)
    public void completeAMillion() {
        tracker = subject.create(RECORDS);
        tracker.track(0, all.distances);
        for (int index : all.order) {
            if (index <= AHEAD && (index > 0 || !stuck)) {
                tracker.complete(index, index);
            }
        }
        tracker.advance(RECORDS);
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    @OperationsPerInvocation(MORE)
    public void completeMore() {
        for (int index : more) {
            tracker.complete(1 + AHEAD + index, 1 + AHEAD + index);
        }
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public long advanceAgain() {
        return tracker.advance(RECORDS);
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public long headFinishes() {
        if (stuck) {
            tracker.complete(0, 0);
        }
        return tracker.advance(RECORDS);
    }
}
