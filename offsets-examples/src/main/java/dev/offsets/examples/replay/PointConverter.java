package dev.offsets.examples.replay;

import dev.offsets.kafka.ReplayPoint;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A point in a log on the command line: {@code earliest}, {@code latest}, {@code committed}, an offset ({@code 1042}), a shift
 * from what is committed ({@code -5}, {@code +5}), a moment ({@code 2026-11-29T10:15:30Z}), or so long ago ({@code 90s}, {@code
 * 15m}, {@code 2h}, {@code 7d}, {@code PT1H30M}).
 */
final class PointConverter implements ITypeConverter<ReplayPoint> {
    @Override
    public ReplayPoint convert(String text) {
        try {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "earliest" -> ReplayPoint.earliest();
                case "latest" -> ReplayPoint.latest();
                case "committed" -> ReplayPoint.committed();
                default -> parsed(text);
            };
        } catch (DateTimeException | IllegalArgumentException e) {
            throw new TypeConversionException(
                    "'" + text + "' is neither earliest, latest or committed, nor an offset (1042),"
                            + " a shift (-5), a moment (2026-11-29T10:15:30Z), or a time ago (90s, 15m, 2h, 7d)");
        }
    }

    private static ReplayPoint parsed(String text) {
        if (text.matches("[+-]\\d+")) {
            return ReplayPoint.shiftedBy(Long.parseLong(text));
        }
        if (text.matches("\\d+")) {
            return ReplayPoint.offset(Long.parseLong(text));
        }
        return text.matches("\\d{4,}-.*")
                ? ReplayPoint.timestamp(Instant.parse(text))
                : ReplayPoint.ago(Duration.parse(duration(text)));
    }

    private static String duration(String text) {
        if (text.matches("(?i)\\d+d")) {
            return "P" + text;
        }
        return text.matches("(?i)\\d+[hms]") ? "PT" + text : text;
    }
}
