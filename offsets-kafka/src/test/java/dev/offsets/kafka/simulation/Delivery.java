package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import dev.offsets.kafka.TrackedRecord;
import dev.offsets.kafka.TrackedRecords;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** One record handed out to one process once. */
final class Delivery {
    final String process;
    final TopicPartition topicPartition;
    final Entry entry;
    final View view;

    /** The record as a handle; null where the process works with Kafka's records. */
    private final TrackedRecord<Long, Entry> handle;

    private final TrackedRecords<Long, Entry> result;
    private final ConsumerRecord<Long, Entry> record;

    long givenAt;
    int accepted;
    /** How many have failed. */
    int attempts;
    /** When the next may begin. */
    long dueAt;

    boolean started;
    boolean failed;
    /** Its worker will never report. */
    boolean forgotten;

    Delivery(String process, View view, TrackedRecord<Long, Entry> handle) {
        this(process, view, handle, null, handle.consumerRecord());
    }

    Delivery(
            String process,
            View view,
            TrackedRecord<Long, Entry> handle,
            TrackedRecords<Long, Entry> result,
            ConsumerRecord<Long, Entry> record) {
        this.process = process;
        this.view = view;
        this.handle = handle;
        this.result = result;
        this.record = record;
        this.topicPartition = new TopicPartition(record.topic(), record.partition());
        this.entry = record.value();
    }

    /** A record that a processor has, and reports itself. */
    Delivery(String process, TopicPartition topicPartition, View view, Entry entry) {
        this.process = process;
        this.topicPartition = topicPartition;
        this.view = view;
        this.entry = entry;
        this.handle = null;
        this.result = null;
        this.record = null;
    }

    Receipt complete() {
        return handle == null ? result.complete(record) : handle.complete();
    }

    Receipt fail() {
        Throwable cause = new IllegalArgumentException("failed on purpose");
        return handle == null ? result.fail(record, cause) : handle.fail(cause);
    }

    boolean tryStart() {
        return handle == null ? result.tryStart(record) : handle.tryStart();
    }

    @Override
    public String toString() {
        return topicPartition + "@" + entry.offset;
    }
}
