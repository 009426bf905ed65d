package dev.offsets.kafka;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** Asks an Admin for the first record at or after a moment in one partition's log. Nothing blocks. */
/*
 * A broker looks into the first segment that has ever held a record that new. Where that record has been deleted from under
 * the log's start, or compacted away, it may find none there, and answers that there is none at all, although later segments
 * hold some. Whether they do shows in the highest timestamp. If so, the question is repeated with later moments, halving what
 * is between, until the earliest is found that has an answer.
 */
final class TimestampLookUp {
    private final Admin admin;
    private final TopicPartition partition;
    private final IsolationLevel isolationLevel;
    private final LogSpan log;

    TimestampLookUp(Admin admin, TopicPartition partition, IsolationLevel isolationLevel, LogSpan log) {
        this.admin = admin;
        this.partition = partition;
        this.isolationLevel = isolationLevel;
        this.log = log;
    }

    /** @param millis since the epoch; negative is as zero */
    CompletableFuture<ResolvedPoint> resolve(ReplayPoint requested, long millis) {
        long moment = Math.max(0, millis); // a negative timestamp would mean something else to a broker
        return first(moment)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(log.at(requested, found.getAsLong()))
                        : whereNoneWasFound(requested, moment));
    }

    private CompletableFuture<OptionalLong> first(long moment) {
        return ask(OffsetSpec.forTimestamp(moment)).thenApply(found -> Lag.known(found.offset()));
    }

    private CompletableFuture<ListOffsetsResultInfo> ask(OffsetSpec spec) {
        return admin.listOffsets(
                        Map.of(partition, spec),
                        new ListOffsetsOptions(isolationLevel).timeoutMs(LogLookUp.TIMEOUT_MILLIS))
                .partitionResult(partition)
                .toCompletionStage()
                .toCompletableFuture();
    }

    private CompletableFuture<ResolvedPoint> whereNoneWasFound(ReplayPoint requested, long moment) {
        return ask(OffsetSpec.maxTimestamp()).thenCompose(newest -> {
            if (newest.timestamp() < moment || newest.offset() >= log.end()) {
                return CompletableFuture.completedFuture(
                        ResolvedPoint.at(requested, log.end(), "no record is as new as that: the end"));
            }
            if (newest.offset() < log.start()) {
                return CompletableFuture.completedFuture(ResolvedPoint.at(
                        requested,
                        log.start(),
                        "the newest record has been deleted, and brokers can't tell what is as new: the log's start"));
            }
            return earliestAnswer(moment, newest.timestamp(), newest.offset())
                    .thenApply(offset -> ResolvedPoint.at(
                            requested,
                            offset,
                            "the first that brokers find, since newer records than that were deleted at the log's start:"
                                    + " some before it may be as new"));
        });
    }

    /** Between a moment without an answer and one with an offset for its answer. */
    private CompletableFuture<Long> earliestAnswer(long without, long with, long offset) {
        long middle = without + (with - without) / 2;
        if (middle == without) {
            return CompletableFuture.completedFuture(offset);
        }
        return first(middle)
                .thenCompose(found -> found.isPresent()
                        ? earliestAnswer(without, middle, Math.min(offset, Math.max(log.start(), found.getAsLong())))
                        : earliestAnswer(middle, with, offset));
    }
}
