package dev.offsets;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where one partition stands, as seen at one moment. The numbers are read one after another while workers go on, so
 * they may differ by what finished in between; the committable offset is never above the lowest incomplete offset.
 *
 * @param position the next offset to read
 * @param committableOffset the offset that could be committed: every delivered record below it is finished. It is the
 *     last one that the owner thread published, and may lag behind the newest completion
 * @param committedOffset the offset whose commit was confirmed in this incarnation; empty before the first confirmation
 * @param incomplete how many records were delivered and are not finished; those that failed are among them
 * @param started how many of the incomplete records have been started by {@link OffsetTracker#tryStart} and have no
 *     outcome yet
 * @param failed how many of the incomplete records have failed
 * @param completedAhead how many records above the committable offset are finished
 * @param lowestIncompleteOffset the record that holds the committable offset back; empty when nothing is incomplete
 * @param lowestIncompleteAge how long ago that record was tracked, to within a millisecond and the time between two
 *     calls of {@link OffsetTracker#advance}, never too young; empty when nothing is incomplete
 * @param ended whether the incarnation has ended: the other numbers are its last ones, with nothing in flight
 */
public record TrackerStatus(
        long position,
        long committableOffset,
        OptionalLong committedOffset,
        long incomplete,
        long started,
        long failed,
        long completedAhead,
        OptionalLong lowestIncompleteOffset,
        Optional<Duration> lowestIncompleteAge,
        boolean ended) {}
