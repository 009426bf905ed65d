package dev.offsets.kafka;

import java.time.Duration;
import java.util.Locale;

/** Numbers as people read them. */
final class Words {
    private Words() {}

    /** {@code 1 record}, {@code 2 records}. */
    static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    /** {@code 12 ms}, {@code 3.4 s}, {@code 12 min}, {@code 5 h 3 min}, {@code 2 d 4 h}. */
    static String of(Duration duration) {
        if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
            return duration.toMillis() + " ms";
        }
        if (duration.compareTo(Duration.ofMinutes(1)) < 0) {
            return String.format(Locale.ROOT, "%.1f s", Math.floor(duration.toMillis() / 100.0) / 10);
        }
        if (duration.compareTo(Duration.ofHours(1)) < 0) {
            return duration.toMinutes() + " min"
                    + (duration.toSecondsPart() == 0 ? "" : " " + duration.toSecondsPart() + " s");
        }
        if (duration.compareTo(Duration.ofDays(1)) < 0) {
            return duration.toHours() + " h " + duration.toMinutesPart() + " min";
        }
        return duration.toDays() + " d " + duration.toHoursPart() + " h";
    }
}
