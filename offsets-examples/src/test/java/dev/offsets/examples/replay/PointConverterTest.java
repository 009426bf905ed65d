package dev.offsets.examples.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.kafka.ReplayPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class PointConverterTest {
    private final PointConverter converter = new PointConverter();

    @Test
    void everyKindOfPoint_isRead() {
        Map<String, ReplayPoint> points = Map.of(
                "earliest", ReplayPoint.earliest(),
                "Latest", ReplayPoint.latest(),
                "committed", ReplayPoint.committed(),
                "1042", ReplayPoint.offset(1_042),
                "-5", ReplayPoint.shiftedBy(-5),
                "+45", ReplayPoint.shiftedBy(45),
                "2026-11-29T10:15:30Z", ReplayPoint.timestamp(Instant.parse("2026-11-29T10:15:30Z")),
                "90s", ReplayPoint.ago(Duration.ofSeconds(90)),
                "7d", ReplayPoint.ago(Duration.ofDays(7)),
                "PT1H30M", ReplayPoint.ago(Duration.ofMinutes(90)));

        points.forEach((text, point) -> assertThat(converter.convert(text)).isEqualTo(point));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "5x", "2026-11-29", "99999999999999999999", "-PT1H", "--5"})
    void anythingElse_isRefused_withWhatWouldBeRight(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith(
                        "'" + text + "' is neither earliest, latest or committed, nor an offset (1042),");
    }
}
