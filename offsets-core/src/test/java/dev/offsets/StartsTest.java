package dev.offsets;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Claiming records before work on them begins, and refusing it when the partition is taken away. */
class StartsTest {
    private final OffsetTracker tracker = OffsetTracker.startingAt(0);

    @Test
    void deliveredRecord_isStartedOnce() {
        tracker.track(0);

        assertThat(tracker.tryStart(0)).isTrue();
        assertThat(tracker.tryStart(0)).isFalse();
        assertThat(tracker.status().started()).isEqualTo(1);
    }

    @Test
    void recordThatWasNotDelivered_isNotStarted() {
        tracker.track(3);

        assertThat(tracker.tryStart(0)).isFalse();
        assertThat(tracker.tryStart(4)).isFalse();
        assertThat(tracker.tryStart(Long.MAX_VALUE)).isFalse();
    }

    @Test
    void recordWithAnOutcome_isNotStarted() {
        tracker.track(0);
        tracker.track(1);
        tracker.fail(0);
        tracker.complete(1);

        assertThat(tracker.tryStart(0)).isFalse();
        assertThat(tracker.tryStart(1)).isFalse();
    }

    @Test
    void startedRecord_takesOneOutcome() {
        tracker.track(0);
        tracker.track(1);
        tracker.tryStart(0);
        tracker.tryStart(1);

        assertThat(tracker.complete(0)).isEqualTo(ACCEPTED);
        assertThat(tracker.fail(1)).isEqualTo(ACCEPTED);
        assertThat(tracker.advance()).isEqualTo(1);
        assertThat(tracker.status().started()).isZero();
        assertThat(tracker.status().failed()).isEqualTo(1);
    }

    @Test
    void startedRecord_holdsTheCommittableOffsetBack() {
        tracker.track(0);
        tracker.tryStart(0);

        assertThat(tracker.advance()).isZero();
    }

    @Test
    void startsRefused_startedRecordsMayStillFinish() {
        tracker.track(0);
        tracker.track(1);
        tracker.tryStart(0);
        tracker.refuseStarts();

        assertThat(tracker.tryStart(1)).isFalse();
        assertThat(tracker.status().started()).isEqualTo(1);
        assertThat(tracker.complete(0)).isEqualTo(ACCEPTED);
        assertThat(tracker.status().started()).isZero();
        assertThat(tracker.advance()).isEqualTo(1);
    }

    @Test
    void startsRefused_recordsThatWereNotStartedMayStillFinish() {
        tracker.track(0);
        tracker.refuseStarts();

        assertThat(tracker.complete(0)).isEqualTo(ACCEPTED);
        assertThat(tracker.advance()).isEqualTo(1);
    }

    @Test
    void startsRefused_recordsTrackedLaterAreNotStartedEither() {
        tracker.refuseStarts();
        tracker.track(0);

        assertThat(tracker.tryStart(0)).isFalse();
        assertThat(tracker.status().started()).isZero();
        assertThat(tracker.status().incomplete()).isEqualTo(1);
    }

    @Test
    void releasedRecord_isNotStartedAndCanBeClaimedAgain() {
        tracker.track(0);
        tracker.tryStart(0);

        assertThat(tracker.release(0)).isEqualTo(ACCEPTED);
        assertThat(tracker.status().started()).isZero();
        assertThat(tracker.status().incomplete()).isEqualTo(1);
        assertThat(tracker.advance()).isZero();
        assertThat(tracker.tryStart(0)).isTrue();
    }

    @Test
    void releasedRecord_isNotStartedAnyMoreOnceStartsAreRefused() {
        tracker.track(0);
        tracker.tryStart(0);
        tracker.refuseStarts();

        assertThat(tracker.release(0)).isEqualTo(ACCEPTED);
        assertThat(tracker.tryStart(0)).isFalse();
        assertThat(tracker.status().started()).isZero();
    }

    @Test
    void recordThatIsNotStarted_isNotReleased() {
        tracker.track(0);
        tracker.track(1);
        tracker.tryStart(1);
        tracker.complete(1);

        assertThat(tracker.release(0)).isEqualTo(IGNORED);
        assertThat(tracker.release(1)).isEqualTo(IGNORED);
        assertThat(tracker.release(2)).isEqualTo(IGNORED);
        assertThat(tracker.release(Long.MAX_VALUE)).isEqualTo(IGNORED);
        assertThat(tracker.complete(1)).isEqualTo(IGNORED);
    }

    @Test
    void releasedAfterTheEnd_isIgnored() {
        tracker.track(0);
        tracker.tryStart(0);
        tracker.end();

        assertThat(tracker.release(0)).isEqualTo(IGNORED);
    }
}
