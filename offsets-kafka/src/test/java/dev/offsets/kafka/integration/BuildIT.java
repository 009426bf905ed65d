package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class BuildIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @Test
    void autoCommitOn_isRefused() {
        Map<String, Object> configuration = kafka.configuration();
        configuration.put("enable.auto.commit", true);

        assertThatThrownBy(() -> TrackedConsumer.builder(configuration).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("enable.auto.commit is true: Kafka would commit records that are still being worked on."
                        + " Set it to false, or leave it out");
    }

    @Test
    void autoCommitUnset_ofAWrappedConsumer_isRefused_andTheConsumerClosed() {
        Map<String, Object> configuration = kafka.configuration();
        configuration.remove("enable.auto.commit");
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(configuration);

        assertThatThrownBy(() -> TrackedConsumer.wrap(consumer, configuration).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("enable.auto.commit is not set, and on by default");
        assertThatThrownBy(consumer::listTopics)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void autoCommitUnset_becomesOff_andNothingIsCommittedUnasked(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Map<String, Object> configuration = kafka.configuration(protocol);
        configuration.remove("enable.auto.commit");
        configuration.put("auto.commit.interval.ms", "20");
        List<TrackedRecord<String, String>> received = new ArrayList<>();
        try (TrackedConsumer<String, String> consumer = TrackedConsumer.<String, String>builder(configuration)
                .commitPolicy(CommitPolicy.afterProcessing())
                .build()) {
            consumer.subscribe(List.of(kafka.topic()));
            Runnable turn = () -> consumer.poll(Duration.ofMillis(20)).forEach(received::add);
            Await.until("all received", turn, () -> received.size() == 10);
            for (int turns = 0; turns < 25; turns++) {
                turn.run();
            }
            assertThat(kafka.committed(0)).isNull();
            consumer.close(Duration.ofMillis(100));
        }
        assertThat(kafka.committed(0)).isNull();
    }
}
