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
import org.openjdk.jcstress.infra.results.JIJ_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;
import org.openjdk.jcstress.infra.results.ZJJ_Result;

/** The committable offset moves while records finish. */
public class Advances {
    private static OffsetTracker tracking(int records) {
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        for (long offset = 0; offset < records; offset++) {
            tracker.track(offset);
        }
        return tracker;
    }

    /** What a worker did before it reported is seen by the owner who passes its record. */
    @JCStressTest
    @Outcome(
            id = {"0, 0, 1", "0, 1, 1", "1, 1, 1"},
            expect = ACCEPTABLE,
            desc = "not passed yet; or passed, and the work is seen")
    @Outcome(expect = FORBIDDEN, desc = "passed without its work, or beyond what finished, or never passed")
    @State
    public static class CompleteAndAdvance {
        private final OffsetTracker tracker = tracking(2);
        private int work;

        @Actor
        public void worker() {
            work = 1;
            tracker.complete(0);
        }

        @Actor
        public void owner(JIJ_Result result) {
            result.r1 = tracker.advance();
            result.r2 = work;
        }

        @Arbiter
        public void later(JIJ_Result result) {
            result.r3 = tracker.advance();
        }
    }

    /** Not even for a moment is the committable offset above the lowest incomplete record, nor does it decrease. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "moved before, between or after the reads")
    @Outcome(expect = FORBIDDEN, desc = "above the incomplete record 1, or decreased")
    @State
    public static class AdvanceAndRead {
        private final OffsetTracker tracker = tracking(2);

        public AdvanceAndRead() {
            tracker.complete(0);
        }

        @Actor
        public void owner() {
            tracker.advance();
        }

        @Actor
        public void reader(JJ_Result result) {
            result.r1 = tracker.committableOffset();
            result.r2 = tracker.committableOffset();
        }
    }

    /** A report that does not count leaves a failed record failed, all the time. */
    @JCStressTest
    @Outcome(id = "false, 0, 0", expect = ACCEPTABLE, desc = "nothing has changed")
    @Outcome(expect = FORBIDDEN, desc = "a failed record was passed")
    @State
    public static class CompleteFailedAndAdvance {
        private final OffsetTracker tracker = tracking(2);

        public CompleteFailedAndAdvance() {
            tracker.fail(0);
        }

        @Actor
        public void worker(ZJJ_Result result) {
            result.r1 = tracker.complete(0) == ACCEPTED;
        }

        @Actor
        public void owner(ZJJ_Result result) {
            result.r2 = tracker.advance();
        }

        @Arbiter
        public void later(ZJJ_Result result) {
            result.r3 = tracker.advance();
        }
    }

    /** What finishes while the owner counts is in the next count. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "both are counted")
    @Outcome(expect = FORBIDDEN, desc = "one was never counted")
    @State
    public static class CompleteAndCount {
        private final OffsetTracker tracker = tracking(3);

        public CompleteAndCount() {
            tracker.complete(1);
        }

        @Actor
        public void worker() {
            tracker.complete(2);
        }

        @Actor
        public void owner() {
            tracker.recordsCompletedAhead();
        }

        @Arbiter
        public void later(J_Result result) {
            result.r1 = tracker.recordsCompletedAhead();
        }
    }
}
