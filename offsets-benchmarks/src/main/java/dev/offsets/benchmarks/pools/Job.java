package dev.offsets.benchmarks.pools;

import dev.offsets.benchmarks.pools.Scenario.Order;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * What a child process is to do.
 *
 * @param commitInterval how often those commit that commit by time
 */
record Job(
        Contender contender,
        Scenario scenario,
        int concurrency,
        String bootstrapServers,
        String topic,
        String group,
        Duration commitInterval) {
    static final int ARGUMENTS = 9;

    private static final String SESSION_TIMEOUT_MILLIS = "3000";
    private static final String HEARTBEAT_MILLIS = "500";

    List<String> toArguments() {
        return List.of(
                contender.name(),
                scenario.order().name(),
                Integer.toString(scenario.keys()),
                Integer.toString(scenario.handlerMillis()),
                Integer.toString(concurrency),
                bootstrapServers,
                topic,
                group,
                Long.toString(commitInterval.toMillis()));
    }

    static Job of(String[] arguments) {
        return new Job(
                Contender.valueOf(arguments[0]),
                new Scenario(
                        Order.valueOf(arguments[1]), Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3])),
                Integer.parseInt(arguments[4]),
                arguments[5],
                arguments[6],
                arguments[7],
                Duration.ofMillis(Long.parseLong(arguments[8])));
    }

    /** The work on a record as a handler that does nothing else than to wait. */
    RecordHandler waitingThen(RecordHandler handler) {
        int millis = scenario.handlerMillis();
        if (millis == 0) {
            return handler;
        }
        return record -> {
            Thread.sleep(millis);
            handler.handle(record);
        };
    }

    /** Kafka's defaults, but for a member that is killed to be missed soon. */
    Map<String, Object> consumerConfiguration() {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        config.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_TIMEOUT_MILLIS);
        config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MILLIS);
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class.getName());
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        return config;
    }
}
