package dev.offsets.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record that is to be sent to a topic for dead letters.
 *
 * @param record as the user's handler got it; or with the raw bytes, if it could not be deserialized
 * @param error why its last attempt failed
 */
record DeadLetter(ConsumerRecord<?, ?> record, Throwable error) {}
