package dev.offsets.benchmarks.tracker;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What records cost from tracking to being passed, on one thread: nanoseconds for {@link #RECORDS} of them, sampled, so that
 * what others do on the machine can be told apart. A window of records is tracked, completed in random order, and passed;
 * then comes the next window.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Fork(2)
public class CycleBenchmark {
    /** Whatever the window, one invocation is as many records as the largest window has. */
    static final int RECORDS = 65_536;

    @Param({
        "OURS",
        "CONNECT",
        "SMALLRYE",
        "STORM",
        "REACTOR",
        "PARALLEL_CONSUMER",
        "TREE_SET",
        "WRITE_AND_EXCHANGE",
        "ATOMIC_OR"
    })
    private Subjects subject;

    @Param({"64", "1024", "65536"})
    private int window;

    @Param({"0", "10"})
    private int holesPercent;

    private Subject tracker;
    private Poll poll;
    private long position;

    @Setup
    public void setUp() {
        tracker = subject.create(window);
        poll = new Poll(window, holesPercent);
    }

    @Benchmark
    public long trackCompleteAdvance() {
        long committable = 0;
        for (int done = 0; done < RECORDS; done += window) {
            track();
            complete();
            committable = advance();
        }
        return committable;
    }

    // A consumer calls the three from different places, which are compiled each for itself.

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private void track() {
        tracker.track(position, poll.distances);
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private void complete() {
        Subject tracker = this.tracker;
        int[] distances = poll.distances;
        long first = position;
        for (int index : poll.order) {
            tracker.complete(first + distances[index], index);
        }
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private long advance() {
        position += poll.span;
        return tracker.advance(position);
    }
}
