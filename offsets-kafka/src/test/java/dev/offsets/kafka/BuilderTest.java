package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** What is refused, with which words, and that a refusal closes the consumer that was to be wrapped. */
class BuilderTest {
    private static final String AUTO_COMMIT_UNSET =
            "enable.auto.commit is not set, and on by default: Kafka would commit records that are still being worked on."
                    + " Set it to false in the configuration that the wrapped consumer was made with";
    private static final String GROUP_UNSET =
            "group.id is not set: offsets are committed for a group. Set it, also when"
                    + " partitions are assigned rather than subscribed to";

    private static Map<String, Object> config(Object... entries) {
        Map<String, Object> config = new HashMap<>(Rig.CONFIG);
        for (int i = 0; i < entries.length; i += 2) {
            config.put((String) entries[i], entries[i + 1]);
        }
        return config;
    }

    private static void assertWrapRefused(Map<String, ?> config, String message) {
        SimulatedConsumer kafka = new SimulatedConsumer();
        assertThatThrownBy(() -> TrackedConsumer.wrap(kafka, config).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThat(kafka.isClosed()).isTrue();
    }

    private static void assertBuildRefused(Map<String, ?> config, String message) {
        assertThatThrownBy(() -> TrackedConsumer.builder(config).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    private static void assertSettingRefused(
            Consumer<TrackedConsumerBuilder<String, String>> setting, Class<?> type, String message) {
        SimulatedConsumer kafka = new SimulatedConsumer();
        assertThatThrownBy(() -> setting.accept(TrackedConsumer.wrap(kafka, Rig.CONFIG)))
                .isInstanceOf(type)
                .hasMessage(message);
        assertThat(kafka.isClosed()).isTrue();
    }

    @Test
    void wrapped_autoCommitOn_isRefused() {
        String reason = ": Kafka would commit records that are still being worked on. Set it to false";

        assertWrapRefused(config("enable.auto.commit", "true"), "enable.auto.commit is true" + reason);
        assertWrapRefused(config("enable.auto.commit", true), "enable.auto.commit is true" + reason);
        assertWrapRefused(config("enable.auto.commit", " TRUE "), "enable.auto.commit is TRUE" + reason);
        assertWrapRefused(config("enable.auto.commit", "yes"), "enable.auto.commit is yes" + reason);
    }

    @Test
    void wrapped_autoCommitUnset_isRefused() {
        assertWrapRefused(Map.of("group.id", "group"), AUTO_COMMIT_UNSET);
        assertWrapRefused(config("enable.auto.commit", null), AUTO_COMMIT_UNSET);
    }

    @Test
    void wrapped_autoCommitOff_isAccepted() {
        for (Object off : new Object[] {"false", "FALSE", " false ", false}) {
            assertThatCode(() -> TrackedConsumer.wrap(new SimulatedConsumer(), config("enable.auto.commit", off))
                            .build())
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void built_autoCommitOn_isRefused() {
        assertBuildRefused(
                config("enable.auto.commit", "true"),
                "enable.auto.commit is true: Kafka would commit records that are still being worked on. Set it to false,"
                        + " or leave it out");
    }

    @Test
    void built_autoCommitUnset_isTurnedOff() {
        Map<String, Object> plain = new HashMap<>(Map.of("group.id", "group"));
        ConsumerConfiguration configuration = new ConsumerConfiguration(plain);
        configuration.check(false);

        assertThat(configuration.forKafka())
                .containsEntry("enable.auto.commit", false)
                .containsEntry("group.id", "group");
        assertThat(plain).containsOnlyKeys("group.id");
    }

    @Test
    void adminsConfiguration_isTheConsumersWithoutWhatIsOfConsumersAlone() {
        Map<String, Object> admins = new ConsumerConfiguration(config(
                        "bootstrap.servers", "localhost:1",
                        "client.id", "shop",
                        "security.protocol", "SSL",
                        "key.deserializer", "a.Deserializer",
                        "my.own.setting", "kept"))
                .forAdmin();

        assertThat(admins)
                .containsOnly(
                        Map.entry("bootstrap.servers", "localhost:1"),
                        Map.entry("client.id", "shop"),
                        Map.entry("security.protocol", "SSL"),
                        Map.entry("metric.reporters", ""),
                        Map.entry("my.own.setting", "kept"));
    }

    @Test
    void twoAdmins_areRefused() {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "localhost:1"))) {
            assertSettingRefused(
                    builder -> builder.admin(admin).ownAdmin(),
                    IllegalArgumentException.class,
                    "ownAdmin: admin(...) is set already; leave one of them out");
            assertSettingRefused(
                    builder -> builder.ownAdmin().admin(admin),
                    IllegalArgumentException.class,
                    "admin: ownAdmin() is set already; leave one of them out");
        }
    }

    @Test
    void ownAdminThatCannotBeMade_isRefusedAndTheConsumerClosed() {
        SimulatedConsumer kafka = new SimulatedConsumer();

        assertThatThrownBy(
                        () -> TrackedConsumer.wrap(kafka, Rig.CONFIG).ownAdmin().build())
                .isInstanceOf(KafkaException.class)
                .hasStackTraceContaining("bootstrap.servers");
        assertThat(kafka.isClosed()).isTrue();
    }

    @Test
    void built_onARealKafkaConsumer_worksAndCloses() {
        Properties config = new Properties();
        config.setProperty("bootstrap.servers", "localhost:1");
        config.setProperty("group.id", "group");
        try (TrackedConsumer<String, String> consumer = TrackedConsumer.<String, String>builder(config)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .build()) {
            assertThat(consumer.assignment()).isEmpty();
            assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
            assertThat(consumer.close(Duration.ZERO).failures()).isEmpty();
        }
    }

    @Test
    void groupMissing_isRefused() {
        assertWrapRefused(Map.of("enable.auto.commit", "false"), GROUP_UNSET);
        assertWrapRefused(config("group.id", " "), GROUP_UNSET);
        assertBuildRefused(Map.of("bootstrap.servers", "localhost:1"), GROUP_UNSET);
    }

    @Test
    void drainTimeout_mustBeLessThanHalfOfTheMaximumPollInterval() {
        SimulatedConsumer kafka = new SimulatedConsumer();
        assertThatThrownBy(() -> TrackedConsumer.wrap(kafka, config("max.poll.interval.ms", "20000"))
                        .drainTimeout(Duration.ofSeconds(10))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "drainTimeout is PT10S: it must be less than half of max.poll.interval.ms, which is 20000, or"
                                + " waiting for work would cost the consumer its partitions");
        assertThat(kafka.isClosed()).isTrue();
        assertThatCode(() -> TrackedConsumer.wrap(new SimulatedConsumer(), config("max.poll.interval.ms", 20_001))
                        .drainTimeout(Duration.ofSeconds(10))
                        .build())
                .doesNotThrowAnyException();
    }

    @Test
    void drainTimeoutLeftOut_followsAShortMaximumPollInterval() {
        Rig rig = Rig.withConfig(config("max.poll.interval.ms", 4_000L)).subscribed(P0);
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());
        rig.tick();

        assertThat(rig.time.elapsed()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void numbersThatAreNone_areRefused() {
        assertWrapRefused(
                config("max.poll.interval.ms", "soon"),
                "max.poll.interval.ms is soon: it must be a number of milliseconds");
        assertWrapRefused(
                config("default.api.timeout.ms", "1 s"),
                "default.api.timeout.ms is 1 s: it must be a number of milliseconds");
    }

    @Test
    void keysThatAreNoStrings_areRefused() {
        SimulatedConsumer kafka = new SimulatedConsumer();
        Properties config = new Properties();
        config.put(7, "seven");

        assertThatThrownBy(() -> TrackedConsumer.wrap(kafka, config))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("configuration key 7 is not a String: Kafka's configuration keys are");
        assertThat(kafka.isClosed()).isTrue();
    }

    @Test
    void missingArguments_areRefusedByName() {
        SimulatedConsumer kafka = new SimulatedConsumer();

        assertThatThrownBy(() -> TrackedConsumer.wrap(kafka, (Map<String, Object>) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("config");
        assertThat(kafka.isClosed()).isTrue();
        assertThatThrownBy(() -> TrackedConsumer.wrap(null, Rig.CONFIG))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("consumer");
    }

    @Test
    void settingsOutOfRange_areRefusedAtOnce() {
        assertSettingRefused(
                builder -> builder.commitPolicy(null),
                IllegalArgumentException.class,
                "commitPolicy is null: give one, or leave it out for timeBounded(5 s)");
        assertSettingRefused(
                builder -> builder.maxInFlightPerPartition(0),
                IllegalArgumentException.class,
                "maxInFlightPerPartition is 0: it must be one or more");
        assertSettingRefused(
                builder -> builder.drainTimeout(Duration.ofMillis(-1)),
                IllegalArgumentException.class,
                "drainTimeout is PT-0.001S: it must be zero or more");
        assertSettingRefused(
                builder -> builder.drainTimeout(null),
                IllegalArgumentException.class,
                "drainTimeout is null: it must be zero or more");
        assertSettingRefused(
                builder -> builder.lookEvery(Duration.ZERO),
                IllegalArgumentException.class,
                "lookEvery is PT0S: it must be more than zero");
        assertSettingRefused(
                builder -> builder.statusThresholds(null),
                IllegalArgumentException.class,
                "statusThresholds is null: give some, or leave them out");
        assertSettingRefused(
                builder -> builder.admin(null),
                IllegalArgumentException.class,
                "admin is null: give one, or leave it out");
        assertSettingRefused(
                builder -> builder.deserializers(new StringDeserializer(), new StringDeserializer()),
                IllegalArgumentException.class,
                "deserializers: the wrapped consumer has its own; leave them out");
    }

    @Test
    void consumerInUseAlready_isRefusedAndClosed() {
        String message =
                "the wrapped consumer has a subscription or an assignment already: wrap it first, then subscribe"
                        + " or assign through the TrackedConsumer";
        SimulatedConsumer subscribed = new SimulatedConsumer();
        subscribed.subscribe(List.of("topic"), new Rig.Quiet());
        SimulatedConsumer assigned = new SimulatedConsumer();
        assigned.assign(List.of(P0));

        for (SimulatedConsumer kafka : List.of(subscribed, assigned)) {
            assertThatThrownBy(() -> TrackedConsumer.wrap(kafka, Rig.CONFIG).build())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(message);
            assertThat(kafka.isClosed()).isTrue();
        }
    }

    @Test
    void refusedAndClosingFailsToo_isSuppressed() {
        SimulatedConsumer kafka = new SimulatedConsumer();
        kafka.closeFailure = new KafkaException("close");

        assertThatThrownBy(() -> TrackedConsumer.wrap(kafka, Map.of()).build())
                .hasSuppressedException(kafka.closeFailure);
    }

    @Test
    void defaultPolicy_isFiveSeconds() {
        Rig rig = Rig.with(builder -> builder).subscribed(P0);
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        rig.complete(P0, 0);
        rig.tick();
        rig.tick(Duration.ofMillis(4_999));
        assertThat(rig.sent(P0)).isEmpty();
        rig.tick(Duration.ofMillis(2));
        rig.tick();
        assertThat(rig.sent(P0)).containsExactly(1L);
    }

    @Test
    void builtTwice_secondIsRefusedAndTheFirstGoesOn() {
        SimulatedConsumer kafka = new SimulatedConsumer();
        TrackedConsumerBuilder<String, String> builder = TrackedConsumer.wrap(kafka, Rig.CONFIG);
        builder.build();

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this builder has been used already: begin anew for another consumer");
        assertThat(kafka.isClosed()).isFalse();
    }
}
