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
import org.openjdk.jcstress.infra.results.ZJ_Result;
import org.openjdk.jcstress.infra.results.ZZJ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The owner tracks a record that needs a new segment, or drops segments, while workers report. */
public class Edges {
    private static final long FAR = 1 << 20;

    /** Segment by segment: the first holds one of these records, those after it 32 each; four fit into the first array. */
    private static final int RECORDS_IN_FOUR_SEGMENTS = 1 + 3 * 32;

    private static final long DENSE_SEGMENT = 512;

    /** With one record in sixteen offsets, the next segment is a dense one too. */
    private static final int RECORDS_OF_A_DENSE_SEGMENT = 32;

    private static OffsetTracker trackingFourSegments() {
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        for (int i = 0; i < RECORDS_IN_FOUR_SEGMENTS; i++) {
            tracker.track(i * FAR);
        }
        return tracker;
    }

    /** All of it finished, and not passed yet. */
    private static OffsetTracker trackingADenseSegment() {
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        for (long offset = 0; offset < RECORDS_OF_A_DENSE_SEGMENT; offset++) {
            tracker.track(offset);
            tracker.complete(offset);
        }
        return tracker;
    }

    /** A worker names the record before it was handed out, perhaps in the moment in which it is tracked. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 1048577", "false, true, 1048577"},
            expect = ACCEPTABLE,
            desc = "the record has one outcome")
    @Outcome(expect = FORBIDDEN, desc = "the record has two outcomes, or none")
    @State
    public static class TrackInNewSegmentAndComplete {
        private final OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);

        public TrackInNewSegmentAndComplete() {
            tracker.track(0);
            tracker.complete(0);
        }

        @Actor
        public void owner() {
            tracker.track(FAR);
        }

        @Actor
        public void worker(ZZJ_Result result) {
            result.r1 = tracker.complete(FAR) == ACCEPTED;
        }

        @Arbiter
        public void later(ZZJ_Result result) {
            result.r2 = tracker.complete(FAR) == ACCEPTED;
            result.r3 = tracker.advance();
        }
    }

    /** The same where the new segment is dense and follows a dense one, so that its slot is guessed. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 513", "false, true, 513"},
            expect = ACCEPTABLE,
            desc = "the record has one outcome")
    @Outcome(expect = FORBIDDEN, desc = "the record has two outcomes, or none")
    @State
    public static class TrackInNextDenseSegmentAndComplete {
        private final OffsetTracker tracker = trackingADenseSegment();

        @Actor
        public void owner() {
            tracker.track(DENSE_SEGMENT);
        }

        @Actor
        public void worker(ZZJ_Result result) {
            result.r1 = tracker.complete(DENSE_SEGMENT) == ACCEPTED;
        }

        @Arbiter
        public void later(ZZJ_Result result) {
            result.r2 = tracker.complete(DENSE_SEGMENT) == ACCEPTED;
            result.r3 = tracker.advance();
        }
    }

    /** The array of segments is replaced by a larger one. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "both reports count")
    @Outcome(expect = FORBIDDEN, desc = "a report did not find its record")
    @State
    public static class TrackInLargerArrayAndComplete {
        private final OffsetTracker tracker = trackingFourSegments();

        @Actor
        public void owner() {
            tracker.track(RECORDS_IN_FOUR_SEGMENTS * FAR);
        }

        @Actor
        public void worker(ZZ_Result result) {
            result.r1 = tracker.complete((RECORDS_IN_FOUR_SEGMENTS - 1) * FAR) == ACCEPTED;
        }

        @Arbiter
        public void later(ZZ_Result result) {
            result.r2 = tracker.complete(RECORDS_IN_FOUR_SEGMENTS * FAR) == ACCEPTED;
        }
    }

    /** The first segment is dropped, so that all others stand elsewhere. */
    @JCStressTest
    @Outcome(id = "true, false, 1048576", expect = ACCEPTABLE, desc = "the report counts, and the late one does not")
    @Outcome(expect = FORBIDDEN, desc = "a report did not find its record, or another's")
    @State
    public static class DropAndComplete {
        private final OffsetTracker tracker = trackingFourSegments();

        public DropAndComplete() {
            tracker.complete(0);
        }

        @Actor
        public void owner(ZZJ_Result result) {
            result.r3 = tracker.advance();
        }

        @Actor
        public void worker(ZZJ_Result result) {
            result.r1 = tracker.complete((RECORDS_IN_FOUR_SEGMENTS - 1) * FAR) == ACCEPTED;
            result.r2 = tracker.complete(0) == ACCEPTED;
        }
    }

    /** The same with dense segments, whose slots are guessed: perhaps by the base of one array in the other. */
    @JCStressTest
    @Outcome(id = "true, 512", expect = ACCEPTABLE, desc = "all reports count")
    @Outcome(expect = FORBIDDEN, desc = "a report did not find its record")
    @State
    public static class DropDenseAndComplete {
        private static final int REPORTS = 8;

        private final OffsetTracker tracker = trackingADenseSegment();

        public DropDenseAndComplete() {
            for (long offset = DENSE_SEGMENT; offset <= DENSE_SEGMENT + REPORTS; offset++) {
                tracker.track(offset);
            }
        }

        @Actor
        public void owner(ZJ_Result result) {
            result.r2 = tracker.advance();
        }

        @Actor
        public void worker(ZJ_Result result) {
            boolean allCount = true;
            for (int report = 1; report <= REPORTS; report++) {
                allCount &= tracker.complete(DENSE_SEGMENT + report) == ACCEPTED;
            }
            result.r1 = allCount;
        }
    }
}
