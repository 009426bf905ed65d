package dev.offsets.benchmarks.pools;

/**
 * What is asked of a pool.
 *
 * @param keys how many keys the records have, evenly spread
 * @param handlerMillis how long a handler waits; zero for not at all
 */
record Scenario(Order order, int keys, int handlerMillis) {
    enum Order {
        UNORDERED,
        BY_KEY
    }

    /** How many records may be worked on at once. */
    int atOnce(int concurrency) {
        return order == Order.UNORDERED ? concurrency : Math.min(concurrency, keys);
    }

    /** Records a second if nothing but the handlers took any time; infinite if they take none. */
    double idealPerSecond(int concurrency) {
        return handlerMillis == 0 ? Double.POSITIVE_INFINITY : atOnce(concurrency) * 1_000.0 / handlerMillis;
    }

    @Override
    public String toString() {
        String ordered = order == Order.UNORDERED ? "unordered" : String.format("by key, %,d keys", keys);
        return handlerMillis + " ms, " + ordered;
    }
}
