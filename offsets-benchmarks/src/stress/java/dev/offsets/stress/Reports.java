package dev.offsets.stress;

import static dev.offsets.Receipt.ACCEPTED;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.offsets.OffsetTracker;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Two reports for one record. */
public class Reports {
    private static OffsetTracker trackerOfOne() {
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        tracker.track(0);
        return tracker;
    }

    @JCStressTest
    @Outcome(
            id = {"true, false, 1", "false, true, 1"},
            expect = ACCEPTABLE,
            desc = "one of them counts")
    @Outcome(expect = FORBIDDEN, desc = "both count, or none, or the record is not passed")
    @State
    public static class CompleteAndComplete {
        private final OffsetTracker tracker = trackerOfOne();

        @Actor
        public void one(ZZJ_Result result) {
            result.r1 = tracker.complete(0) == ACCEPTED;
        }

        @Actor
        public void other(ZZJ_Result result) {
            result.r2 = tracker.complete(0) == ACCEPTED;
        }

        @Arbiter
        public void owner(ZZJ_Result result) {
            result.r3 = tracker.advance();
        }
    }

    @JCStressTest
    @Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "completed: passed")
    @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "failed: not passed")
    @Outcome(expect = FORBIDDEN, desc = "both count, or none, or the outcome is not the one that counts")
    @State
    public static class CompleteAndFail {
        private final OffsetTracker tracker = trackerOfOne();

        @Actor
        public void one(ZZJ_Result result) {
            result.r1 = tracker.complete(0) == ACCEPTED;
        }

        @Actor
        public void other(ZZJ_Result result) {
            result.r2 = tracker.fail(0) == ACCEPTED;
        }

        @Arbiter
        public void owner(ZZJ_Result result) {
            result.r3 = tracker.advance();
        }
    }

    /** A start is taken back while the outcome is reported. */
    @JCStressTest
    @Outcome(
            id = {"true, true, 1", "true, false, 1"},
            expect = ACCEPTABLE,
            desc = "the completion counts, whether the start was taken back before or not")
    @Outcome(expect = FORBIDDEN, desc = "the completion is lost")
    @State
    public static class CompleteAndRelease {
        private final OffsetTracker tracker = trackerOfOne();

        public CompleteAndRelease() {
            tracker.tryStart(0);
        }

        @Actor
        public void worker(ZZJ_Result result) {
            result.r1 = tracker.complete(0) == ACCEPTED;
        }

        @Actor
        public void releaser(ZZJ_Result result) {
            result.r2 = tracker.release(0) == ACCEPTED;
        }

        @Arbiter
        public void owner(ZZJ_Result result) {
            result.r3 = tracker.advance();
        }
    }

    @JCStressTest
    @Outcome(
            id = {"true, false, 1", "false, true, 1"},
            expect = ACCEPTABLE,
            desc = "one of them claims the record")
    @Outcome(expect = FORBIDDEN, desc = "both claim it, or none")
    @State
    public static class StartAndStart {
        private final OffsetTracker tracker = trackerOfOne();

        @Actor
        public void one(ZZJ_Result result) {
            result.r1 = tracker.tryStart(0);
        }

        @Actor
        public void other(ZZJ_Result result) {
            result.r2 = tracker.tryStart(0);
        }

        @Arbiter
        public void owner(ZZJ_Result result) {
            result.r3 = tracker.status().started();
        }
    }

    /** A record is claimed while its outcome is reported. */
    @JCStressTest
    @Outcome(
            id = {"true, true, 1", "true, false, 1"},
            expect = ACCEPTABLE,
            desc = "the completion counts, whether the record was claimed before or not")
    @Outcome(expect = FORBIDDEN, desc = "the completion is lost")
    @State
    public static class CompleteAndStart {
        private final OffsetTracker tracker = trackerOfOne();

        @Actor
        public void worker(ZZJ_Result result) {
            result.r1 = tracker.complete(0) == ACCEPTED;
        }

        @Actor
        public void starter(ZZJ_Result result) {
            result.r2 = tracker.tryStart(0);
        }

        @Arbiter
        public void owner(ZZJ_Result result) {
            result.r3 = tracker.advance();
        }
    }

    /** A start that is taken back is claimed anew. */
    @JCStressTest
    @Outcome(
            id = {"true, true, 1", "false, true, 0"},
            expect = ACCEPTABLE,
            desc = "claimed after the release, or not")
    @Outcome(expect = FORBIDDEN, desc = "two claim the record, or the release is lost")
    @State
    public static class StartAndRelease {
        private final OffsetTracker tracker = trackerOfOne();

        public StartAndRelease() {
            tracker.tryStart(0);
        }

        @Actor
        public void starter(ZZJ_Result result) {
            result.r1 = tracker.tryStart(0);
        }

        @Actor
        public void releaser(ZZJ_Result result) {
            result.r2 = tracker.release(0) == ACCEPTED;
        }

        @Arbiter
        public void owner(ZZJ_Result result) {
            result.r3 = tracker.status().started();
        }
    }
}
