package dev.offsets.kafka;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * How far a {@link RangeReplay} has come. In offsets, of which some may have no record.
 *
 * @param finished how many offsets of the range have been finished, those above one that has not included
 * @param total how many the range has
 * @param elapsed since the replay was opened
 */
public record ReplayProgress(long finished, long total, Duration elapsed) {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Since the replay was opened; 0 while no time has passed. */
    public double offsetsPerSecond() {
        return elapsed.isZero() ? 0 : finished * NANOS_PER_SECOND / elapsed.toNanos();
    }

    /** How long it will take if it goes on as it did; empty while nothing has finished. */
    public Optional<Duration> timeLeft() {
        if (finished == total) {
            return Optional.of(Duration.ZERO);
        }
        double rate = offsetsPerSecond();
        return rate == 0
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(Math.round((total - finished) * 1_000 / rate)));
    }

    /** One line: {@code 420 of 1000 offsets (42 %), 84 a second, 6.9 s left}. */
    public String toLine() {
        return String.format(
                Locale.ROOT,
                "%d of %d offsets (%d %%), %.0f a second%s",
                finished,
                total,
                total == 0 ? 100 : (long) Math.floor(100.0 * finished / total),
                offsetsPerSecond(),
                timeLeft().map(left -> ", " + Words.of(left) + " left").orElse(""));
    }
}
