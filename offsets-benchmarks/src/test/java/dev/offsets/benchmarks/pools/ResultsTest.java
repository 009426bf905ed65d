package dev.offsets.benchmarks.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.benchmarks.pools.CrashRun.Outcome;
import dev.offsets.benchmarks.pools.Scenario.Order;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {
    private static final Scenario TEN_KEYS = new Scenario(Order.BY_KEY, 10, 1);

    private final Results results = new Results(32);

    private static Measurement perSecond(long records) {
        return new Measurement(records, 1_000_000_000L, 2_000L * records, 3_000_000);
    }

    @Test
    void ratios_areThoseOfTheSameRound() {
        results.add(TEN_KEYS, Contender.OURS, perSecond(9_000));
        results.add(TEN_KEYS, Contender.PARALLEL_CONSUMER, perSecond(1_000));
        results.add(TEN_KEYS, Contender.OURS, perSecond(6_000));
        results.add(TEN_KEYS, Contender.PARALLEL_CONSUMER, perSecond(2_000));

        assertThat(results.toMarkdown())
                .contains("| 1 ms, by key, 10 keys | 10,000 | – | 7,500 (6,000–9,000) | 1,500 (1,000–2,000) | – |"
                        + " 6.00 (3.00–9.00) | – | – |")
                .contains("| 1 ms, by key, 10 keys | 2.0 (2.0–2.0) | 2.0 (2.0–2.0) | – |")
                .contains("| 1 ms, by key, 10 keys | 3.0 (3.0–3.0) | 3.0 (3.0–3.0) | – |");
    }

    @Test
    void crashes_areShownForEachContender() {
        results.add(Contender.OURS, new Outcome(5, 0));
        results.add(Contender.OURS, new Outcome(7, 0));
        results.add(Contender.PLAIN_LOOP, new Outcome(1_000, 3));

        assertThat(results.toMarkdown())
                .contains("| records handled again | 6 (5–7) | – | 1,000 (1,000–1,000) |")
                .contains("| records never handled | 0 (0–0) | – | 3 (3–3) |");
    }

    @Test
    void lossOfOurs_isNoticed() {
        results.add(Contender.PARALLEL_CONSUMER, new Outcome(0, 1));
        results.add(Contender.OURS, new Outcome(5, 0));
        assertThat(results.haveWeLost()).isFalse();

        results.add(Contender.OURS, new Outcome(0, 1));
        assertThat(results.haveWeLost()).isTrue();
    }

    @Test
    void spread_hasTheMiddleOne() {
        assertThat(Spread.of(5, 1, 100)).isEqualTo(new Spread(5, 1, 100));
        assertThat(Spread.of(4, 2)).isEqualTo(new Spread(3, 2, 4));
        assertThatThrownBy(() -> Spread.of(List.<Double>of(), Double::doubleValue))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no numbers: their spread is not defined");
    }

    @Test
    void measurement_isReadAsItWasWritten() {
        Measurement measurement = new Measurement(1, 2, 3, 4);

        assertThat(Measurement.of(measurement.toLine())).isEqualTo(measurement);
        assertThat(Measurement.isLine(measurement.toLine())).isTrue();
        assertThat(Measurement.isLine("something else")).isFalse();
    }
}
