package dev.offsets.kafka.integration;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;

/** Makes text of bytes, but for those that begin with an exclamation mark: them only when told to. */
final class PickyDeserializer implements Deserializer<String> {
    static final byte MARK = '!';

    private final AtomicBoolean takesAll = new AtomicBoolean();
    private int refusals;

    /** From now on nothing is refused: as when a schema registry has come back. */
    void takeAll() {
        takesAll.set(true);
    }

    /** How often bytes were refused. */
    int refusals() {
        return refusals;
    }

    @Override
    public String deserialize(String topic, byte[] data) {
        if (data != null && data.length > 0 && data[0] == MARK && !takesAll.get()) {
            refusals++;
            throw new SerializationException("no schema");
        }
        return data == null ? null : new String(data, StandardCharsets.ISO_8859_1);
    }
}
