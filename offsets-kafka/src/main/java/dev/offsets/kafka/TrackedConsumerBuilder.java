package dev.offsets.kafka;

import dev.offsets.CommitPolicy;
import dev.offsets.EncodedResumeMap;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Builds a {@link TrackedConsumer}; made by {@link TrackedConsumer#builder} and {@link TrackedConsumer#wrap}. For one
 * thread, and for one consumer.
 *
 * <p>When an argument or the configuration is refused, a wrapped consumer is closed.
 */
public final class TrackedConsumerBuilder<K, V> {
    private static final int DEFAULT_MAX_IN_FLIGHT_PER_PARTITION = 10_000;
    private static final int DEFAULT_MAX_IN_FLIGHT = 100_000;
    private static final Duration DEFAULT_COMMIT_KEEP_ALIVE = Duration.ofHours(1);
    private static final Duration DEFAULT_LOOK_INTERVAL = Duration.ofSeconds(10);
    private static final Duration DEFAULT_RESUME_MAP_INTERVAL = Duration.ofSeconds(5);
    private static final int DEFAULT_RESUME_MAP_CHARACTERS = 1_024;
    /** The default of the broker's offset.metadata.max.bytes, which counts characters. */
    private static final int METADATA_OF_ANY_BROKER = 4_096;

    private static final CommitPolicy DEFAULT_COMMIT_POLICY = CommitPolicy.timeBounded(Duration.ofSeconds(5));

    private final ConsumerConfiguration configuration;
    private final Consumer<K, V> wrapped;
    private Deserializer<K> keyDeserializer;
    private Deserializer<V> valueDeserializer;
    CommitPolicy commitPolicy = DEFAULT_COMMIT_POLICY;
    int maxInFlightPerPartition = DEFAULT_MAX_IN_FLIGHT_PER_PARTITION;
    int maxInFlight = DEFAULT_MAX_IN_FLIGHT;
    Duration drainTimeout;
    Duration commitKeepAlive = DEFAULT_COMMIT_KEEP_ALIVE;
    Duration stuckLimit;
    TrackedConsumerListener listener = new TrackedConsumerListener() {};
    boolean explicitStarts;
    Admin admin;
    boolean ownAdmin;
    Duration lookInterval = DEFAULT_LOOK_INTERVAL;
    StatusThresholds statusThresholds = StatusThresholds.DEFAULTS;
    private boolean resumeMaps;
    Duration resumeMapInterval = DEFAULT_RESUME_MAP_INTERVAL;
    int resumeMapCharacters = DEFAULT_RESUME_MAP_CHARACTERS;
    private TopicIds topicIds;
    Time time = Time.SYSTEM;
    Function<Map<String, Object>, Consumer<byte[], byte[]>> byteConsumers =
            config -> new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    private boolean used;

    TrackedConsumerBuilder(Map<?, ?> configuration, Consumer<K, V> wrapped) {
        this.wrapped = wrapped;
        try {
            this.configuration = new ConsumerConfiguration(configuration);
        } catch (RuntimeException e) {
            closeBecauseOf(e, wrapped);
            throw e;
        }
    }

    /**
     * The deserializers, where they are not named in the configuration. Not for a wrapped consumer, which has its own.
     */
    public TrackedConsumerBuilder<K, V> deserializers(Deserializer<K> key, Deserializer<V> value) {
        check(wrapped == null, "deserializers: the wrapped consumer has its own; leave them out");
        keyDeserializer = Objects.requireNonNull(key, "key");
        valueDeserializer = Objects.requireNonNull(value, "value");
        return this;
    }

    /**
     * When to commit. The default is {@code timeBounded(5 seconds)}, the interval of Kafka's own auto-commit.
     */
    public TrackedConsumerBuilder<K, V> commitPolicy(CommitPolicy policy) {
        check(policy != null, "commitPolicy is null: give one, or leave it out for timeBounded(5 s)");
        commitPolicy = policy;
        return this;
    }

    /**
     * How many records of one partition may be in flight, those finished above an incomplete one included, before the
     * partition is paused. It goes on by itself when it holds fewer. What one poll returns may come on top. One or more;
     * the default is 10,000.
     */
    public TrackedConsumerBuilder<K, V> maxInFlightPerPartition(int records) {
        check(records >= 1, "maxInFlightPerPartition is " + records + ": it must be one or more");
        maxInFlightPerPartition = records;
        return this;
    }

    /**
     * How many records of all partitions together may be in flight, those finished above an incomplete one included,
     * before every partition that has any is paused. A partition with nothing in flight is never paused, so that one more
     * record of each may come on top. What partitions hold that a failure policy has stopped does not count. One or more;
     * the default is 100,000.
     */
    public TrackedConsumerBuilder<K, V> maxInFlight(int records) {
        check(records >= 1, "maxInFlight is " + records + ": it must be one or more");
        maxInFlight = records;
        return this;
    }

    /**
     * How long to wait for running work when partitions are revoked, and by {@link TrackedConsumer#close()}. Less than
     * half of {@code max.poll.interval.ms}: while the wait lasts, a rebalance waits too, and the last commit takes its
     * time on top, up to ten seconds or a quarter of {@code max.poll.interval.ms}. Zero or more; the default is ten
     * seconds, or a quarter of {@code max.poll.interval.ms} if that is less.
     */
    public TrackedConsumerBuilder<K, V> drainTimeout(Duration timeout) {
        check(timeout != null && !timeout.isNegative(), "drainTimeout is " + timeout + ": it must be zero or more");
        drainTimeout = timeout;
        return this;
    }

    /**
     * Records count as started from {@link TrackedRecord#tryStart} on, not from their delivery. For loops that queue
     * records: what waits in a queue is then not waited for when its partition is taken away, and {@code tryStart}
     * answers false for it. A record on which work begins without {@code tryStart} is not waited for either.
     */
    public TrackedConsumerBuilder<K, V> explicitStarts() {
        explicitStarts = true;
        return this;
    }

    /**
     * How often to commit again what is stored for a partition without progress, so that it does not expire on the
     * broker: well below the broker's {@code offsets.retention.minutes}. More than zero; the default is one hour, for the
     * broker's default of seven days.
     */
    public TrackedConsumerBuilder<K, V> commitKeepAlive(Duration interval) {
        check(
                interval != null && !interval.isZero() && !interval.isNegative(),
                "commitKeepAlive is " + interval + ": it must be more than zero");
        commitKeepAlive = interval;
        return this;
    }

    /**
     * Stops the consumer once one record, as the lowest of its partition that has not finished, has held the partition back
     * for so long: {@link TrackedConsumer#poll} then commits what has finished and throws a {@link RecordStuckException}. The
     * time in which it waited behind lower records does not count; its retries in a {@link RecordProcessor} do. A partition
     * that was stopped does not stop the consumer. Without a limit a stuck record holds its partition for ever while the
     * consumer looks healthy to its group. More than zero; off by default.
     */
    public TrackedConsumerBuilder<K, V> stopWhenStuckFor(Duration limit) {
        check(
                limit != null && !limit.isZero() && !limit.isNegative(),
                "stopWhenStuckFor is " + limit + ": it must be more than zero; leave it out to never stop");
        stuckLimit = limit;
        return this;
    }

    /**
     * An Admin to ask for the ends of the logs, so that {@link TrackedConsumer#report()} knows how far behind the consumer
     * is. It is asked asynchronously: neither the loop nor the Kafka consumer notices. It stays the caller's, who closes it
     * after the consumer. Without one, what only brokers know is not known.
     */
    public TrackedConsumerBuilder<K, V> admin(Admin admin) {
        check(admin != null, "admin is null: give one, or leave it out");
        check(!ownAdmin, "admin: ownAdmin() is set already; leave one of them out");
        this.admin = admin;
        return this;
    }

    /**
     * As {@link #admin(Admin)}, with an Admin that is made from the consumer's configuration and closed with the consumer.
     * It has a thread of its own, as each Admin.
     */
    public TrackedConsumerBuilder<K, V> ownAdmin() {
        check(admin == null, "ownAdmin: admin(...) is set already; leave one of them out");
        ownAdmin = true;
        return this;
    }

    /**
     * How often to look at how the partitions fare, and to ask the Admin, where there is one, for the ends of the logs. More
     * than zero; the default is 10 seconds.
     */
    public TrackedConsumerBuilder<K, V> lookEvery(Duration interval) {
        check(
                interval != null && !interval.isZero() && !interval.isNegative(),
                "lookEvery is " + interval + ": it must be more than zero");
        lookInterval = interval;
        return this;
    }

    /** When a partition counts as blocked, stalled and so on. The default is {@link StatusThresholds#DEFAULTS}. */
    public TrackedConsumerBuilder<K, V> statusThresholds(StatusThresholds thresholds) {
        check(thresholds != null, "statusThresholds is null: give some, or leave them out");
        statusThresholds = thresholds;
        return this;
    }

    /**
     * Lets finished work survive a restart although something below it had not finished. Each commit then says in its
     * metadata, a string, which records above the offset have finished: a {@linkplain dev.offsets.ResumeMap resume map}.
     * Whoever resumes there, with this setting too, hands out only the others.
     *
     * <p>It takes an {@linkplain #admin Admin} of the same cluster, to tell a topic from another that had its name before. Whatever can't be
     * shown to be the very record that has finished is delivered again. Off by default: it writes up to a thousand bytes a
     * partition with commits, reads and replaces metadata that other tools may use, and waits for the Admin, three seconds
     * at most, when partitions are assigned and while records are left out; not again until it has answered.
     */
    public TrackedConsumerBuilder<K, V> resumeMaps() {
        resumeMaps = true;
        return this;
    }

    /**
     * How often a partition's resume map may be committed while its offset stays the same. With each commit of an offset it
     * is anyway, and by {@link TrackedConsumer#commitSync()}, on revocation and on close. More than zero; the default is 5
     * seconds.
     */
    public TrackedConsumerBuilder<K, V> resumeMapEvery(Duration interval) {
        check(
                interval != null && !interval.isZero() && !interval.isNegative(),
                "resumeMapEvery is " + interval + ": it must be more than zero");
        resumeMapInterval = interval;
        return this;
    }

    /**
     * How many characters, each one byte, a resume map may have. What does not fit is delivered again after a restart. From
     * 64 to 4,096, which brokers allow by default; the default is 1,024.
     */
    public TrackedConsumerBuilder<K, V> resumeMapCharacters(int most) {
        return resumeMapCharacters(most, METADATA_OF_ANY_BROKER);
    }

    /**
     * The same for brokers that allow more.
     *
     * @param most from 64 to what the broker allows, and not more than 32,000, since longer metadata breaks Kafka consumers
     * @param offsetMetadataMaxBytes what {@code offset.metadata.max.bytes} is set to on the brokers
     */
    public TrackedConsumerBuilder<K, V> resumeMapCharacters(int most, int offsetMetadataMaxBytes) {
        int allowed = Math.min(offsetMetadataMaxBytes, EncodedResumeMap.MOST_CHARACTERS);
        check(
                most >= MapRoom.FEWEST_CHARACTERS && most <= allowed,
                "resumeMapCharacters is " + most + ": it must be from " + MapRoom.FEWEST_CHARACTERS + " to "
                        + allowed
                        + (most > allowed && allowed < EncodedResumeMap.MOST_CHARACTERS
                                ? ", unless the brokers' offset.metadata.max.bytes is higher: then name that, too"
                                : ""));
        resumeMapCharacters = most;
        return this;
    }

    /** Is told of commits, of partitions that are given up, of positions that jump, and of partitions that fare badly. */
    public TrackedConsumerBuilder<K, V> listener(TrackedConsumerListener listener) {
        check(listener != null, "listener is null: give one, or leave it out");
        this.listener = listener;
        return this;
    }

    /** For tests: what to ask instead of an Admin. */
    TrackedConsumerBuilder<K, V> topicIds(TopicIds topicIds) {
        this.topicIds = topicIds;
        return this;
    }

    /** Null without resume maps. */
    TopicIds topicIds() {
        if (!resumeMaps) {
            return null;
        }
        return topicIds == null ? TopicIds.of(admin) : topicIds;
    }

    /** For tests: a clock, and a way to wait on it. */
    TrackedConsumerBuilder<K, V> time(Time time) {
        this.time = time;
        return this;
    }

    /**
     * Checks the configuration and makes the consumer.
     *
     * @throws IllegalArgumentException if the configuration would lose data ({@code enable.auto.commit}), leaves nowhere
     *     to commit to ({@code group.id}), or does not go with the drain timeout
     * @throws IllegalStateException if a wrapped consumer has a subscription or an assignment already, or this builder
     *     has been used
     */
    public TrackedConsumer<K, V> build() {
        if (used) {
            throw new IllegalStateException("this builder has been used already: begin anew for another consumer");
        }
        used = true;
        Consumer<K, V> consumer = wrapped;
        try {
            configuration.check(wrapped != null);
            if (resumeMaps && admin == null && !ownAdmin && topicIds == null) {
                throw new IllegalArgumentException(
                        "resumeMaps needs an Admin, to know one topic from another of the same"
                                + " name: set admin(...) or ownAdmin(), or leave it out");
            }
            Duration drain = drainTimeout == null ? configuration.defaultDrainTimeout() : drainTimeout;
            configuration.checkDrainTimeout(drain);
            if (wrapped == null) {
                consumer = new KafkaConsumer<>(configuration.forKafka(), keyDeserializer, valueDeserializer);
            } else if (!wrapped.subscription().isEmpty()
                    || !wrapped.assignment().isEmpty()) {
                throw new IllegalStateException(
                        "the wrapped consumer has a subscription or an assignment already: wrap it"
                                + " first, then subscribe or assign through the TrackedConsumer");
            }
            drainTimeout = drain;
            if (ownAdmin) {
                admin = Admin.create(configuration.forAdmin());
            }
            return new TrackedConsumer<>(consumer, this, configuration);
        } catch (RuntimeException e) {
            closeBecauseOf(e, consumer);
            if (ownAdmin && admin != null) {
                admin.close(Duration.ZERO);
            }
            throw e;
        }
    }

    /** Whether records are polled with their bytes as they are. What a wrapped consumer deserializes with is not known. */
    boolean pollsBytesAsTheyAre() {
        return wrapped == null
                && !configuration.hasInterceptors()
                && leavesBytes(keyDeserializer, ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG)
                && leavesBytes(valueDeserializer, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);
    }

    private boolean leavesBytes(Deserializer<?> given, String setting) {
        return ConsumerConfiguration.leavesBytes(given != null ? given : configuration.value(setting));
    }

    private void check(boolean right, String otherwise) {
        if (!right) {
            var refusal = new IllegalArgumentException(otherwise);
            closeBecauseOf(refusal, wrapped);
            throw refusal;
        }
    }

    private static void closeBecauseOf(RuntimeException refusal, Consumer<?, ?> consumer) {
        if (consumer != null) {
            try {
                consumer.close();
            } catch (RuntimeException e) {
                refusal.addSuppressed(e);
            }
        }
    }
}
