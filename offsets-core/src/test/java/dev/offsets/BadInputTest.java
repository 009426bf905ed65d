package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Bad arguments are refused at once, with the value and what would be right, and change nothing. */
class BadInputTest {
    private static final String READ_AGAIN = ": when the log is read again, end this tracker and start a new one";

    @Test
    void negativeStartPosition_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OffsetTracker.startingAt(-1))
                .withMessage("position is -1: it must be zero or more, the next offset to read");
    }

    @Test
    void missingClock_isRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> OffsetTracker.startingAt(0, null))
                .withMessage("nanoClock");
    }

    @Test
    void trackingBelowThePosition_isRefused() {
        OffsetTracker tracker = OffsetTracker.startingAt(5);
        tracker.track(5);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.track(5))
                .withMessage("offset is 5, below the position 6: records are tracked once, in ascending order; when the"
                        + " log is read again, end this tracker and start a new one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.track(-1, 3))
                .withMessage("offset is -1, below the position 6: records are tracked once, in ascending order; when"
                        + " the log is read again, end this tracker and start a new one");
        assertThat(tracker.recordsHeld()).isEqualTo(1);
        assertThat(tracker.position()).isEqualTo(6);
    }

    @Test
    void trackingTheOffsetThatHasNoNext_isRefused() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.track(Long.MAX_VALUE))
                .withMessage("offset is 9223372036854775807: there is no offset after it to commit");
        assertThat(tracker.position()).isZero();
    }

    @Test
    void negativeLeaderEpoch_isRefused() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        String message = "leaderEpoch is -1: it must be zero or more; leave it out when it is not known";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.track(0, -1))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.updatePosition(7, -1))
                .withMessage(message);
        assertThat(tracker.recordsHeld()).isZero();
        assertThat(tracker.position()).isZero();
    }

    @Test
    void positionMovedBack_isRefused() {
        OffsetTracker tracker = OffsetTracker.startingAt(10);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.updatePosition(9))
                .withMessage("position is 9, below the present position 10" + READ_AGAIN);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.updatePosition(9, 4))
                .withMessage("position is 9, below the present position 10" + READ_AGAIN);
        assertThat(tracker.commitPoint()).isEqualTo(new CommitPoint(10, OptionalInt.empty()));
    }

    @Test
    void trackingAfterTheEnd_isRefusedAsThatWhateverTheOffset() {
        OffsetTracker tracker = OffsetTracker.startingAt(10);
        tracker.end();
        String message =
                "this tracker has ended at position 10: start a new one for a partition that comes back or is read again";

        assertThatIllegalStateException().isThrownBy(() -> tracker.track(10)).withMessage(message);
        assertThatIllegalStateException().isThrownBy(() -> tracker.track(5)).withMessage(message);
        assertThatIllegalStateException()
                .isThrownBy(() -> tracker.updatePosition(12))
                .withMessage(message);
        assertThatIllegalStateException()
                .isThrownBy(() -> tracker.updatePosition(5, 1))
                .withMessage(message);
        assertThat(tracker.position()).isEqualTo(10);
    }

    @Test
    void commitPointBelowZero_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CommitPoint(-1, OptionalInt.empty()))
                .withMessage("offset is -1: it must be zero or more");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CommitPoint(0, OptionalInt.of(-1)))
                .withMessage(
                        "leaderEpoch is -1: it must be zero or more; use an empty leader epoch when it is not known");
        assertThatNullPointerException()
                .isThrownBy(() -> new CommitPoint(0, null))
                .withMessage("leaderEpoch");
    }

    @Test
    void progressWithoutTimes_isRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> new CommitProgress(1, null, Duration.ZERO, 0, 0, 0))
                .withMessage("timeSinceCommittable");
        assertThatNullPointerException()
                .isThrownBy(() -> new CommitProgress(1, Duration.ZERO, null, 0, 0, 0))
                .withMessage("timeSinceLastCommit");
    }

    @Test
    void exposureOfNoRecords_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommitPolicy.replayExposure(0))
                .withMessage("replayExposure(0): the number of records must be one or more");
    }

    @Test
    void batchOfNoRecords_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommitPolicy.batched(0))
                .withMessage("batched(0): the number of records must be one or more");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommitPolicy.batched(-5))
                .withMessage("batched(-5): the number of records must be one or more");
    }

    @Test
    void boundOfNoTime_isRefused() {
        String advice = ": the duration must be more than zero; use afterProcessing() to commit without delay";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommitPolicy.timeBounded(Duration.ZERO))
                .withMessage("timeBounded(PT0S)" + advice);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommitPolicy.timeBounded(Duration.ofSeconds(-1)))
                .withMessage("timeBounded(PT-1S)" + advice);
        assertThatNullPointerException()
                .isThrownBy(() -> CommitPolicy.timeBounded(null))
                .withMessage("duration");
    }

    @Test
    void missingOtherPolicy_isRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> CommitPolicy.afterProcessing().or(null))
                .withMessage("other");
    }
}
