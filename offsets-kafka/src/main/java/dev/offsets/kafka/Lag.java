package dev.offsets.kafka;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.IsolationLevel;

/**
 * The arithmetic of lag. What is unknown makes what follows from it unknown; nothing is ever negative. Lags are distances of
 * offsets, and so upper bounds on records: transaction markers, aborted and compacted records take up offsets too.
 */
final class Lag {
    private Lag() {}

    /** An offset as Kafka tells it, where a negative number means that there is none. */
    static OptionalLong known(long offset) {
        return offset < 0 ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    /** Whether an offset is above a log's end: then it stands for nothing in this log. */
    static boolean isBeyond(OptionalLong offset, OptionalLong end) {
        return offset.isPresent() && end.isPresent() && offset.getAsLong() > end.getAsLong();
    }

    /**
     * How many offsets can be read from an offset to the end, by an isolation level. Unknown where one of them is, or the
     * offset is beyond the end of the log. Between the last stable offset and the high watermark an offset is none that a
     * consumer of committed records reaches, but a right one: there is nothing to read from there for it.
     */
    static OptionalLong between(OptionalLong offset, LogBounds log, IsolationLevel isolationLevel) {
        OptionalLong end = log.end(isolationLevel);
        if (offset.isEmpty() || end.isEmpty() || isBeyond(offset, log.highWatermark())) {
            return OptionalLong.empty();
        }
        long from = Math.max(offset.getAsLong(), log.logStart().orElse(0));
        return OptionalLong.of(Math.max(0, end.getAsLong() - from));
    }

    /** How many offsets from this one on were deleted: what a consumer that goes on there does not get. */
    static long deleted(OptionalLong offset, OptionalLong logStart) {
        return offset.isEmpty() || logStart.isEmpty() ? 0 : Math.max(0, logStart.getAsLong() - offset.getAsLong());
    }

    static OptionalLong sum(OptionalLong first, OptionalLong second) {
        return first.isEmpty() || second.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(first.getAsLong() + second.getAsLong());
    }

    /**
     * How old the record is that is to be finished next. Zero when nothing is to be read or done, so that it does not grow for
     * a partition that nobody writes to.
     *
     * @param readable how many offsets there are from that record on
     * @param recordTimestamp its timestamp, in milliseconds since the epoch; empty where it has not been fetched
     */
    static Optional<Duration> inTime(OptionalLong readable, OptionalLong recordTimestamp, long nowMillis) {
        if (readable.isPresent() && readable.getAsLong() == 0) {
            return Optional.of(Duration.ZERO);
        }
        return recordTimestamp.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(Math.max(0, nowMillis - recordTimestamp.getAsLong())));
    }
}
