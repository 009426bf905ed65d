package dev.offsets.examples.demo;

/**
 * A record as its producer knows it.
 *
 * @param committed whether a consumer is to see it: false in a transaction that was aborted
 */
record Produced(long id, int partition, long offset, boolean committed) {
    @Override
    public String toString() {
        return "record " + id + " (partition " + partition + ", offset " + offset + ")";
    }
}
