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
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 7)
@Fork(1)
public class StuckHeadBenchmark {
    private static final int AHEAD = 1_000_000;
    private static final int MORE = 65_536;
    private static final int RECORDS = 1 + AHEAD + MORE;

    /** A million completed. */
    @State(Scope.Thread)
    public static class HeadStuck {
        @Param({"OURS", "CONNECT", "SMALLRYE", "STORM", "REACTOR", "PARALLEL_CONSUMER", "TREE_SET"})
        private Subjects subject;

        private final Poll all = new Poll(RECORDS, 0);
        private final int[] more = Poll.shuffled(MORE, new Random(2));
        Subject tracker;

        @Setup(Level.Invocation)
        public void completeAMillion() {
            tracker = subject.create(RECORDS);
            tracker.track(0, all.distances);
            for (int index : all.order) {
                if (index > 0 && index <= AHEAD) {
                    tracker.complete(index, index);
                }
            }
            tracker.advance(RECORDS);
        }

        void completeMore() {
            for (int index : more) {
                tracker.complete(1 + AHEAD + index, 1 + AHEAD + index);
            }
        }
    }

    /** The same, and the head too. */
    @State(Scope.Thread)
    public static class NothingStuck extends HeadStuck {
        @Setup(Level.Invocation)
        public void completeHead() {
            tracker.complete(0, 0);
            tracker.advance(RECORDS);
        }
    }

    @Benchmark
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    @OperationsPerInvocation(MORE)
    public void completeMore(HeadStuck state) {
        state.completeMore();
    }

    @Benchmark
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    @OperationsPerInvocation(MORE)
    public void completeMoreUnstuck(NothingStuck state) {
        state.completeMore();
    }

    @Benchmark
    public long advanceWhileStuck(HeadStuck state) {
        return state.tracker.advance(RECORDS);
    }

    @Benchmark
    public long headFinishes(HeadStuck state) {
        state.tracker.complete(0, 0);
        return state.tracker.advance(RECORDS);
    }
}
