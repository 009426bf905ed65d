package dev.offsets.kafka.integration;

import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;

/** The three ways in which a group shares out partitions. */
enum Protocol {
    /** A rebalance takes everything from everybody and shares it out anew. */
    CLASSIC_EAGER(Map.of(
            "group.protocol",
            "classic",
            "partition.assignment.strategy",
            RangeAssignor.class.getName(),
            "heartbeat.interval.ms",
            "200")),

    /** A rebalance takes only what moves. */
    CLASSIC_COOPERATIVE(Map.of(
            "group.protocol",
            "classic",
            "partition.assignment.strategy",
            CooperativeStickyAssignor.class.getName(),
            "heartbeat.interval.ms",
            "200")),

    /** The broker shares out, and takes only what moves. */
    CONSUMER(Map.of("group.protocol", "consumer"));

    private final Map<String, String> configuration;

    Protocol(Map<String, String> configuration) {
        this.configuration = configuration;
    }

    Map<String, String> configuration() {
        return configuration;
    }
}
