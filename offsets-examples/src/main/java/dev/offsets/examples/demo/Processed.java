package dev.offsets.examples.demo;

/**
 * A record that a worker has finished.
 *
 * @param run the number of the process that it was finished in, from one
 */
record Processed(long id, int partition, long offset, int run) {}
