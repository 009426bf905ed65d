package dev.offsets.benchmarks.pools;

import java.util.Arrays;

/**
 * A median with an interval that holds the true one with a confidence of at least 95%, whatever the distribution: between two
 * of the numbers in ascending order, since how many of them are below the true median is binomially distributed.
 */
record MedianInterval(double median, double low, double high) {
    private static final double ONE_SIDE = 0.025;

    /** At least six numbers: with fewer there is no such interval. */
    static MedianInterval of(double... numbers) {
        double[] sorted = numbers.clone();
        Arrays.sort(sorted);
        int outside = outside(sorted.length);
        if (outside < 0) {
            throw new IllegalArgumentException(
                    sorted.length + " numbers are too few for a confidence of 95%: six are needed");
        }
        return new MedianInterval(Spread.of(sorted).median(), sorted[outside], sorted[sorted.length - 1 - outside]);
    }

    /** How many numbers on each side the interval may leave out. */
    private static int outside(int count) {
        double exactly = Math.pow(0.5, count);
        double atMost = exactly;
        int outside = -1;
        while (atMost <= ONE_SIDE) {
            outside++;
            exactly *= (double) (count - outside) / (outside + 1);
            atMost += exactly;
        }
        return outside;
    }

    /** As {@code median (low–high)}, each in a format of {@link String#format}. */
    String toString(String format) {
        return String.format(format + " (" + format + "–" + format + ")", median, low, high);
    }
}
