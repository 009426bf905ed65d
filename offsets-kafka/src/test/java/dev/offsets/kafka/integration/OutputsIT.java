package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.FailurePolicy;
import dev.offsets.kafka.Outputs;
import dev.offsets.kafka.RecordFailedException;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.TrackedConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers that send to a real broker: a record is finished when its outputs are confirmed. */
@Timeout(180)
class OutputsIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private String out() {
        return kafka.topic() + ".out";
    }

    private ProducerRecord<byte[], byte[]> output(int bytes) {
        return new ProducerRecord<>(out(), new byte[bytes]);
    }

    private static <T> CompletableFuture<T> future(CompletionStage<T> stage) {
        return stage.toCompletableFuture();
    }

    @Test
    void confirmed_completesWithWhereItIs() throws Exception {
        kafka.createTopic(out(), 1, Map.of());
        KafkaProducer<byte[], byte[]> producer = kafka.byteProducer(Map.of());

        future(Outputs.send(producer, output(1))).get(30, TimeUnit.SECONDS);
        RecordMetadata second = future(Outputs.send(producer, output(1))).get(30, TimeUnit.SECONDS);

        assertThat(second.topic()).isEqualTo(out());
        assertThat(second.offset()).isEqualTo(1);
    }

    @Test
    void refusedByTheBroker_topicUnknown_producerClosed_completeExceptionally() throws Exception {
        kafka.createTopic(out(), 1, Map.of("max.message.bytes", "100"));
        KafkaProducer<byte[], byte[]> producer = kafka.byteProducer(Map.of("max.block.ms", 300));
        assertThat(future(Outputs.send(producer, output(1_000))))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(RecordTooLargeException.class);
        assertThat(future(Outputs.send(producer, new ProducerRecord<>("nowhere", new byte[1]))))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(TimeoutException.class);
        producer.close();
        assertThat(future(Outputs.send(producer, output(1))))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void withoutAcknowledgements_isNoConfirmation() throws Exception {
        kafka.createTopic(out(), 1, Map.of());
        KafkaProducer<byte[], byte[]> careless = kafka.byteProducer(Map.of("acks", "0", "enable.idempotence", false));

        assertThat(future(Outputs.send(careless, output(1))))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(KafkaException.class)
                .withMessageContaining("set acks to 1 or all");
    }

    @Test
    void allOfSeveral_failsOnlyWhenTheOthersAreDone() {
        CompletableFuture<String> slow = new CompletableFuture<>();
        CompletableFuture<String> failed = CompletableFuture.failedFuture(new IllegalStateException("failed"));
        CompletableFuture<Void> all = future(Outputs.all(failed, slow));
        assertThat(all).isNotDone();
        slow.complete("done");

        assertThat(all).isCompletedExceptionally();
        assertThat(future(Outputs.all(List.of(slow, slow)))).isCompleted();
        assertThat(future(Outputs.all())).isCompleted();
    }

    @Test
    void inputOfWhichAnOutputIsRefused_isNotFinished() throws Exception {
        kafka.createTopic(1);
        kafka.createTopic(out(), 1, Map.of());
        kafka.produce(0, 5);
        // Refused by the producer itself: by the broker, in a batch with others, it would be sent again until its
        // timeout.
        KafkaProducer<byte[], byte[]> producer = kafka.byteProducer(Map.of("max.request.size", 1_000));
        TrackedConsumer<String, String> consumer = TrackedConsumer.<String, String>builder(kafka.configuration())
                .commitPolicy(CommitPolicy.afterProcessing())
                .build();
        kafka.opened(consumer, new Ledger());
        consumer.subscribe(List.of(kafka.topic()));
        RecordProcessor<String, String> processor = consumer.processor(kafka.pool(2), 8)
                .onFailure(FailurePolicy.stopConsumer())
                .handleAsync(record -> Outputs.all(
                        Outputs.send(producer, output(1)),
                        Outputs.send(producer, output(record.offset() == 3 ? 2_000 : 1))));

        assertThatThrownBy(() -> Await.until(
                        "it stops", () -> processor.process(consumer.poll(Duration.ofMillis(20))), () -> false))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageStartingWith("record " + kafka.partition(0) + "@3 failed")
                .hasCauseInstanceOf(RecordTooLargeException.class);
        consumer.close();
        assertThat(kafka.committed(0)).isEqualTo(3);
    }
}
