package dev.offsets;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The committable offset while records finish in order, out of order, twice, or not at all. */
class OffsetTrackerTest {
    @Test
    void nothingTracked_committableIsTheStartPosition() {
        OffsetTracker tracker = OffsetTracker.startingAt(10);

        assertThat(tracker.advance()).isEqualTo(10);
        assertThat(tracker.committableOffset()).isEqualTo(10);
        assertThat(tracker.position()).isEqualTo(10);
    }

    @Test
    void firstRecordDelivered_committableStaysAtIt() {
        OffsetTracker tracker = OffsetTracker.startingAt(10);
        track(tracker, 10, 19);

        assertThat(tracker.advance()).isEqualTo(10);
        assertThat(tracker.position()).isEqualTo(20);
    }

    @Test
    void allFinishedInOrder_committableIsTheOffsetAfterTheLast() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 2);

        for (long offset = 0; offset <= 2; offset++) {
            assertThat(tracker.complete(offset)).isEqualTo(ACCEPTED);
            assertThat(tracker.advance()).isEqualTo(offset + 1);
        }
    }

    @Test
    void lowerRecordStillRunning_higherOneIsNotCovered() {
        OffsetTracker tracker = OffsetTracker.startingAt(1);
        track(tracker, 1, 3);

        tracker.complete(1);
        tracker.complete(3);
        assertThat(tracker.advance()).isEqualTo(2);

        tracker.complete(2);
        assertThat(tracker.advance()).isEqualTo(4);
    }

    @Test
    void crashWithALowerRecordRunning_restartDeliversItAgain() {
        OffsetTracker crashed = OffsetTracker.startingAt(1);
        track(crashed, 1, 3);
        crashed.complete(1);
        crashed.complete(3);

        OffsetTracker restarted = OffsetTracker.startingAt(crashed.advance());
        track(restarted, 2, 3);
        assertThat(restarted.advance()).isEqualTo(2);

        restarted.complete(2);
        restarted.complete(3);
        assertThat(restarted.advance()).isEqualTo(4);
    }

    @Test
    void finishedInReverse_committableMovesOnceAndAtOnce() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 9);

        for (long offset = 9; offset >= 1; offset--) {
            tracker.complete(offset);
            assertThat(tracker.advance()).isZero();
        }
        assertThat(tracker.status().completedAhead()).isEqualTo(9);

        tracker.complete(0);
        assertThat(tracker.advance()).isEqualTo(10);
        assertThat(tracker.recordsHeld()).isZero();
        assertThat(tracker.status().completedAhead()).isZero();
    }

    @Test
    void recordsFinishedAheadInSeveralRuns_eachRunIsCoveredWhenTheGapBeforeItCloses() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 9);
        complete(tracker, 0, 1, 2, 3, 4, 8, 9);
        assertThat(tracker.advance()).isEqualTo(5);

        complete(tracker, 5);
        assertThat(tracker.advance()).isEqualTo(6);

        complete(tracker, 6, 7);
        assertThat(tracker.advance()).isEqualTo(10);
        assertThat(tracker.recordsHeld()).isZero();
    }

    @Test
    void completion_isPublishedByTheNextAdvance() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 0);
        tracker.complete(0);

        assertThat(tracker.committableOffset()).isZero();
        tracker.advance();
        assertThat(tracker.committableOffset()).isEqualTo(1);
    }

    @Test
    void logThatBeginsLate_countsOnlyWhatWasDelivered() {
        OffsetTracker tracker = OffsetTracker.startingAt(833);
        track(tracker, 833, 835);
        complete(tracker, 833, 834, 835);

        assertThat(tracker.advance()).isEqualTo(836);
        assertThat(tracker.recordsCovered()).isEqualTo(3);
        assertThat(tracker.committedOffset()).isEmpty();
        tracker.confirmCommit(836);
        assertThat(tracker.committedOffset()).hasValue(836);
    }

    @Test
    void offsetsBeyond32Bits_areExact() {
        OffsetTracker tracker = OffsetTracker.startingAt(3_000_000_000L);
        tracker.track(3_000_000_000L);
        tracker.track(3_000_000_001L);
        tracker.track(9_000_000_000_000L);

        complete(tracker, 9_000_000_000_000L);
        assertThat(tracker.advance()).isEqualTo(3_000_000_000L);
        complete(tracker, 3_000_000_001L);
        assertThat(tracker.advance()).isEqualTo(3_000_000_000L);
        complete(tracker, 3_000_000_000L);
        assertThat(tracker.advance()).isEqualTo(9_000_000_000_001L);
        assertThat(tracker.position()).isEqualTo(9_000_000_000_001L);
        assertThat(tracker.recordsCovered()).isEqualTo(3);
    }

    @Test
    void highestOffsetThereIs_isTrackedAndCovered() {
        long last = Long.MAX_VALUE - 1;
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        tracker.track(0);
        tracker.track(last);

        assertThat(tracker.complete(Long.MAX_VALUE)).isEqualTo(IGNORED);
        complete(tracker, last, 0);
        assertThat(tracker.advance()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void completedTwice_secondIsIgnoredAndCountsNothing() {
        OffsetTracker tracker = OffsetTracker.startingAt(1);
        track(tracker, 1, 2);

        assertThat(tracker.complete(1)).isEqualTo(ACCEPTED);
        assertThat(tracker.complete(1)).isEqualTo(IGNORED);
        assertThat(tracker.advance()).isEqualTo(2);
        assertThat(tracker.status().incomplete()).isEqualTo(1);

        assertThat(tracker.complete(1)).isEqualTo(IGNORED);
        assertThat(tracker.complete(2)).isEqualTo(ACCEPTED);
        assertThat(tracker.advance()).isEqualTo(3);
        assertThat(tracker.recordsCovered()).isEqualTo(2);
    }

    @Test
    void completedInsideTheDispatchThatHandsItOut_isNotLost() {
        Executor sameThread = Runnable::run;
        int maxInFlight = 10;
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        for (long offset = 0; offset < 100; offset++) {
            assertThat(tracker.recordsHeld()).isLessThan(maxInFlight);
            long delivered = offset;
            tracker.track(delivered);
            sameThread.execute(() -> assertThat(tracker.complete(delivered)).isEqualTo(ACCEPTED));
            tracker.advance();
        }

        assertThat(tracker.committableOffset()).isEqualTo(100);
        assertThat(tracker.status().incomplete()).isZero();
    }

    @Test
    void completedBeforeItIsDelivered_isIgnoredAndDoesNotFinishIt() {
        OffsetTracker tracker = OffsetTracker.startingAt(5);
        track(tracker, 5, 6);

        assertThat(tracker.complete(7)).isEqualTo(IGNORED);
        assertThat(tracker.advance()).isEqualTo(5);

        tracker.track(7);
        complete(tracker, 5, 6);
        assertThat(tracker.advance()).isEqualTo(7);
        complete(tracker, 7);
        assertThat(tracker.advance()).isEqualTo(8);
    }

    @Test
    void completedBelowTheStartPosition_isIgnored() {
        OffsetTracker tracker = OffsetTracker.startingAt(10);

        assertThat(tracker.complete(3)).isEqualTo(IGNORED);
        assertThat(tracker.advance()).isEqualTo(10);

        tracker.track(10);
        assertThat(tracker.complete(3)).isEqualTo(IGNORED);
        assertThat(tracker.complete(10)).isEqualTo(ACCEPTED);
        assertThat(tracker.complete(10)).isEqualTo(IGNORED);
        assertThat(tracker.advance()).isEqualTo(11);
        assertThat(tracker.complete(10)).isEqualTo(IGNORED);
        assertThat(tracker.advance()).isEqualTo(11);
        assertThat(tracker.recordsHeld()).isZero();
    }

    @Test
    void completedWithAnOffsetThatCannotBe_isIgnored() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 0);

        assertThat(tracker.complete(-1)).isEqualTo(IGNORED);
        assertThat(tracker.complete(Long.MIN_VALUE)).isEqualTo(IGNORED);
        assertThat(tracker.complete(Long.MAX_VALUE)).isEqualTo(IGNORED);
        assertThat(tracker.fail(-1)).isEqualTo(IGNORED);
        assertThat(tracker.tryStart(-1)).isFalse();
        assertThat(tracker.advance()).isZero();
    }

    @Test
    void failedRecord_holdsTheCommittableOffsetBack() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 2);

        assertThat(tracker.fail(1)).isEqualTo(ACCEPTED);
        complete(tracker, 0, 2);

        assertThat(tracker.advance()).isEqualTo(1);
        assertThat(tracker.recordsHeld()).isEqualTo(2);
    }

    @Test
    void completedAfterFailed_firstOutcomeStands() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 1);

        assertThat(tracker.fail(1)).isEqualTo(ACCEPTED);
        assertThat(tracker.complete(1)).isEqualTo(IGNORED);
        complete(tracker, 0);

        assertThat(tracker.advance()).isEqualTo(1);
    }

    @Test
    void failedAfterCompleted_firstOutcomeStands() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 0);

        assertThat(tracker.complete(0)).isEqualTo(ACCEPTED);
        assertThat(tracker.fail(0)).isEqualTo(IGNORED);

        assertThat(tracker.advance()).isEqualTo(1);
        assertThat(tracker.status().failed()).isZero();
    }

    @Test
    void manyRecordsOverManySegments_areCoveredAsTheHeadFinishes() {
        int count = 100_000;
        OffsetTracker tracker = OffsetTracker.startingAt(7);
        track(tracker, 7, 6 + count);
        for (long offset = 6 + count; offset > 7; offset--) {
            tracker.complete(offset);
        }
        assertThat(tracker.advance()).isEqualTo(7);
        assertThat(tracker.recordsHeld()).isEqualTo(count);

        tracker.complete(7);
        assertThat(tracker.advance()).isEqualTo(7 + count);
        assertThat(tracker.recordsCovered()).isEqualTo(count);
    }

    @Test
    void recordsCompletedAhead_areThoseAboveTheLowestIncompleteAlone_alsoWhenSomeThatWereCountedHaveBeenPassed() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 1_999);
        for (long offset = 1; offset < 2_000; offset++) {
            if (offset != 1_500) {
                complete(tracker, offset);
            }
        }
        assertThat(tracker.recordsCompletedAhead()).isEqualTo(1_998);

        complete(tracker, 0);

        assertThat(tracker.recordsCompletedAhead()).isEqualTo(499);
        complete(tracker, 1_500);
        assertThat(tracker.recordsCompletedAhead()).isZero();
    }

    @Test
    void offsetBehindAFullSegment_isNoRecord() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        track(tracker, 0, 511);

        assertThat(tracker.complete(512)).isEqualTo(IGNORED);
        assertThat(tracker.complete(Long.MAX_VALUE)).isEqualTo(IGNORED);
        assertThat(tracker.complete(Long.MIN_VALUE)).isEqualTo(IGNORED);
    }

    /** Lone records share segments; what stands between them is no record. */
    @Test
    void loneRecords_areEachFoundByTheirOffset() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        long far = 1 << 20;
        int count = 200;
        for (int i = 0; i < count; i++) {
            tracker.track(i * far);
        }

        for (int i = count - 1; i > 0; i--) {
            assertThat(tracker.complete(i * far + 1)).isEqualTo(IGNORED);
            assertThat(tracker.complete(i * far)).isEqualTo(ACCEPTED);
            assertThat(tracker.complete(i * far)).isEqualTo(IGNORED);
            assertThat(tracker.advance()).isZero();
        }
        assertThat(tracker.complete(Long.MAX_VALUE)).isEqualTo(IGNORED);
        assertThat(tracker.recordsCompletedAhead()).isEqualTo(count - 1);
        complete(tracker, 0);
        assertThat(tracker.advance()).isEqualTo((count - 1) * far + 1);
        assertThat(tracker.recordsCovered()).isEqualTo(count);
    }

    @Test
    void lastOffsetsThereAre_areTrackedAndPassed() {
        OffsetTracker tracker = OffsetTracker.startingAt(Long.MAX_VALUE - 3);
        track(tracker, Long.MAX_VALUE - 3, Long.MAX_VALUE - 1);

        complete(tracker, Long.MAX_VALUE - 1, Long.MAX_VALUE - 2);
        assertThat(tracker.advance()).isEqualTo(Long.MAX_VALUE - 3);
        complete(tracker, Long.MAX_VALUE - 3);
        assertThat(tracker.advance()).isEqualTo(Long.MAX_VALUE);
    }

    private static void track(OffsetTracker tracker, long first, long last) {
        for (long offset = first; offset <= last; offset++) {
            tracker.track(offset);
        }
    }

    private static void complete(OffsetTracker tracker, long... offsets) {
        for (long offset : offsets) {
            assertThat(tracker.complete(offset)).isEqualTo(ACCEPTED);
        }
    }
}
