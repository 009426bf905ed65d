package dev.offsets.benchmarks.tracker;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;

/**
 * Two workers complete neighbours, one the even and the other the odd offsets, while the owner tracks and advances. Those
 * alone that let several threads complete.
 */
@State(Scope.Group)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Fork(2)
public class ContentionBenchmark {
    /** So many that what is measured is hardly ever a wait for the next poll. */
    private static final int POLL = 262_144;
    /** What a worker completes in one call of its benchmark: every second one of twice as many. */
    static final int EACH = 2_048;

    @Param({"OURS", "CONNECT", "REACTOR", "TREE_SET"})
    private Subjects subject;

    private final Poll poll = new Poll(POLL, 0);
    private Subject tracker;
    private volatile long position;
    private volatile long evenDone;
    private volatile long oddDone;

    @Setup
    public void setUp() {
        tracker = subject.create(POLL);
    }

    /** A poll is tracked once the workers are done with the one before; meanwhile the owner advances. */
    @Benchmark
    @Group("neighbours")
    @GroupThreads(1)
    public void track(Control control) {
        while (evenDone < position || oddDone < position) {
            if (control.stopMeasurement) {
                return;
            }
            tracker.advance(position);
            Thread.yield();
        }
        tracker.track(position, poll.distances);
        position += POLL;
    }

    @Benchmark
    @Group("neighbours")
    @GroupThreads(1)
    public void completeEven(Control control) {
        if (complete(evenDone, 0, control)) {
            evenDone += 2 * EACH;
        }
    }

    @Benchmark
    @Group("neighbours")
    @GroupThreads(1)
    public void completeOdd(Control control) {
        if (complete(oddDone, 1, control)) {
            oddDone += 2 * EACH;
        }
    }

    private boolean complete(long first, int firstIndex, Control control) {
        while (first == position) {
            if (control.stopMeasurement) {
                return false;
            }
            Thread.yield();
        }
        int inPoll = (int) (first % POLL);
        for (int index = firstIndex; index < 2 * EACH; index += 2) {
            tracker.complete(first + index, inPoll + index);
        }
        return true;
    }
}
