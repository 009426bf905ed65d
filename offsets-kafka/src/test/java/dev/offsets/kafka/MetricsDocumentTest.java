package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

/** What docs/metrics.md lists is what a consumer has, with the same words. */
class MetricsDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "metrics.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z-]+)` \\|(?: ([a-z]+) \\|)? (.+) \\|$");
    private static final Pattern STATUS_ROW = Pattern.compile("(?m)^\\| ([0-9]+) \\| `([A-Z_]+)` \\|$");

    private static Stream<MatchResult> rows(Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(DOCUMENT)).results();
    }

    private static Map<String, String> inCode() {
        Rig rig = Rig.committingAtOnce().subscribed(Rig.P0);
        rig.tick();
        return rig.consumer.metrics().values().stream()
                .map(Metric::metricName)
                .filter(name -> name.group().equals("tracked-consumer-metrics"))
                .filter(name -> Stream.of(Counter.values())
                        .noneMatch(counter -> name.name().equals(counter.metricName + "-rate")))
                .collect(Collectors.toMap(MetricName::name, MetricName::description));
    }

    @Test
    void everyMetric_isDocumentedWithItsMeaning_andNothingElse() throws IOException {
        Map<String, String> documented = rows(ROW).collect(Collectors.toMap(row -> row.group(1), row -> row.group(3)));

        assertThat(new TreeMap<>(documented)).isEqualTo(new TreeMap<>(inCode()));
    }

    @Test
    void everyTotal_hasARate() {
        Rig rig = Rig.committingAtOnce();
        for (Counter counter : Counter.values()) {
            assertThat(rig.consumer.metrics().keySet())
                    .extracting(MetricName::name)
                    .contains(counter.metricName + "-total", counter.metricName + "-rate");
        }
    }

    @Test
    void everyUnit_isThatOfTheCode() throws IOException {
        Map<String, String> units = rows(ROW)
                .filter(row -> row.group(2) != null && !row.group(1).startsWith("commit-latency"))
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
        Map<String, String> inCode = new TreeMap<>();
        Stream.of(PartitionGauge.values()).forEach(gauge -> inCode.put(gauge.metricName, gauge.unit));
        Stream.of(ConsumerGauge.values()).forEach(gauge -> inCode.put(gauge.metricName, gauge.unit));

        assertThat(new TreeMap<>(units)).isEqualTo(inCode);
    }

    @Test
    void everyStatusAsANumber_isThatOfTheCode() throws IOException {
        Map<String, String> numbers =
                rows(STATUS_ROW).collect(Collectors.toMap(row -> row.group(2), row -> row.group(1)));
        Map<String, String> inCode = Stream.of(PartitionStatus.Kind.values())
                .collect(Collectors.toMap(Enum::name, kind -> String.valueOf(kind.severity())));

        assertThat(numbers).isEqualTo(inCode);
    }
}
