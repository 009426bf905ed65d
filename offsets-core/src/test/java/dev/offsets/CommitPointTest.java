package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Which leader epoch goes with the offset that is committed. */
class CommitPointTest {
    private static final int OLD_EPOCH = 0;
    private static final int NEW_EPOCH = 2;

    private final OffsetTracker tracker = OffsetTracker.startingAt(0);

    @Test
    void nothingReadYet_hasNoEpoch() {
        assertThat(tracker.commitPoint()).isEqualTo(withoutEpoch(0));
    }

    @Test
    void startPositionWithItsEpoch_hasIt() {
        tracker.updatePosition(0, NEW_EPOCH);

        assertThat(tracker.commitPoint()).isEqualTo(at(0, NEW_EPOCH));
    }

    @Test
    void recordStandsAtTheOffset_epochIsThatOfTheRecord() {
        tracker.track(0, OLD_EPOCH);
        tracker.track(1, NEW_EPOCH);
        assertThat(tracker.commitPoint()).isEqualTo(at(0, OLD_EPOCH));

        tracker.complete(0);
        assertThat(tracker.commitPoint()).isEqualTo(at(1, NEW_EPOCH));
    }

    @Test
    void leaderChangedInAHole_epochIsThatOfTheRecordBeyondIt() {
        for (long offset = 0; offset <= 5; offset++) {
            tracker.track(offset, OLD_EPOCH);
        }
        tracker.track(8, NEW_EPOCH);
        for (long offset = 0; offset <= 5; offset++) {
            tracker.complete(offset);
        }

        assertThat(tracker.commitPoint()).isEqualTo(at(8, NEW_EPOCH));
    }

    @Test
    void nothingIncomplete_epochIsThatOfThePosition() {
        tracker.track(0, OLD_EPOCH);
        tracker.updatePosition(8, NEW_EPOCH);
        tracker.complete(0);

        assertThat(tracker.commitPoint()).isEqualTo(at(8, NEW_EPOCH));
    }

    @Test
    void positionRightAfterTheLastRecord_epochIsThatOfTheRecordUntilToldOtherwise() {
        tracker.track(0, OLD_EPOCH);
        tracker.complete(0);
        assertThat(tracker.commitPoint()).isEqualTo(at(1, OLD_EPOCH));

        tracker.updatePosition(1, NEW_EPOCH);
        assertThat(tracker.commitPoint()).isEqualTo(at(1, NEW_EPOCH));
    }

    @Test
    void samePositionWithoutEpoch_keepsTheEpoch() {
        tracker.track(0, NEW_EPOCH);
        tracker.complete(0);

        tracker.updatePosition(1);

        assertThat(tracker.commitPoint()).isEqualTo(at(1, NEW_EPOCH));
    }

    @Test
    void positionBeyondAHoleWithoutEpoch_inventsNone() {
        tracker.track(0, OLD_EPOCH);
        tracker.complete(0);

        tracker.updatePosition(8);

        assertThat(tracker.commitPoint()).isEqualTo(withoutEpoch(8));
    }

    @Test
    void recordWithoutEpoch_doesNotTakeThatOfItsNeighbours() {
        tracker.track(0, OLD_EPOCH);
        tracker.track(1);
        tracker.track(2, NEW_EPOCH);
        tracker.complete(0);
        assertThat(tracker.commitPoint()).isEqualTo(withoutEpoch(1));

        tracker.complete(1);
        assertThat(tracker.commitPoint()).isEqualTo(at(2, NEW_EPOCH));
    }

    @Test
    void epochChangesWithEachRecord_eachKeepsItsOwn() {
        int count = 1_000;
        for (int offset = 0; offset < count; offset++) {
            tracker.track(offset, offset);
        }
        for (int offset = 0; offset < count; offset++) {
            assertThat(tracker.commitPoint()).isEqualTo(at(offset, offset));
            tracker.complete(offset);
        }
    }

    @Test
    void commitPoint_advancesAndPublishes() {
        tracker.track(0);
        tracker.complete(0);

        assertThat(tracker.commitPoint().offset()).isEqualTo(1);
        assertThat(tracker.committableOffset()).isEqualTo(1);
        assertThat(tracker.recordsCovered()).isEqualTo(1);
    }

    @Test
    void endedWithRecordsInFlight_inventsNoEpoch() {
        tracker.track(0, OLD_EPOCH);
        tracker.track(1, NEW_EPOCH);
        tracker.complete(0);
        tracker.advance();
        tracker.end();

        assertThat(tracker.commitPoint()).isEqualTo(withoutEpoch(1));
    }

    private static CommitPoint at(long offset, int leaderEpoch) {
        return new CommitPoint(offset, OptionalInt.of(leaderEpoch));
    }

    private static CommitPoint withoutEpoch(long offset) {
        return new CommitPoint(offset, OptionalInt.empty());
    }
}
