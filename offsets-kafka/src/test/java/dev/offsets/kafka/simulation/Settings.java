package dev.offsets.kafka.simulation;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** How the consumers and the group of one run are configured; drawn from the seed. */
final class Settings {
    final long maxPollIntervalNanos = 4 * VirtualTime.SECOND;
    final long sessionTimeoutNanos = 2 * VirtualTime.SECOND;
    final boolean interceptor;
    final Protocol protocol;
    final int users;
    final List<TopicPartition> partitions = new ArrayList<>();
    final String resetPolicy;
    final boolean readCommitted;
    final int maxPollRecords;
    final int maxInFlight;
    final boolean explicitStarts;
    final Duration drainTimeout;
    final Duration apiTimeout;
    final int maxInFlightOfAll;
    /** How long a record may be incomplete; null for as long as it likes. */
    final Duration stuckLimit;

    /** Null where users report what their workers do themselves. */
    final Processing processing;

    final boolean resumeMaps;
    final Duration resumeMapInterval;
    final int resumeMapCharacters;
    /** How many characters of metadata the coordinator takes. */
    final int metadataLimit;

    final Duration commitKeepAlive = Duration.ofSeconds(2);
    /** How long the coordinator keeps an offset that nobody commits again. */
    final long offsetRetentionNanos = 8 * VirtualTime.SECOND;

    final CommitPolicy policy;
    final long longestUncommittedNanos;
    private final String policyName;

    Settings(Scenario scenario) {
        Chance chance = new Chance(scenario.seed(), "settings");
        interceptor = scenario.has(Feature.INTERCEPTOR);
        boolean group = scenario.has(Feature.GROUP);
        protocol = group
                ? chance.pick(Protocol.CLASSIC_EAGER, Protocol.CLASSIC_COOPERATIVE, Protocol.CONSUMER)
                : chance.pick(Protocol.values());
        users = group ? chance.between(2, 3) : 1;
        int topics = chance.between(1, 2);
        int partitionsEach = chance.between(1, 2);
        for (int topic = 0; topic < topics; topic++) {
            for (int partition = 0; partition < partitionsEach; partition++) {
                partitions.add(new TopicPartition("topic" + topic, partition));
            }
        }
        resetPolicy = chance.pick("earliest", "earliest", "latest", "none");
        readCommitted = chance.perMille(700);
        maxPollRecords = chance.pick(1, 3, 10, 50);
        maxInFlight = chance.pick(1, 4, 20, 1_000);
        maxInFlightOfAll = chance.pick(6, 30, 1_000);
        explicitStarts = chance.perMille(300);
        drainTimeout = Duration.ofMillis(chance.pick(0, 50, 400));
        apiTimeout = Duration.ofMillis(chance.pick(400, 1_500));
        stuckLimit = scenario.has(Feature.STUCK_LIMIT) ? Duration.ofMillis(chance.pick(100, 1_000)) : null;
        processing = Processing.drawnFrom(new Chance(scenario.seed(), "processing"));
        Chance chanceOfMaps = new Chance(scenario.seed(), "resume maps");
        resumeMaps = chanceOfMaps.perMille(500);
        resumeMapInterval = Duration.ofMillis(chanceOfMaps.pick(50, 300, 1_000));
        resumeMapCharacters = chanceOfMaps.pick(1_024, 4_096, 64);
        metadataLimit = scenario.has(Feature.METADATA_LIMIT) ? chanceOfMaps.pick(30, 100) : 4_096;
        policyName = chance.pick("afterProcessing", "batched", "timeBounded", "both");
        longestUncommittedNanos = switch (policyName) {
            case "afterProcessing" -> 0;
            case "batched" -> 30 * VirtualTime.SECOND;
            default -> 300 * VirtualTime.MILLI;
        };
        policy = switch (policyName) {
            case "afterProcessing" -> CommitPolicy.afterProcessing();
            case "batched" -> CommitPolicy.batched(10);
            case "timeBounded" -> CommitPolicy.timeBounded(Duration.ofMillis(300));
            default -> CommitPolicy.batched(10).or(CommitPolicy.timeBounded(Duration.ofMillis(300)));
        };
    }

    /** For a script, which decides itself what happens. */
    Settings(Protocol protocol, Setup setup, String topic) {
        this.protocol = protocol;
        interceptor = false;
        users = 0;
        for (int partition = 0; partition < setup.partitions(); partition++) {
            partitions.add(new TopicPartition(topic, partition));
        }
        resetPolicy = setup.resetPolicy();
        readCommitted = setup.readCommitted();
        maxPollRecords = setup.maxPollRecords();
        maxInFlight = 1_000;
        maxInFlightOfAll = 1_000;
        explicitStarts = false;
        stuckLimit = null;
        processing = null;
        resumeMaps = false;
        resumeMapInterval = Duration.ofSeconds(1);
        resumeMapCharacters = 1_024;
        metadataLimit = 4_096;
        drainTimeout = Duration.ofMillis(100);
        apiTimeout = Duration.ofSeconds(10);
        policyName = "afterProcessing";
        longestUncommittedNanos = 0;
        policy = CommitPolicy.afterProcessing();
    }

    /** How long a look-up of topics' ids may hold a poll up. */
    Duration longestLookUp() {
        Duration quarter = Duration.ofNanos(maxPollIntervalNanos / 4);
        Duration each = apiTimeout.compareTo(quarter) < 0 ? apiTimeout : quarter;
        return resumeMaps ? each.multipliedBy(partitions.size() + 2) : Duration.ZERO;
    }

    Set<String> topics() {
        Set<String> topics = new LinkedHashSet<>();
        partitions.forEach(partition -> topics.add(partition.topic()));
        return topics;
    }

    Map<String, Object> configuration() {
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("group.id", "group");
        configuration.put("metric.reporters", ""); // JMX is slow, and no part of this
        configuration.put("enable.auto.commit", "false");
        if (interceptor) {
            configuration.put("interceptor.classes", "an.Interceptor");
        }
        configuration.put("auto.offset.reset", resetPolicy);
        configuration.put("max.poll.interval.ms", (int) (maxPollIntervalNanos / VirtualTime.MILLI));
        configuration.put("default.api.timeout.ms", (int) apiTimeout.toMillis());
        return configuration;
    }

    @Override
    public String toString() {
        return protocol + ", " + users + " users, " + partitions.size() + " partitions, reset " + resetPolicy
                + (readCommitted ? ", read_committed" : ", read_uncommitted") + ", max.poll.records " + maxPollRecords
                + ", maxInFlightPerPartition " + maxInFlight + ", maxInFlight " + maxInFlightOfAll
                + (explicitStarts ? ", explicitStarts" : "")
                + (stuckLimit == null ? "" : ", stopWhenStuckFor " + stuckLimit)
                + ", drainTimeout " + drainTimeout + ", default.api.timeout " + apiTimeout + ", " + policyName
                + (processing == null ? "" : ", " + processing)
                + (resumeMaps ? ", resume maps of " + resumeMapCharacters + " each " + resumeMapInterval : "");
    }
}
