package dev.offsets;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What workers report after the incarnation that gave them the record has ended. */
class LateReportsTest {
    @Test
    void everyOutcomeAfterTheEnd_isIgnored() {
        OffsetTracker tracker = tracking(5, 5, 6, 7);
        tracker.end();

        assertThat(tracker.complete(5)).isEqualTo(IGNORED);
        assertThat(tracker.fail(6)).isEqualTo(IGNORED);
        assertThat(tracker.tryStart(7)).isFalse();

        assertThat(tracker.advance()).isEqualTo(5);
        assertThat(tracker.commitPoint().offset()).isEqualTo(5);
        assertThat(tracker.recordsHeld()).isZero();
        assertThat(tracker.recordsCovered()).isZero();
        assertThat(tracker.hasEnded()).isTrue();
    }

    @Test
    void partitionComesBack_reportsOfTheFirstDeliveryAreNotCreditedToTheSecond() {
        OffsetTracker first = tracking(5, 5, 6, 7);
        first.end();
        OffsetTracker second = tracking(5, 5, 6, 7);

        assertThat(first.complete(7)).isEqualTo(IGNORED);
        assertThat(first.complete(6)).isEqualTo(IGNORED);
        assertThat(first.complete(5)).isEqualTo(IGNORED);
        assertThat(second.advance()).isEqualTo(5);

        assertThat(second.complete(5)).isEqualTo(ACCEPTED);
        assertThat(second.advance()).isEqualTo(6);
        assertThat(second.complete(7)).isEqualTo(ACCEPTED);
        assertThat(second.complete(6)).isEqualTo(ACCEPTED);
        assertThat(second.advance()).isEqualTo(8);
    }

    @Test
    void endWithProgressNotYetPublished_offsetsKeepTheirLastValues() {
        OffsetTracker tracker = tracking(0, 0, 1, 2);
        tracker.complete(0);
        tracker.advance();
        tracker.confirmCommit(1);
        tracker.complete(1);
        tracker.end();

        assertThat(tracker.advance()).isEqualTo(1);
        assertThat(tracker.committableOffset()).isEqualTo(1);
        assertThat(tracker.committedOffset()).isEqualTo(OptionalLong.of(1));
        assertThat(tracker.position()).isEqualTo(3);
    }

    @Test
    void confirmationAfterTheEnd_isIgnored() {
        OffsetTracker tracker = tracking(0, 0);
        tracker.complete(0);
        tracker.advance();
        tracker.end();

        tracker.confirmCommit(1);

        assertThat(tracker.committedOffset()).isEmpty();
    }

    @Test
    void endedTwice_nothingChanges() {
        OffsetTracker tracker = tracking(0, 0, 1);
        tracker.complete(0);
        tracker.advance();
        tracker.end();
        TrackerStatus afterTheFirst = tracker.status();

        tracker.end();

        assertThat(tracker.status()).isEqualTo(afterTheFirst);
    }

    @Test
    void reportForARecordLongCovered_isIgnored() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        for (long offset = 0; offset < 10_000; offset++) {
            tracker.track(offset);
            tracker.complete(offset);
            tracker.advance();
        }
        tracker.track(10_000);

        for (long offset = 0; offset < 10_000; offset++) {
            assertThat(tracker.complete(offset)).isEqualTo(IGNORED);
            assertThat(tracker.fail(offset)).isEqualTo(IGNORED);
        }
        assertThat(tracker.advance()).isEqualTo(10_000);
        assertThat(tracker.recordsHeld()).isEqualTo(1);
    }

    private static OffsetTracker tracking(long position, long... offsets) {
        OffsetTracker tracker = OffsetTracker.startingAt(position);
        for (long offset : offsets) {
            tracker.track(offset);
        }
        return tracker;
    }
}
