package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TrackerStatusTest {
    private long nowNanos = 1_000;
    private final OffsetTracker tracker = OffsetTracker.startingAt(5, () -> nowNanos);

    @Test
    void nothingTracked_statusIsEmptyAtThePosition() {
        assertThat(tracker.status())
                .isEqualTo(new TrackerStatus(
                        5, 5, OptionalLong.empty(), 0, 0, 0, 0, OptionalLong.empty(), Optional.empty(), false));
    }

    @Test
    void lowestIncompleteAge_isThatOfTheRecordThatHoldsTheOffsetBack() {
        assertThat(tracker.lowestIncompleteAge()).isEmpty();
        tracker.track(5);
        nowNanos += 2_000_000_000L;
        tracker.advance();
        tracker.track(6);
        nowNanos += 1_000_000_000L;

        assertThat(tracker.lowestIncompleteAge()).contains(Duration.ofSeconds(3));
        tracker.complete(5);
        assertThat(tracker.lowestIncompleteAge()).contains(Duration.ofSeconds(1));
        tracker.end();
        assertThat(tracker.lowestIncompleteAge()).isEmpty();
    }

    @Test
    void recordsInEveryState_areCountedByState() {
        for (long offset = 5; offset <= 10; offset++) {
            tracker.track(offset);
        }
        tracker.updatePosition(20);
        tracker.complete(5);
        tracker.advance();
        tracker.confirmCommit(6);
        tracker.tryStart(7);
        tracker.fail(8);
        tracker.tryStart(9);
        tracker.fail(9);
        tracker.complete(10);
        nowNanos += 3_000_000_000L;

        assertThat(tracker.status())
                .isEqualTo(new TrackerStatus(
                        20,
                        6,
                        OptionalLong.of(6),
                        4,
                        1,
                        2,
                        1,
                        OptionalLong.of(6),
                        Optional.of(Duration.ofSeconds(3)),
                        false));
    }

    @Test
    void committableNotYetAdvanced_statusIsThatOfTheLastAdvance() {
        tracker.track(5);
        tracker.track(6);
        tracker.complete(5);

        TrackerStatus status = tracker.status();

        assertThat(status.committableOffset()).isEqualTo(5);
        assertThat(status.lowestIncompleteOffset()).hasValue(6);
        assertThat(status.completedAhead()).isEqualTo(1);
    }

    @Test
    void ended_statusKeepsTheOffsetsAndHasNothingInFlight() {
        tracker.track(5);
        tracker.track(6);
        tracker.complete(5);
        tracker.advance();
        tracker.confirmCommit(6);
        tracker.end();

        assertThat(tracker.status())
                .isEqualTo(new TrackerStatus(
                        7, 6, OptionalLong.of(6), 0, 0, 0, 0, OptionalLong.empty(), Optional.empty(), true));
    }

    @Test
    void lowestRecord_growsOldAsTimePasses() {
        tracker.track(5);
        assertThat(age()).isZero();

        nowNanos += 250_000_000;
        tracker.advance();
        assertThat(age()).isEqualTo(Duration.ofMillis(250));
    }

    @Test
    void lowestRecordFinished_ageIsThatOfTheNext() {
        tracker.track(5);
        nowNanos += 2_000_000_000;
        tracker.advance();
        tracker.track(6);
        nowNanos += 1_000_000_000;
        assertThat(age()).isEqualTo(Duration.ofSeconds(3));

        tracker.complete(5);
        tracker.advance();

        assertThat(age()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void recordsOfOneTurn_areAsOldAsTheFirstOfThem() {
        tracker.track(5);
        nowNanos += 40_000_000;
        tracker.track(6);
        tracker.complete(5);
        tracker.advance();

        assertThat(age()).isEqualTo(Duration.ofMillis(40));
    }

    @Test
    void turnsWithinAMillisecond_shareTheOlderTime() {
        tracker.track(5);
        nowNanos += 999_999;
        tracker.advance();
        tracker.track(6);
        tracker.complete(5);
        tracker.advance();
        assertThat(age()).isEqualTo(Duration.ofNanos(999_999));

        nowNanos += 1;
        tracker.track(7);
        tracker.complete(6);
        tracker.advance();
        assertThat(age()).isZero();
    }

    @Test
    void clockThatHasWrapped_ageIsRight() {
        nowNanos = Long.MAX_VALUE - 10;
        tracker.track(5);
        nowNanos += 1_000_000;

        assertThat(age()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void clockThatSteppedBack_ageIsNotNegative() {
        tracker.track(5);
        nowNanos -= 500;

        assertThat(age()).isZero();
    }

    private Duration age() {
        return tracker.status().lowestIncompleteAge().orElseThrow();
    }
}
