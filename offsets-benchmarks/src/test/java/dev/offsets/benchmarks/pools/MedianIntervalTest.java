package dev.offsets.benchmarks.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MedianIntervalTest {
    private static double[] downFrom(int count) {
        return IntStream.range(0, count).mapToDouble(i -> count - i).toArray();
    }

    /** The ranks that tables of the sign test give for 95%. */
    @ParameterizedTest
    @CsvSource({"6,1,6", "8,1,8", "9,2,8", "11,2,10", "12,3,10", "20,6,15", "25,8,18", "30,10,21"})
    void interval_isBetweenTheRanksOfTheSignTest(int count, int low, int high) {
        assertThat(MedianInterval.of(downFrom(count))).isEqualTo(new MedianInterval((count + 1) / 2.0, low, high));
    }

    @Test
    void tooFewNumbers_areRefused() {
        assertThatThrownBy(() -> MedianInterval.of(downFrom(5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("5 numbers are too few for a confidence of 95%: six are needed");
    }
}
