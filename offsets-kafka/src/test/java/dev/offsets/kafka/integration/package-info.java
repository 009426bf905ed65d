/**
 * The tracked consumer on a real broker: its promises as seen from outside, through the public API, the Kafka consumer
 * below it and an {@code Admin}.
 */
package dev.offsets.kafka.integration;
