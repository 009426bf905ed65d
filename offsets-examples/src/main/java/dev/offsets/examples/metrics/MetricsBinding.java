package dev.offsets.examples.metrics;

import dev.offsets.kafka.TrackedConsumer;
import java.lang.reflect.Proxy;
import org.apache.kafka.clients.consumer.Consumer;

/** For binders that take a Kafka consumer and ask it for its metrics: Micrometer's {@code KafkaClientMetrics}, for one. */
public final class MetricsBinding {
    private MetricsBinding() {}

    /** A consumer that has a tracked consumer's metrics, and nothing else. For any thread. */
    public static Consumer<?, ?> metricsOf(TrackedConsumer<?, ?> consumer) {
        return (Consumer<?, ?>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("metrics")) {
                        return consumer.metrics();
                    }
                    throw new UnsupportedOperationException(method + ": this consumer is for its metrics alone");
                });
    }
}
