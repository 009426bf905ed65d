package dev.offsets.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks an Admin for the ends of logs. Not the Kafka consumer, whose own look-ups overwrite the end that it goes by. Any
 * thread; nothing blocks.
 */
final class LogLookUp {
    static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(10).toMillis();

    /** @param failure why one of the ends is not known; null when they are */
    record Found(LogBounds bounds, Throwable failure) {}

    private LogLookUp() {}

    /** Never fails: an end that can't be told is empty. */
    static CompletableFuture<Map<TopicPartition, Found>> of(Admin admin, Collection<TopicPartition> partitions) {
        Asked earliest = new Asked(
                () -> ask(admin, partitions, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED), partitions);
        Asked stable =
                new Asked(() -> ask(admin, partitions, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED), partitions);
        Asked latest = new Asked(
                () -> ask(admin, partitions, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED), partitions);
        CompletableFuture<?>[] all = Stream.of(earliest, stable, latest)
                .flatMap(asked -> asked.answers.values().stream())
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(all).handle((nothing, failure) -> {
            Map<TopicPartition, Found> found = new HashMap<>();
            for (TopicPartition partition : partitions) {
                LogBounds bounds =
                        new LogBounds(earliest.offset(partition), stable.offset(partition), latest.offset(partition));
                Throwable why = Stream.of(earliest, stable, latest)
                        .map(asked -> asked.failure(partition))
                        .filter(each -> each != null)
                        .findFirst()
                        .orElse(null);
                found.put(partition, new Found(bounds.inOrder(), why));
            }
            return found;
        });
    }

    private static ListOffsetsResult ask(
            Admin admin, Collection<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolationLevel) {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        partitions.forEach(partition -> specs.put(partition, spec));
        return admin.listOffsets(specs, new ListOffsetsOptions(isolationLevel).timeoutMs(TIMEOUT_MILLIS));
    }

    /** One question, with an answer for each partition. */
    private static final class Asked {
        final Map<TopicPartition, CompletableFuture<Long>> answers = new HashMap<>();

        Asked(Supplier<ListOffsetsResult> question, Collection<TopicPartition> partitions) {
            try {
                ListOffsetsResult result = question.get();
                partitions.forEach(partition -> answers.put(
                        partition,
                        result.partitionResult(partition)
                                .toCompletionStage()
                                .thenApply(ListOffsetsResult.ListOffsetsResultInfo::offset)
                                .toCompletableFuture()));
            } catch (RuntimeException e) {
                // An Admin that has been closed, for one.
                partitions.forEach(partition -> answers.put(partition, CompletableFuture.failedFuture(e)));
            }
        }

        OptionalLong offset(TopicPartition partition) {
            CompletableFuture<Long> answer = answers.get(partition);
            return answer.isCompletedExceptionally() ? OptionalLong.empty() : Lag.known(answer.join());
        }

        Throwable failure(TopicPartition partition) {
            return answers.get(partition)
                    .handle((offset, failure) -> failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure)
                    .join();
        }
    }
}
