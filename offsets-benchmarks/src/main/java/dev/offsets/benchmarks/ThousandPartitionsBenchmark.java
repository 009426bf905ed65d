package dev.offsets.benchmarks;

import dev.offsets.OffsetTracker;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the resume maps of one commit for a thousand partitions take of the loop's turn, with the limit of 1,024 characters. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ThousandPartitionsBenchmark {
    private static final int PARTITIONS = 1_000;
    private static final int MOST_CHARACTERS = 1_024;

    @Param({"PIPELINE", "RANDOM_10_PERCENT"})
    private Pattern pattern;

    private final OffsetTracker[] trackers = new OffsetTracker[PARTITIONS];

    @Setup
    public void setUp() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            trackers[partition] = ResumeSubjects.tracker(pattern.finished(new Random(partition)));
        }
    }

    @Benchmark
    public long encode() {
        long characters = 0;
        for (OffsetTracker tracker : trackers) {
            characters += tracker.resumeMap(tracker.commitPoint())
                    .encode(ResumeSubjects.LOG_ID, MOST_CHARACTERS)
                    .text()
                    .length();
        }
        return characters;
    }
}
