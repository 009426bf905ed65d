package dev.offsets.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record that is to be sent to a topic for dead letters.
 *
 * @param original the record with its bytes as they are in the log
 * @param group the consumer group that could not deal with it
 * @param error why its last attempt failed
 */
record DeadLetter(ConsumerRecord<byte[], byte[]> original, String group, Throwable error) {}
