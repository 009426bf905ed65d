package dev.offsets.kafka;

import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Which records of a partition are worked on one after another: those that have the same lane key. */
final class Ordering<K, V> {
    private static final Object WHOLE_PARTITION = "whole partition";

    private final Function<? super ConsumerRecord<K, V>, ?> function;

    private Ordering(Function<? super ConsumerRecord<K, V>, ?> function) {
        this.function = function;
    }

    static <K, V> Ordering<K, V> none() {
        return new Ordering<>(record -> null);
    }

    static <K, V> Ordering<K, V> byPartition() {
        return new Ordering<>(record -> WHOLE_PARTITION);
    }

    static <K, V> Ordering<K, V> by(Function<? super ConsumerRecord<K, V>, ?> function) {
        return new Ordering<>(function);
    }

    /** Null where the record has no order. */
    Object laneKey(ConsumerRecord<K, V> record) {
        return function.apply(record);
    }
}
