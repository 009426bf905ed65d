package dev.offsets;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Offsets that never come: compacted records, transaction markers, aborted and filtered records. */
class HolesTest {
    @Test
    void everySecondOffsetIsAMarker_markersAreNotWaitedFor() {
        OffsetTracker tracker = tracking(0, 0, 2, 4, 6);

        complete(tracker, 0, 2, 6);
        assertThat(tracker.advance()).isEqualTo(4);

        complete(tracker, 4);
        assertThat(tracker.advance()).isEqualTo(7);
        assertThat(tracker.recordsHeld()).isZero();
        assertThat(tracker.recordsCovered()).isEqualTo(4);
    }

    @Test
    void loneRecordAfterAHole_isCoveredInOneRound() {
        OffsetTracker tracker = tracking(5, 5, 9);

        complete(tracker, 9, 5);

        assertThat(tracker.advance()).isEqualTo(10);
    }

    @Test
    void deliveryThatIsNotConsecutive_isNotTakenForASeek() {
        OffsetTracker tracker = tracking(0, 0, 1, 3);

        complete(tracker, 3);
        assertThat(tracker.advance()).isZero();

        complete(tracker, 0, 1);
        assertThat(tracker.advance()).isEqualTo(4);
    }

    @Test
    void standingBeforeAHole_committableIsTheRecordBeyondIt() {
        OffsetTracker tracker = tracking(5, 5, 8);

        complete(tracker, 5);

        assertThat(tracker.advance()).isEqualTo(8);
    }

    @Test
    void firstRecordFarAboveTheStart_nothingBelowIsWaitedFor() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        tracker.track(208_437);
        assertThat(tracker.advance()).isEqualTo(208_437);

        complete(tracker, 208_437);

        assertThat(tracker.advance()).isEqualTo(208_438);
        assertThat(tracker.recordsCovered()).isEqualTo(1);
    }

    @Test
    void markersAfterTheLastRecord_areCoveredOnceItHasFinished() {
        OffsetTracker tracker = tracking(10, 10, 11);
        tracker.updatePosition(14);

        complete(tracker, 11);
        assertThat(tracker.advance()).isEqualTo(10);

        complete(tracker, 10);
        assertThat(tracker.advance()).isEqualTo(14);
    }

    @Test
    void onlyHolesRead_committableFollowsThePosition() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);

        tracker.updatePosition(303);

        assertThat(tracker.advance()).isEqualTo(303);
        assertThat(tracker.recordsCovered()).isZero();
    }

    @Test
    void positionMovesOverHolesWithinASegment_committableFollows() {
        OffsetTracker tracker = tracking(0, 0);
        complete(tracker, 0);
        assertThat(tracker.advance()).isEqualTo(1);

        tracker.updatePosition(10);
        assertThat(tracker.advance()).isEqualTo(10);
        tracker.track(12);
        assertThat(tracker.advance()).isEqualTo(12);
        complete(tracker, 12);
        assertThat(tracker.advance()).isEqualTo(13);
    }

    @Test
    void positionMovesToTheMiddleOfTheRoomThatIsLeft_nextRecordIsTracked() {
        OffsetTracker tracker = tracking(0, 0);
        tracker.updatePosition(1_000);
        tracker.track(1_000);

        complete(tracker, 1_000, 0);

        assertThat(tracker.advance()).isEqualTo(1_001);
    }

    @Test
    void samePositionAgain_changesNothing() {
        OffsetTracker tracker = tracking(0, 0);

        tracker.updatePosition(1);

        assertThat(tracker.advance()).isZero();
        assertThat(tracker.position()).isEqualTo(1);
    }

    @Test
    void completingAHole_isIgnored() {
        OffsetTracker tracker = tracking(5, 5, 8);

        assertThat(tracker.complete(6)).isEqualTo(IGNORED);
        assertThat(tracker.fail(7)).isEqualTo(IGNORED);
        assertThat(tracker.tryStart(6)).isFalse();

        assertThat(tracker.advance()).isEqualTo(5);
        assertThat(tracker.status().completedAhead()).isZero();
        assertThat(tracker.status().lowestIncompleteOffset()).isEqualTo(OptionalLong.of(5));
    }

    @Test
    void hugeHolesBetweenAllRecords_finishInAnyOrder() {
        long gap = 1L << 40;
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        for (long i = 0; i < 1_000; i++) {
            tracker.track(i * gap);
        }
        for (long i = 999; i >= 1; i--) {
            complete(tracker, i * gap);
            assertThat(tracker.complete(i * gap + 1)).isEqualTo(IGNORED);
        }
        assertThat(tracker.advance()).isZero();

        complete(tracker, 0);
        assertThat(tracker.advance()).isEqualTo(999 * gap + 1);
    }

    private static OffsetTracker tracking(long position, long... offsets) {
        OffsetTracker tracker = OffsetTracker.startingAt(position);
        for (long offset : offsets) {
            tracker.track(offset);
        }
        return tracker;
    }

    private static void complete(OffsetTracker tracker, long... offsets) {
        for (long offset : offsets) {
            assertThat(tracker.complete(offset)).isEqualTo(ACCEPTED);
        }
    }
}
