package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** I6: the committed offset moves on confirmation only. */
class CommittedOffsetTest {
    private final OffsetTracker tracker = OffsetTracker.startingAt(0);

    CommittedOffsetTest() {
        for (long offset = 0; offset < 10; offset++) {
            tracker.track(offset);
        }
    }

    @Test
    void nothingConfirmed_isEmpty() {
        completeUpTo(5);
        tracker.commitPoint();

        assertThat(tracker.committedOffset()).isEmpty();
    }

    @Test
    void confirmed_isWhatWasConfirmedAndNotWhatFinishedSince() {
        completeUpTo(3);
        long sent = tracker.commitPoint().offset();
        completeUpTo(6);
        tracker.advance();

        tracker.confirmCommit(sent);

        assertThat(tracker.committedOffset()).hasValue(3);
        assertThat(tracker.committableOffset()).isEqualTo(6);
    }

    @Test
    void olderConfirmationComesLate_isIgnored() {
        completeUpTo(3);
        long first = tracker.commitPoint().offset();
        completeUpTo(6);
        long second = tracker.commitPoint().offset();

        tracker.confirmCommit(second);
        tracker.confirmCommit(first);

        assertThat(tracker.committedOffset()).hasValue(6);
    }

    @Test
    void startPositionConfirmed_counts() {
        tracker.confirmCommit(0);

        assertThat(tracker.committedOffset()).hasValue(0);
    }

    @Test
    void confirmedAboveTheCommittableOffset_isRefusedAndChangesNothing() {
        completeUpTo(3);
        tracker.advance();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.confirmCommit(4))
                .withMessage("offset is 4: only an offset up to the committable offset 3 can have been committed");
        assertThat(tracker.committedOffset()).isEmpty();
    }

    @Test
    void negativeConfirmed_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.confirmCommit(-1))
                .withMessage("offset is -1: only an offset up to the committable offset 0 can have been committed");
    }

    private void completeUpTo(long end) {
        for (long offset = 0; offset < end; offset++) {
            tracker.complete(offset);
        }
    }
}
