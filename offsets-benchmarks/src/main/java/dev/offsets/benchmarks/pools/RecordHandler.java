package dev.offsets.benchmarks.pools;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The work on one record. Any thread. */
@FunctionalInterface
interface RecordHandler {
    void handle(ConsumerRecord<String, byte[]> record) throws InterruptedException;
}
