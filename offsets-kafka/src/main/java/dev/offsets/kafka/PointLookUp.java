package dev.offsets.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** Finds out which offsets the points are that somebody has asked for. Asks an Admin alone; nothing blocks. */
final class PointLookUp {
    private final Admin admin;
    private final IsolationLevel isolationLevel;
    private final long nowMillis;

    PointLookUp(Admin admin, IsolationLevel isolationLevel, Time time) {
        this.admin = admin;
        this.isolationLevel = isolationLevel;
        this.nowMillis = time.wallClockMillis();
    }

    /** @param log empty bounds where they could not be told */
    record Found(LogBounds log, ResolvedPoint point) {}

    /** Never fails for one partition: what can't be told is empty, with the reason. */
    CompletionStage<Map<TopicPartition, Found>> resolve(
            Map<TopicPartition, ReplayPoint> points, Map<TopicPartition, Long> committed) {
        return LogLookUp.of(admin, points.keySet()).thenCompose(logs -> {
            Map<TopicPartition, CompletableFuture<Found>> all = new HashMap<>();
            logs.forEach((partition, log) -> all.put(
                    partition,
                    resolve(partition, points.get(partition), log, known(committed.get(partition)))
                            .thenApply(point -> new Found(log.bounds(), point))));
            return CompletableFuture.allOf(all.values().toArray(CompletableFuture<?>[]::new))
                    .thenApply(nothing -> {
                        Map<TopicPartition, Found> found = new HashMap<>();
                        all.forEach((partition, point) -> found.put(partition, point.join()));
                        return found;
                    });
        });
    }

    private static OptionalLong known(Long committed) {
        return committed == null ? OptionalLong.empty() : OptionalLong.of(committed);
    }

    private CompletableFuture<ResolvedPoint> resolve(
            TopicPartition partition, ReplayPoint point, LogLookUp.Found found, OptionalLong committed) {
        OptionalLong start = found.bounds().logStart();
        OptionalLong end = found.bounds().end(isolationLevel);
        if (start.isEmpty() || end.isEmpty()) {
            return CompletableFuture.completedFuture(ResolvedPoint.unknown(
                    point,
                    "the ends of the log are not known" + (found.failure() == null ? "" : ": " + found.failure())));
        }
        LogSpan log = new LogSpan(start.getAsLong(), Math.max(start.getAsLong(), end.getAsLong()));
        if (point instanceof ReplayPoint.Timestamp timestamp) {
            return byTime(partition, point, log, timestamp.millis());
        }
        if (point instanceof ReplayPoint.Ago ago) {
            return byTime(partition, point, log, ago.millis(nowMillis));
        }
        return CompletableFuture.completedFuture(withoutAsking(point, log, committed));
    }

    static ResolvedPoint withoutAsking(ReplayPoint point, LogSpan log, OptionalLong committed) {
        if (point instanceof ReplayPoint.Offset asked) {
            return log.at(point, asked.offset());
        }
        if (point instanceof ReplayPoint.Past past) {
            return log.past(point, committed, past.offset());
        }
        if (point instanceof ReplayPoint.Earliest) {
            return ResolvedPoint.at(point, log.start());
        }
        if (point instanceof ReplayPoint.Latest) {
            return ResolvedPoint.at(point, log.end());
        }
        return log.shifted(point, committed, point instanceof ReplayPoint.Shifted shifted ? shifted.offsets() : 0);
    }

    private CompletableFuture<ResolvedPoint> byTime(
            TopicPartition partition, ReplayPoint point, LogSpan log, long millis) {
        return new TimestampLookUp(admin, partition, isolationLevel, log)
                .resolve(point, millis)
                .exceptionally(failure -> ResolvedPoint.unknown(
                        point,
                        "looking up its time failed: "
                                + (failure instanceof CompletionException ? failure.getCause() : failure)));
    }
}
