package dev.offsets.examples.demo;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What a worker does with a record. */
@FunctionalInterface
interface Handler {
    /** Returns when the record is processed; any failure is thrown. Called by many threads at once. */
    void handle(ConsumerRecord<Long, String> record) throws Exception;
}
