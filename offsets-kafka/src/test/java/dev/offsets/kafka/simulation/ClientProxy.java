package dev.offsets.kafka.simulation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;

/** A simulated client as a Kafka consumer. What the simulation does not have is an error, not a silent nothing. */
final class ClientProxy {
    private static final Map<Method, Optional<Method>> TAMPERED = new ConcurrentHashMap<>();
    private static final Map<Method, Optional<Method>> DIRECT = new ConcurrentHashMap<>();

    private ClientProxy() {}

    @SuppressWarnings("unchecked")
    static Consumer<Long, Entry> around(SimulatedClient client, Tampering tampering) {
        return (Consumer<Long, Entry>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    Object[] given = arguments == null ? new Object[0] : arguments;
                    try {
                        Method tampered = tampered(method);
                        if (tampered != null) {
                            return tampered.invoke(
                                    tampering,
                                    Stream.concat(Stream.of(client), Stream.of(given))
                                            .toArray());
                        }
                        return direct(method).invoke(client, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Method tampered(Method method) {
        return TAMPERED.computeIfAbsent(
                        method,
                        key -> find(
                                Tampering.class,
                                key.getName(),
                                Stream.concat(Stream.of(SimulatedClient.class), Stream.of(key.getParameterTypes()))
                                        .toArray(Class<?>[]::new)))
                .orElse(null);
    }

    private static Method direct(Method method) {
        return DIRECT.computeIfAbsent(
                        method, key -> find(SimulatedClient.class, key.getName(), key.getParameterTypes()))
                .orElseThrow(() -> new AssertionError("the simulated client has no " + method));
    }

    private static Optional<Method> find(Class<?> type, String name, Class<?>... parameters) {
        try {
            return Optional.of(type.getDeclaredMethod(name, parameters));
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        }
    }
}
