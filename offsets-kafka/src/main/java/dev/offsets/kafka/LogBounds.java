package dev.offsets.kafka;

import java.util.OptionalLong;
import org.apache.kafka.common.IsolationLevel;

/** The ends of one partition's log, each empty where it is not known. */
record LogBounds(OptionalLong logStart, OptionalLong lastStableOffset, OptionalLong highWatermark) {
    static final LogBounds UNKNOWN = new LogBounds(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());

    /** How far a consumer of this isolation level can read. */
    OptionalLong end(IsolationLevel isolationLevel) {
        return isolationLevel == IsolationLevel.READ_COMMITTED ? lastStableOffset : highWatermark;
    }

    /**
     * The same, as the ends must be at least, seeing that a consumer of this isolation level has read up to a position
     * since they were asked for.
     */
    LogBounds withPosition(long position, IsolationLevel isolationLevel) {
        OptionalLong least = OptionalLong.of(position);
        boolean committedOnly = isolationLevel == IsolationLevel.READ_COMMITTED;
        return new LogBounds(
                logStart,
                committedOnly ? atLeast(lastStableOffset, least) : lastStableOffset,
                atLeast(highWatermark, least));
    }

    /** The ends are asked for one after another: the high watermark can't be below the last stable offset. */
    LogBounds inOrder() {
        return new LogBounds(logStart, lastStableOffset, atLeast(highWatermark, lastStableOffset));
    }

    private static OptionalLong atLeast(OptionalLong end, OptionalLong least) {
        return end.isPresent() && least.isPresent()
                ? OptionalLong.of(Math.max(end.getAsLong(), least.getAsLong()))
                : end;
    }
}
