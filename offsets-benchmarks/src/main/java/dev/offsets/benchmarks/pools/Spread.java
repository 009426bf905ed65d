package dev.offsets.benchmarks.pools;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** Median, least and greatest of some numbers. */
record Spread(double median, double least, double greatest) {
    static <T> Spread of(Collection<T> all, ToDoubleFunction<? super T> number) {
        double[] sorted = all.stream().mapToDouble(number).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("no numbers: their spread is not defined");
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    static Spread of(double... numbers) {
        return of(Arrays.stream(numbers).boxed().toList(), Double::doubleValue);
    }

    /** As {@code median (least–greatest)}, each in a format of {@link String#format}. */
    String toString(String format) {
        return String.format(format + " (" + format + "–" + format + ")", median, least, greatest);
    }
}
