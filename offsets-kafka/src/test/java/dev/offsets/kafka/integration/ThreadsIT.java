package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.kafka.TrackedConsumer;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.WakeupException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls from a thread that is not the loop's, and calls that come too late. */
@Timeout(180)
class ThreadsIT {
    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void callsFromAnotherThread_whileTheLoopPolls_areRefused(Protocol protocol) throws Exception {
        Member member = fiveReceived(protocol);
        TrackedConsumer<String, String> consumer = member.consumer();
        CountDownLatch polling = new CountDownLatch(1);
        member.completeBelow(5);
        CompletableFuture<Void> loop = CompletableFuture.runAsync(
                () -> {
                    polling.countDown();
                    assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(60)))
                            .isInstanceOf(WakeupException.class);
                },
                kafka.pool(1));
        polling.await();
        // With its commit it is well inside the poll
        Await.until("the loop polls", () -> Long.valueOf(5).equals(kafka.committed(0)));

        for (ThrowingCallable call : callsOfTheLoop(consumer)) {
            assertThatThrownBy(call).isInstanceOf(ConcurrentModificationException.class);
        }
        assertThatThrownBy(() -> consumer.close(Duration.ZERO)).isInstanceOf(ConcurrentModificationException.class);
        assertThat(consumer.status()).containsKey(kafka.partition(0));
        consumer.requestCommit();

        assertThat(loop.isDone()).isFalse();
        consumer.wakeup();
        loop.get(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void callsAfterClose_areRefused(Protocol protocol) throws Exception {
        Member member = fiveReceived(protocol);
        TrackedConsumer<String, String> consumer = member.consumer();
        consumer.close(Duration.ofMillis(100));

        for (ThrowingCallable call : callsOfTheLoop(consumer)) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("this consumer has been closed");
        }
        assertThat(member.completeBelow(5)).isZero();
        assertThatCode(consumer::requestCommit).doesNotThrowAnyException();
        assertThatCode(consumer::wakeup).doesNotThrowAnyException();
        assertThat(consumer.status()).isEmpty();
        assertThat(kafka.committed(0)).isNull();
    }

    private List<ThrowingCallable> callsOfTheLoop(TrackedConsumer<String, String> consumer) {
        return List.of(
                () -> consumer.poll(Duration.ZERO),
                consumer::commitSync,
                () -> consumer.seek(kafka.partition(0), 0),
                () -> consumer.pause(List.of(kafka.partition(0))),
                () -> consumer.resume(List.of(kafka.partition(0))),
                consumer::assignment,
                consumer::groupMetadata,
                consumer::unsubscribe);
    }

    private Member fiveReceived(Protocol protocol) throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 5);
        Member member = kafka.member(protocol).subscribe();
        member.receive(5);
        return member;
    }
}
