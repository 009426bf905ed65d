package dev.offsets.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;

/** What this library needs to know of a Kafka consumer's configuration. */
final class ConsumerConfiguration {
    private static final int DEFAULT_MAX_POLL_INTERVAL_MS = 300_000;
    private static final int DEFAULT_API_TIMEOUT_MS = 60_000;
    private static final Duration LONGEST_REBALANCE_REQUEST = Duration.ofSeconds(10);
    private static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(10);

    private static final int FETCH_TO_READ_AGAIN_BYTES = 256 * 1024;
    /** A fetch at the log's end that waits for more would hold up the next record that is to be read. */
    private static final int LONGEST_WAIT_OF_A_FETCH_TO_READ_AGAIN_MS = 10;

    private static final Set<String> OF_MEMBERSHIP = Set.of(
            ConsumerConfig.GROUP_ID_CONFIG,
            ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG,
            ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG);

    /** What makes a consumer a member of a group, or an observed one; how much it fetches; what it makes of it. */
    private static final Set<String> OF_A_MEMBER = Set.of(
            ConsumerConfig.GROUP_ID_CONFIG,
            ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG,
            ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
            ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            ConsumerConfig.FETCH_MIN_BYTES_CONFIG,
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG);

    private final Map<String, Object> values = new HashMap<>();

    ConsumerConfiguration(Map<?, ?> configuration) {
        Objects.requireNonNull(configuration, "config");
        configuration.forEach((key, value) -> {
            if (!(key instanceof String name)) {
                throw new IllegalArgumentException(
                        "configuration key " + key + " is not a String: Kafka's configuration keys are");
            }
            values.put(name, value);
        });
    }

    void check(boolean wrapped) {
        String autoCommit = text(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
        if (autoCommit == null) {
            refuse(
                    wrapped,
                    "enable.auto.commit is not set, and on by default: Kafka would commit records that are still being"
                            + " worked on. Set it to false in the configuration that the wrapped consumer was made with");
        } else {
            refuse(
                    !autoCommit.equalsIgnoreCase("false"),
                    "enable.auto.commit is " + autoCommit
                            + ": Kafka would commit records that are still being worked on." + " Set it to false"
                            + (wrapped ? "" : ", or leave it out"));
        }
        String group = text(ConsumerConfig.GROUP_ID_CONFIG);
        refuse(
                group == null || group.isEmpty(),
                "group.id is not set: offsets are committed for a group. Set it, also when partitions are assigned"
                        + " rather than subscribed to");
    }

    void checkDrainTimeout(Duration drainTimeout) {
        Duration maxPollInterval = maxPollInterval();
        refuse(
                drainTimeout.compareTo(maxPollInterval.dividedBy(2)) >= 0,
                "drainTimeout is " + drainTimeout + ": it must be less than half of max.poll.interval.ms, which is "
                        + maxPollInterval.toMillis() + ", or waiting for work would cost the consumer its partitions");
    }

    Duration defaultDrainTimeout() {
        Duration quarter = maxPollInterval().dividedBy(4);
        return quarter.compareTo(DEFAULT_DRAIN_TIMEOUT) < 0 ? quarter : DEFAULT_DRAIN_TIMEOUT;
    }

    /** How long a request inside a rebalance may take: reading what is stored, or the last commit. */
    Duration rebalanceRequestTimeout() {
        Duration quarter = maxPollInterval().dividedBy(4);
        Duration shorter = quarter.compareTo(LONGEST_REBALANCE_REQUEST) < 0 ? quarter : LONGEST_REBALANCE_REQUEST;
        return shorter.compareTo(defaultApiTimeout()) < 0 ? shorter : defaultApiTimeout();
    }

    Duration defaultApiTimeout() {
        return millis(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, DEFAULT_API_TIMEOUT_MS);
    }

    boolean hasInterceptors() {
        return values.get(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG) != null;
    }

    /** Whether a partition without a stored offset is read from the later on, the later it is assigned. */
    boolean resetPassesOverRecords() {
        String reset = text(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
        return reset == null || !(reset.equalsIgnoreCase("earliest") || reset.equalsIgnoreCase("none"));
    }

    /** The configuration for a consumer that we make: auto-commit is off. */
    Map<String, Object> forKafka() {
        Map<String, Object> configuration = new HashMap<>(values);
        configuration.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return configuration;
    }

    /** The configuration for an Admin on the same cluster: without what concerns consumers alone. */
    Map<String, Object> forAdmin() {
        Map<String, Object> configuration = new HashMap<>(values);
        configuration
                .keySet()
                .removeIf(name -> ConsumerConfig.configNames().contains(name)
                        && !AdminClientConfig.configNames().contains(name));
        return configuration;
    }

    String group() {
        return text(ConsumerConfig.GROUP_ID_CONFIG);
    }

    Optional<String> clientId() {
        return Optional.ofNullable(text(ConsumerConfig.CLIENT_ID_CONFIG)).filter(id -> !id.isEmpty());
    }

    IsolationLevel isolationLevel() {
        String level = text(ConsumerConfig.ISOLATION_LEVEL_CONFIG);
        return "read_committed".equalsIgnoreCase(level)
                ? IsolationLevel.READ_COMMITTED
                : IsolationLevel.READ_UNCOMMITTED;
    }

    /**
     * The configuration for a consumer that reads single records once more: outside of the group, without a say in where it
     * reads or what it makes of it, in fetches that are worth keeping.
     */
    Map<String, Object> forReadingAgain() {
        Map<String, Object> configuration = forKafka();
        configuration.keySet().removeAll(OF_A_MEMBER);
        configuration.computeIfPresent(ConsumerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-dead-letters");
        configuration.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        configuration.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        configuration.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_TO_READ_AGAIN_BYTES);
        configuration.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, LONGEST_WAIT_OF_A_FETCH_TO_READ_AGAIN_MS);
        return configuration;
    }

    /**
     * The configuration for a consumer that reads a range again: outside of the group, and nowhere but where it is told to;
     * otherwise as it reads.
     *
     * @param label what its client's id ends with
     */
    Map<String, Object> forReplay(String label) {
        Map<String, Object> configuration = forKafka();
        configuration.keySet().removeAll(OF_MEMBERSHIP);
        configuration.computeIfPresent(ConsumerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-" + label);
        configuration.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        configuration.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return configuration;
    }

    /** Whether a deserializer, given or else configured, is the one of Kafka's that leaves bytes as they are. */
    static boolean leavesBytes(Object deserializer) {
        Object type = deserializer instanceof Deserializer<?> given ? given.getClass() : deserializer;
        return type == ByteArrayDeserializer.class
                || ByteArrayDeserializer.class.getName().equals(type);
    }

    Map<String, Object> all() {
        return values;
    }

    Object value(String name) {
        return values.get(name);
    }

    private Duration maxPollInterval() {
        return millis(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, DEFAULT_MAX_POLL_INTERVAL_MS);
    }

    private Duration millis(String name, int defaultMillis) {
        String value = text(name);
        try {
            return Duration.ofMillis(value == null ? defaultMillis : Integer.parseInt(value));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be a number of milliseconds", e);
        }
    }

    private String text(String name) {
        Object value = values.get(name);
        return value == null ? null : value.toString().trim();
    }

    private static void refuse(boolean wrong, String message) {
        if (wrong) {
            throw new IllegalArgumentException(message);
        }
    }
}
