package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.Receipt;
import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A tracked consumer on a simulated Kafka, and short words for what tests do with them. */
final class Rig {
    static final String TOPIC = "topic";
    static final TopicPartition P0 = new TopicPartition(TOPIC, 0);
    static final TopicPartition P1 = new TopicPartition(TOPIC, 1);
    static final Map<String, Object> CONFIG = config("earliest");
    static final Map<String, Object> CONFIG_LATEST = config("latest");

    private static Map<String, Object> config(String reset) {
        return Map.of(
                "group.id",
                "group",
                "enable.auto.commit",
                "false",
                "auto.offset.reset",
                reset,
                "metric.reporters", // JMX is slow, and the same for all consumers of this id
                "");
    }

    final SimulatedConsumer kafka = new SimulatedConsumer();
    final VirtualTime time = kafka.time;
    final TrackedConsumer<String, String> consumer;
    private final Map<String, TrackedRecord<String, String>> handles = new HashMap<>();

    private Rig(Map<String, ?> config, UnaryOperator<TrackedConsumerBuilder<String, String>> settings) {
        kafka.resetsToLatest = "latest".equals(config.get("auto.offset.reset"));
        consumer =
                settings.apply(TrackedConsumer.wrap(kafka, config).time(time)).build();
    }

    static Rig with(UnaryOperator<TrackedConsumerBuilder<String, String>> settings) {
        return new Rig(CONFIG, settings);
    }

    static Rig with(Map<String, ?> config, UnaryOperator<TrackedConsumerBuilder<String, String>> settings) {
        return new Rig(config, settings);
    }

    /** With a configuration of its own; commits at once. */
    static Rig withConfig(Map<String, ?> config) {
        return new Rig(config, builder -> builder.commitPolicy(CommitPolicy.afterProcessing()));
    }

    static Rig committing(CommitPolicy policy) {
        return with(builder -> builder.commitPolicy(policy));
    }

    /** Commits in each turn of the loop in which there is progress. */
    static Rig committingAtOnce() {
        return committing(CommitPolicy.afterProcessing());
    }

    /** Never commits because of time or number. */
    static Rig committingOnlyAtTheEnd() {
        return committing(CommitPolicy.timeBounded(Duration.ofDays(1)));
    }

    Rig subscribed(TopicPartition... partitions) {
        return subscribed(new Quiet(), partitions);
    }

    /** The partitions are assigned inside the next poll. */
    Rig subscribed(ConsumerRebalanceListener listener, TopicPartition... partitions) {
        consumer.subscribe(Set.of(TOPIC), listener);
        kafka.insideNextPoll(() -> kafka.rebalanceEagerly(partitions));
        return this;
    }

    /** The records of one poll that doesn't wait, handed out. */
    List<TrackedRecord<String, String>> poll() {
        return poll(Duration.ZERO);
    }

    List<TrackedRecord<String, String>> poll(Duration timeout) {
        return handOut(consumer.poll(timeout), Integer.MAX_VALUE);
    }

    /** One turn of the loop in which nothing comes. */
    void tick() {
        assertThat(offsets(poll())).isEmpty();
    }

    void tick(Duration timeout) {
        assertThat(offsets(poll(timeout))).isEmpty();
    }

    /** Polls once and hands out so many records, as a loop that is left in the middle does. */
    List<TrackedRecord<String, String>> pollAndLeaveAfter(int records) {
        return handOut(consumer.poll(Duration.ZERO), records);
    }

    private List<TrackedRecord<String, String>> handOut(TrackedRecords<String, String> polled, int limit) {
        List<TrackedRecord<String, String>> handedOut = new ArrayList<>();
        var iterator = polled.iterator();
        while (handedOut.size() < limit && iterator.hasNext()) {
            TrackedRecord<String, String> record = iterator.next();
            handedOut.add(record);
            handles.put(record.toString(), record);
        }
        return handedOut;
    }

    /** What one request after another carried: for each, the partitions and their offsets. */
    List<Map<TopicPartition, Long>> requests(SimulatedConsumer.Kind kind) {
        return kafka.commits.stream()
                .filter(commit -> commit.kind() == kind)
                .map(commit -> {
                    Map<TopicPartition, Long> offsets = new HashMap<>();
                    commit.offsets().forEach((partition, offset) -> offsets.put(partition, offset.offset()));
                    return offsets;
                })
                .toList();
    }

    /** The newest handle of a record. */
    TrackedRecord<String, String> record(TopicPartition partition, long offset) {
        TrackedRecord<String, String> handle = handles.get(partition + "@" + offset);
        assertThat(handle).as("%s@%s was handed out", partition, offset).isNotNull();
        return handle;
    }

    void complete(TopicPartition partition, long... offsets) {
        for (long offset : offsets) {
            assertThat(record(partition, offset).complete())
                    .as("%s@%s", partition, offset)
                    .isEqualTo(Receipt.ACCEPTED);
        }
    }

    /** Completes all from one offset to another, both included. */
    void completeAll(TopicPartition partition, long from, long to) {
        for (long offset = from; offset <= to; offset++) {
            complete(partition, offset);
        }
    }

    TrackerStatus status(TopicPartition partition) {
        return consumer.status().get(partition);
    }

    /** The offsets that were sent for a partition, in order. */
    List<Long> sent(TopicPartition partition) {
        return points(partition).stream().map(OffsetAndMetadata::offset).toList();
    }

    List<Long> sent(SimulatedConsumer.Kind kind, TopicPartition partition) {
        return kafka.commits.stream()
                .filter(commit -> commit.kind() == kind && commit.offsets().containsKey(partition))
                .map(commit -> commit.offsets().get(partition).offset())
                .toList();
    }

    List<OffsetAndMetadata> points(TopicPartition partition) {
        return kafka.commits.stream()
                .filter(commit -> commit.offsets().containsKey(partition))
                .map(commit -> commit.offsets().get(partition))
                .toList();
    }

    Long stored(TopicPartition partition) {
        OffsetAndMetadata offset = kafka.stored.get(partition);
        return offset == null ? null : offset.offset();
    }

    static List<Long> offsets(List<TrackedRecord<String, String>> records) {
        return records.stream().map(TrackedRecord::offset).toList();
    }

    static List<String> names(List<TrackedRecord<String, String>> records) {
        return records.stream().map(TrackedRecord::toString).toList();
    }

    /** A rebalance listener that does nothing unless told otherwise. */
    static class Quiet implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(java.util.Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsAssigned(java.util.Collection<TopicPartition> partitions) {}
    }
}
