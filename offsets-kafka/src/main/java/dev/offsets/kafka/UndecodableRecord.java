package dev.offsets.kafka;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.RecordDeserializationException;

/** A record that could not be deserialized, with its bytes as they are in the log. */
final class UndecodableRecord extends ConsumerRecord<byte[], byte[]> {
    UndecodableRecord(RecordDeserializationException thrown) {
        this(thrown, bytes(thrown.keyBuffer()), bytes(thrown.valueBuffer()));
    }

    private UndecodableRecord(RecordDeserializationException thrown, byte[] key, byte[] value) {
        super(
                thrown.topicPartition().topic(),
                thrown.topicPartition().partition(),
                thrown.offset(),
                thrown.timestamp(),
                thrown.timestampType(),
                key == null ? NULL_SIZE : key.length,
                value == null ? NULL_SIZE : value.length,
                key,
                value,
                thrown.headers(),
                Optional.empty());
    }

    /** A copy, since the buffer is the Kafka consumer's. */
    private static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
