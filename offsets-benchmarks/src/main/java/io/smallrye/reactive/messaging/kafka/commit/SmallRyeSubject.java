package io.smallrye.reactive.messaging.kafka.commit;

import dev.offsets.benchmarks.tracker.PolledRecords;
import dev.offsets.benchmarks.tracker.Subject;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.kafka.common.TopicPartition;

/**
 * SmallRye's strategy "throttled": its store for one partition, without the handler around it, which is not asked. The
 * store's class is private; constant method handles cost what calls do.
 */
public final class SmallRyeSubject implements Subject {
    private static final int NO_MAXIMUM_AGE = 0;
    private static final MethodHandle NEW;
    private static final MethodHandle RECEIVED;
    private static final MethodHandle PROCESSED;
    private static final MethodHandle CLEAR;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Class<?> store = Class.forName(KafkaThrottledLatestProcessedCommit.class.getName() + "$OffsetStore");
            NEW = lookup.findConstructor(
                            store,
                            MethodType.methodType(
                                    void.class,
                                    KafkaThrottledLatestProcessedCommit.class,
                                    TopicPartition.class,
                                    int.class,
                                    long.class))
                    .asType(MethodType.methodType(
                            Object.class,
                            KafkaThrottledLatestProcessedCommit.class,
                            TopicPartition.class,
                            int.class,
                            long.class));
            RECEIVED = offsetMethod(lookup, store, "received");
            PROCESSED = offsetMethod(lookup, store, "processed");
            CLEAR = lookup.findVirtual(
                            store,
                            "clearLesserSequentiallyProcessedOffsetsAndReturnLargestOffset",
                            MethodType.methodType(long.class))
                    .asType(MethodType.methodType(long.class, Object.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Object store;

    public SmallRyeSubject() {
        try {
            store = (Object) NEW.invokeExact(
                    (KafkaThrottledLatestProcessedCommit) null, PolledRecords.TOPIC_PARTITION, NO_MAXIMUM_AGE, -1L);
        } catch (Throwable e) {
            throw new IllegalStateException("SmallRye's store is not what it was in 4.28.0", e);
        }
    }

    private static MethodHandle offsetMethod(MethodHandles.Lookup lookup, Class<?> store, String name)
            throws ReflectiveOperationException {
        return lookup.findVirtual(store, name, MethodType.methodType(void.class, long.class))
                .asType(MethodType.methodType(void.class, Object.class, long.class));
    }

    @Override
    public void track(long first, int[] distances) {
        try {
            for (int distance : distances) {
                RECEIVED.invokeExact(store, first + distance);
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void complete(long offset, int index) {
        try {
            PROCESSED.invokeExact(store, offset);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public long advance(long position) {
        try {
            return (long) CLEAR.invokeExact(store);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
