package dev.offsets.benchmarks.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    void duplicates_areShownForEachContender() {
        results.addDuplicates(Contender.OURS, 5);
        results.addDuplicates(Contender.OURS, 7);
        results.addDuplicates(Contender.PLAIN_LOOP, 1_000);

        assertThat(results.toMarkdown()).contains("| records handled again | 6 (5–7) | – | 1,000 (1,000–1,000) |");
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
