package dev.offsets.kafka;

import java.util.function.DoubleSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** Lets tests of other packages bring a clock of their own. */
public final class VirtualClock {
    private VirtualClock() {}

    public static <K, V> TrackedConsumerBuilder<K, V> use(
            TrackedConsumerBuilder<K, V> builder, LongSupplier nanoTime, LongConsumer park, DoubleSupplier random) {
        return builder.time(new Time() {
            @Override
            public long nanoTime() {
                return nanoTime.getAsLong();
            }

            @Override
            public void park(long nanos) {
                park.accept(nanos);
            }

            @Override
            public double random() {
                return random.getAsDouble();
            }
        });
    }
}
