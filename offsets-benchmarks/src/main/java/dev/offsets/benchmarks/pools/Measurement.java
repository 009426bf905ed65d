package dev.offsets.benchmarks.pools;

/**
 * What a child process has measured.
 *
 * @param records how many were handled
 * @param nanos in what time
 * @param cpuNanos processor time of the child's JVM in that time, its compiler and garbage collector included
 * @param heapBytes what was left on the heap by a full collection right after it, while the work went on
 */
record Measurement(long records, long nanos, long cpuNanos, long heapBytes) {
    private static final String PREFIX = "measured ";

    double perSecond() {
        return records * 1e9 / nanos;
    }

    double cpuMicrosPerRecord() {
        return cpuNanos / 1e3 / records;
    }

    double heapMegabytes() {
        return heapBytes / 1e6;
    }

    String summary() {
        return String.format(
                "%,.0f records/s, %.1f µs CPU a record, %.1f MB heap",
                perSecond(), cpuMicrosPerRecord(), heapMegabytes());
    }

    String toLine() {
        return PREFIX + records + " " + nanos + " " + cpuNanos + " " + heapBytes;
    }

    static boolean isLine(String line) {
        return line.startsWith(PREFIX);
    }

    static Measurement of(String line) {
        String[] numbers = line.substring(PREFIX.length()).split(" ");
        return new Measurement(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]));
    }
}
