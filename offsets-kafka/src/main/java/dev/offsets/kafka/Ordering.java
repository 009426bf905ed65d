package dev.offsets.kafka;

import java.nio.ByteBuffer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Which records of a partition are worked on one after another: those whose lane keys are equal. */
final class Ordering<K, V> {
    private static final String WHOLE_PARTITION = "the whole partition";

    /** Whether a type compares by content: objects that are alike and not equal would silently be in no order. */
    private static final ClassValue<Boolean> COMPARES_BY_CONTENT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            // An object of type Class is the only one of its kind, and so equal to what is alike.
            return type == Class.class || (overrides(type, "equals", Object.class) && overrides(type, "hashCode"));
        }
    };

    private final Function<? super ConsumerRecord<K, V>, ?> function;

    /** The lane of records that have no key because they could not be deserialized. */
    final Object laneKeyOfUndecodable;

    private Ordering(Function<? super ConsumerRecord<K, V>, ?> function, Object laneKeyOfUndecodable) {
        this.function = function;
        this.laneKeyOfUndecodable = laneKeyOfUndecodable;
    }

    static <K, V> Ordering<K, V> none() {
        return new Ordering<>(record -> null, null);
    }

    static <K, V> Ordering<K, V> byPartition() {
        return new Ordering<>(record -> WHOLE_PARTITION, WHOLE_PARTITION);
    }

    static <K, V> Ordering<K, V> by(Function<? super ConsumerRecord<K, V>, ?> function) {
        return new Ordering<>(function, null);
    }

    /**
     * What the record is ordered by; null where it has no order.
     *
     * @throws IllegalArgumentException if it can't be compared with others
     */
    Object laneKey(ConsumerRecord<K, V> record) {
        Object key = function.apply(record);
        if (key == null) {
            return null;
        }
        if (key instanceof byte[] bytes) {
            return ByteBuffer.wrap(bytes.clone());
        }
        if (key instanceof ByteBuffer buffer) {
            // Its equality depends on its position too, which a handler that reads it moves.
            return ByteBuffer.allocate(buffer.remaining())
                    .put(buffer.duplicate())
                    .flip();
        }
        if (!COMPARES_BY_CONTENT.get(key.getClass())) {
            throw new IllegalArgumentException(
                    "records can't be ordered by an object of " + key.getClass().getTypeName()
                            + ", which has no equals and hashCode of its own, so that equal keys would not be noticed."
                            + " Order by something else: orderedBy(record -> ...)");
        }
        return key;
    }

    private static boolean overrides(Class<?> type, String method, Class<?>... parameters) {
        try {
            return type.getMethod(method, parameters).getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("each class has it", e);
        }
    }
}
