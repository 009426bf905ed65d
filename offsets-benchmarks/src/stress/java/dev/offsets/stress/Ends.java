package dev.offsets.stress;

import static dev.offsets.Receipt.ACCEPTED;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.offsets.OffsetTracker;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Work goes on while the partition is taken away. */
public class Ends {
    private static OffsetTracker trackerOfOne() {
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        tracker.track(0);
        return tracker;
    }

    /** Who has seen the end can't report any more; the offset stays where it was. */
    @JCStressTest
    @Outcome(
            id = {"false, true, 0", "false, false, 0", "true, false, 0"},
            expect = ACCEPTABLE,
            desc = "reported before the end, or ignored")
    @Outcome(expect = FORBIDDEN, desc = "accepted after the end, or the offset moved after it")
    @State
    public static class CompleteAndEnd {
        private final OffsetTracker tracker = trackerOfOne();

        @Actor
        public void owner(ZZJ_Result result) {
            tracker.end();
            result.r3 = tracker.advance();
        }

        @Actor
        public void worker(ZZJ_Result result) {
            result.r1 = tracker.hasEnded();
            result.r2 = tracker.complete(0) == ACCEPTED;
        }
    }

    /** Either the owner, who refuses first and counts afterwards, counts a start, or there is none. */
    @JCStressTest
    @Outcome(
            id = {"true, 1", "false, 0", "false, 1"},
            expect = ACCEPTABLE,
            desc = "started and counted; or not started, and perhaps counted until it is taken back")
    @Outcome(expect = FORBIDDEN, desc = "work begins that the owner does not know of")
    @State
    public static class StartAndRefuseStarts {
        private final OffsetTracker tracker = trackerOfOne();

        @Actor
        public void owner(ZJ_Result result) {
            tracker.refuseStarts();
            result.r2 = tracker.status().started();
        }

        @Actor
        public void worker(ZJ_Result result) {
            result.r1 = tracker.tryStart(0);
            // As long as the owner takes, so that the two meet at the next tracker again.
            tracker.status();
        }
    }
}
