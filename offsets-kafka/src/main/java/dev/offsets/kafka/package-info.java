/**
 * Offset management for a Kafka consumer that hands its records to workers.
 *
 * <p>{@link dev.offsets.kafka.TrackedConsumer} wraps a Kafka consumer and the loop that its user already has: it
 * registers each record before handing it out, takes reports from any thread, and commits only offsets below which
 * everything has finished, when the {@link dev.offsets.CommitPolicy} says so, when partitions are revoked, and at the
 * end. It has no threads of its own.
 */
package dev.offsets.kafka;
