package dev.offsets.kafka;

import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.IsolationLevel;

/** Facts of one partition, for tests of what is concluded from them; in the state of a partition that is caught up at 100. */
final class Facts {
    IsolationLevel isolationLevel = IsolationLevel.READ_COMMITTED;
    OptionalLong logStart = OptionalLong.of(0);
    OptionalLong lastStable = OptionalLong.of(100);
    OptionalLong highWatermark = OptionalLong.of(100);
    OptionalLong committed = OptionalLong.of(100);
    OptionalLong finishedAbove = OptionalLong.empty();
    OptionalLong clientLag = OptionalLong.empty();
    OptionalLong recordTimestamp = OptionalLong.empty();
    Optional<String> owner = Optional.of("client@host");
    long position = 100;
    long committable = 100;
    long incomplete;
    long completedAhead;
    Duration age = Duration.ZERO;

    Facts end(long end) {
        lastStable = OptionalLong.of(end);
        highWatermark = OptionalLong.of(end);
        return this;
    }

    Facts noEnds() {
        logStart = OptionalLong.empty();
        lastStable = OptionalLong.empty();
        highWatermark = OptionalLong.empty();
        return this;
    }

    /** The lowest incomplete record, how old it is, how many are incomplete, and how many finished beyond. */
    Facts inFlight(long lowest, Duration howOld, long records, long beyond) {
        committable = lowest;
        age = howOld;
        incomplete = records;
        completedAhead = beyond;
        return this;
    }

    Facts idleAt(long offset) {
        position = offset;
        committable = offset;
        incomplete = 0;
        completedAhead = 0;
        return this;
    }

    PartitionFacts fromOutside() {
        return facts(Optional.empty());
    }

    PartitionFacts fromInside() {
        boolean working = incomplete > 0;
        return facts(Optional.of(new TrackerStatus(
                position,
                committable,
                OptionalLong.empty(),
                incomplete,
                0,
                0,
                completedAhead,
                working ? OptionalLong.of(committable) : OptionalLong.empty(),
                working ? Optional.of(age) : Optional.empty(),
                false)));
    }

    private PartitionFacts facts(Optional<TrackerStatus> tracker) {
        LogBounds bounds = new LogBounds(logStart, lastStable, highWatermark);
        return new PartitionFacts(
                Rig.P0,
                isolationLevel,
                bounds,
                tracker,
                committed,
                finishedAbove,
                OptionalLong.empty(),
                OptionalLong.empty(),
                clientLag,
                recordTimestamp,
                owner);
    }
}
