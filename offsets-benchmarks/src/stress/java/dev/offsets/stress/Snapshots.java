package dev.offsets.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.offsets.CommitPoint;
import dev.offsets.OffsetTracker;
import dev.offsets.ResumeMap;
import dev.offsets.TrackerStatus;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;

/** What is said of several records at once, while they finish. */
public class Snapshots {
    private static final int EPOCH = 1;
    private static final long NONE = -1;
    private static final long FAILED = -2;

    private static OffsetTracker trackingThree() {
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        for (long offset = 0; offset < 3; offset++) {
            tracker.track(offset, EPOCH);
        }
        return tracker;
    }

    @JCStressTest
    @Outcome(
            id = {"3, 0", "2, 1"},
            expect = ACCEPTABLE,
            desc = "each record is incomplete or finished")
    @Outcome(expect = FORBIDDEN, desc = "a record is neither, or both")
    @State
    public static class CompleteAndStatus {
        private final OffsetTracker tracker = trackingThree();

        @Actor
        public void worker() {
            tracker.complete(1);
        }

        @Actor
        public void reader(JJ_Result result) {
            TrackerStatus status = tracker.status();
            result.r1 = status.incomplete();
            result.r2 = status.completedAhead();
        }
    }

    /** A reader looks at the status while the owner tracks and advances. */
    @JCStressTest
    @Outcome(
            id = {"0, 1, 1", "0, 2, 1", "1, 2, 0", "0, 1, 0", "0, 2, 0"},
            expect = ACCEPTABLE,
            desc = "incomplete records are all there; of finished ones those that were not dropped")
    @Outcome(
            expect = FORBIDDEN,
            desc = "an incomplete record is missing, or one that was tracked before the offset moved")
    @State
    public static class AdvanceAndStatus {
        private final OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);

        public AdvanceAndStatus() {
            tracker.track(0);
            tracker.track(1 << 20);
            tracker.complete(0);
        }

        @Actor
        public void owner() {
            tracker.track(2 << 20);
            tracker.advance();
        }

        @Actor
        public void reader(JJJ_Result result) {
            TrackerStatus status = tracker.status();
            result.r1 = Math.min(1, status.committableOffset());
            result.r2 = status.incomplete();
            result.r3 = status.completedAhead();
        }
    }

    /** A record that stands alone is tracked, in a segment that is there already, while a reader looks at the status. */
    @JCStressTest
    @Outcome(
            id = {"-1", "2097152"},
            expect = ACCEPTABLE,
            desc = "the record is not there yet, or it is, with its offset")
    @Outcome(expect = FORBIDDEN, desc = "it stands elsewhere, or nowhere")
    @State
    public static class TrackAndStatus {
        private final OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);

        public TrackAndStatus() {
            tracker.track(0);
            tracker.track(1 << 20);
            tracker.complete(0);
            tracker.complete(1 << 20);
        }

        @Actor
        public void owner() {
            tracker.track(2 << 20);
        }

        @Actor
        public void reader(J_Result result) {
            try {
                result.r1 = tracker.status().lowestIncompleteOffset().orElse(NONE);
            } catch (RuntimeException e) {
                result.r1 = FAILED;
            }
        }
    }

    /** A record is tracked, some time after the one before, while a reader asks how old the lowest is. */
    @JCStressTest
    @Outcome(
            id = {"-1", "0"},
            expect = ACCEPTABLE,
            desc = "the record is not there yet, or is as old as it is")
    @Outcome(expect = FORBIDDEN, desc = "it is as old as the one before")
    @State
    public static class TrackAndAge {
        private long nowNanos;
        private final OffsetTracker tracker = OffsetTracker.startingAt(0, () -> nowNanos);

        public TrackAndAge() {
            tracker.track(0);
            tracker.complete(0);
            tracker.advance();
            nowNanos = Duration.ofMillis(5).toNanos();
        }

        @Actor
        public void owner() {
            tracker.track(1);
        }

        @Actor
        public void reader(J_Result result) {
            result.r1 = tracker.status()
                    .lowestIncompleteAge()
                    .map(Duration::toMillis)
                    .orElse(NONE);
        }
    }

    /** The point is taken first, then the map; what a worker finishes meanwhile may be in the map, and nothing else. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 2", "0, 3", "1, 0", "1, 2", "2, 0"},
            expect = ACCEPTABLE,
            desc = "what the point and the map say is finished has finished")
    @Outcome(expect = FORBIDDEN, desc = "they say so of a record that has failed")
    @State
    public static class CompleteAndCommitPoint {
        private final OffsetTracker tracker = trackingThree();

        public CompleteAndCommitPoint() {
            tracker.fail(2);
        }

        @Actor
        public void worker() {
            tracker.complete(1);
            tracker.complete(0);
            // Ignored, again and again: making a map takes its time, and one such report may be over before.
            for (int i = 0; i < 5; i++) {
                tracker.complete(2);
            }
        }

        @Actor
        public void owner(JI_Result result) {
            CommitPoint point = tracker.commitPoint();
            ResumeMap map = tracker.resumeMap(point);
            result.r1 = point.offset();
            for (int offset = 0; offset < 3; offset++) {
                result.r2 |= map.isFinished(offset, EPOCH) ? 1 << offset : 0;
            }
        }
    }
}
