package dev.offsets.benchmarks;

import dev.offsets.CommitPoint;
import dev.offsets.DecodedResumeMap;
import dev.offsets.EncodedResumeMap;
import dev.offsets.OffsetTracker;
import dev.offsets.ResumeMap;
import io.confluent.parallelconsumer.offsets.OffsetMapCodecManager;
import java.util.BitSet;
import java.util.Random;
import java.util.SortedSet;
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

/**
 * What it takes, once for each partition and commit, to say which records above the committed offset are finished, and
 * to understand it again: from the tracker's own state to the string, and from the string to a map. Beside it Confluent's
 * Parallel Consumer, from the set of incomplete offsets that it keeps to its string, and back.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ResumeMapBenchmark {
    @Param
    private Pattern pattern;

    @Param("4096")
    private int mostCharacters;

    private OffsetTracker tracker;
    private CommitPoint point;
    private String text;

    private SortedSet<Long> incomplete;
    private long highestFinished;
    private String parallelConsumerText;

    @Setup
    public void setUp() {
        BitSet finished = pattern.finished(new Random(1));
        tracker = ResumeSubjects.tracker(finished);
        point = tracker.commitPoint();
        tracker.recordsCompletedAhead(); // as a loop asks in each turn
        text = encode().text();
        incomplete = ResumeSubjects.incomplete(finished);
        highestFinished = ResumeSubjects.BASE + finished.length() - 1;
        parallelConsumerText = encodeByParallelConsumer();
    }

    /** The tracker's part alone. */
    @Benchmark
    public ResumeMap snapshot() {
        return tracker.resumeMap(point);
    }

    @Benchmark
    public EncodedResumeMap encode() {
        return tracker.resumeMap(point).encode(ResumeSubjects.LOG_ID, mostCharacters);
    }

    @Benchmark
    public DecodedResumeMap decode() {
        return ResumeMap.decode(text, ResumeSubjects.LOG_ID, point.offset());
    }

    @Benchmark
    public String encodeByParallelConsumer() {
        return ResumeSubjects.textByParallelConsumer(incomplete, highestFinished);
    }

    @Benchmark
    public Object decodeByParallelConsumer() throws Exception {
        return OffsetMapCodecManager.deserialiseIncompleteOffsetMapFromBase64(
                ResumeSubjects.BASE, parallelConsumerText);
    }
}
