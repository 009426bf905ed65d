package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsets.NaiveTracker.Delivery;
import dev.offsets.NaiveTracker.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;

/** Does a script's steps to a tracker and to the naive one, on one clock, and compares every answer. */
final class ScriptedRun {
    private static final long AGE_RESOLUTION_NANOS = 1_000_000;

    final OffsetTracker tracker;
    final NaiveTracker naive;
    /** How many reports were accepted for each offset. */
    final Map<Long, Integer> accepted = new HashMap<>();
    /** Delivered, and no accepted completion: kept apart from both trackers. */
    final TreeSet<Long> unfinished = new TreeSet<>();
    /** What the last step's reports were answered. */
    final List<Receipt> receipts = new ArrayList<>();

    private final List<Long> delivered = new ArrayList<>();
    private final long start;
    private long nowNanos = 1_000_000_000;

    ScriptedRun(Script script) {
        start = script.start();
        tracker = OffsetTracker.startingAt(start, () -> nowNanos);
        naive = new NaiveTracker(start);
    }

    void take(Script.Step step) {
        receipts.clear();
        if (step instanceof Script.Track track) {
            track(track);
        } else if (step instanceof Script.TrackAgain again) {
            refused(() -> tracker.track(naive.position - again.below()));
        } else if (step instanceof Script.MovePosition move) {
            movePosition(naive.position + move.by(), move.leaderEpoch());
        } else if (step instanceof Script.Complete complete) {
            report(offset(complete.target()), State.FINISHED);
        } else if (step instanceof Script.Fail fail) {
            report(offset(fail.target()), State.FAILED);
        } else if (step instanceof Script.TryStart start) {
            long offset = offset(start.target());
            assertThat(tracker.tryStart(offset)).isEqualTo(naive.tryStart(offset));
        } else if (step instanceof Script.Release release) {
            long offset = offset(release.target());
            assertThat(tracker.release(offset)).isEqualTo(naive.release(offset));
        } else if (step instanceof Script.CompleteLowest lowest) {
            completeLowest(lowest.count());
        } else if (step instanceof Script.RefuseStarts) {
            tracker.refuseStarts();
            naive.startsRefused = true;
        } else if (step instanceof Script.Advance) {
            assertThat(tracker.advance()).isEqualTo(naive.advance());
        } else if (step instanceof Script.TakeCommitPoint) {
            assertThat(tracker.commitPoint()).isEqualTo(naive.commitPoint());
        } else if (step instanceof Script.TakeResumeMap) {
            takeResumeMap();
        } else if (step instanceof Script.CountCompletedAhead) {
            naive.advance();
            assertThat(tracker.recordsCompletedAhead())
                    .as("completed ahead")
                    .isEqualTo(naive.ended ? 0 : naive.count(State.FINISHED, naive.published, Long.MAX_VALUE));
        } else if (step instanceof Script.Confirm confirm) {
            confirm(naive.published - confirm.below());
        } else if (step instanceof Script.PassTime pass) {
            nowNanos += pass.nanos();
        } else if (step instanceof Script.End) {
            tracker.end();
            naive.ended = true;
        } else {
            throw new AssertionError("a step without a meaning: " + step);
        }
    }

    /** The map names what has finished and no more; of records whose epoch is not known, or lower than one before, nothing. */
    private void takeResumeMap() {
        ResumeMap map = tracker.resumeMap(tracker.commitPoint());
        naive.advance();
        long named = 0;
        int highestEpoch = 0;
        for (var entry : naive.deliveries.tailMap(naive.published).entrySet()) {
            OptionalInt epoch = entry.getValue().leaderEpoch;
            boolean finished = !naive.ended && entry.getValue().state == State.FINISHED && epoch.isPresent();
            if (finished && epoch.getAsInt() >= highestEpoch) {
                highestEpoch = epoch.getAsInt();
                named++;
                assertThat(map.isFinished(entry.getKey(), highestEpoch))
                        .as("map names %d", entry.getKey())
                        .isTrue();
            }
        }
        assertThat(map.finishedRecords()).as("records named").isEqualTo(named);
    }

    private void track(Script.Track track) {
        long offset = naive.position + track.gap();
        if (naive.ended) {
            refused(() -> tracker.track(naive.position + track.gap()));
            return;
        }
        for (int i = 0; i < track.count(); i++, offset += track.stride()) {
            if (track.leaderEpoch().isPresent()) {
                tracker.track(offset, track.leaderEpoch().getAsInt());
            } else {
                tracker.track(offset);
            }
            naive.track(offset, track.leaderEpoch(), nowNanos);
            unfinished.add(offset);
            delivered.add(offset);
        }
    }

    private void movePosition(long position, OptionalInt leaderEpoch) {
        if (naive.ended || position < naive.position) {
            refused(() -> movePositionOfTracker(position, leaderEpoch));
        } else {
            movePositionOfTracker(position, leaderEpoch);
            naive.updatePosition(position, leaderEpoch);
        }
    }

    private void movePositionOfTracker(long position, OptionalInt leaderEpoch) {
        if (leaderEpoch.isPresent()) {
            tracker.updatePosition(position, leaderEpoch.getAsInt());
        } else {
            tracker.updatePosition(position);
        }
    }

    private void report(long offset, State outcome) {
        Receipt receipt = outcome == State.FINISHED ? tracker.complete(offset) : tracker.fail(offset);
        receipts.add(receipt);
        if (receipt == Receipt.ACCEPTED) {
            accepted.merge(offset, 1, Integer::sum);
            if (outcome == State.FINISHED) {
                unfinished.remove(offset);
            }
        }
        assertThat(receipt).as("receipt for %s %d", outcome, offset).isEqualTo(naive.report(offset, outcome));
    }

    private void completeLowest(int count) {
        List<Long> open = naive.deliveries.entrySet().stream()
                .filter(entry -> entry.getValue().state == State.DELIVERED || entry.getValue().state == State.STARTED)
                .limit(count)
                .map(entry -> entry.getKey())
                .toList();
        for (int i = open.size() - 1; i >= 0; i--) {
            report(open.get(i), State.FINISHED);
        }
    }

    private void confirm(long offset) {
        if (offset < 0 || offset > naive.published) {
            refused(() -> tracker.confirmCommit(offset));
        } else {
            tracker.confirmCommit(offset);
            naive.confirmCommit(offset);
        }
    }

    private static void refused(Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class);
    }

    private long offset(Script.Target target) {
        int number = target.number();
        long someDelivered =
                delivered.isEmpty() ? start : delivered.get(delivered.size() - 1 - number % delivered.size());
        return switch (target.whose()) {
            case DELIVERED -> someDelivered;
            case NEAR_A_DELIVERED -> someDelivered + number % 7 - 3;
            case AT_OR_ABOVE_THE_POSITION -> naive.position + number;
            case BELOW_THE_START -> start - 1 - number;
            case NEGATIVE -> -1L - number;
        };
    }

    /** Everything that can be read from the tracker is what the naive one says. */
    void compareEverything() {
        assertThat(tracker.position()).as("position").isEqualTo(naive.position);
        assertThat(tracker.committableOffset()).as("committable offset").isEqualTo(naive.published);
        assertThat(tracker.committedOffset()).as("committed offset").isEqualTo(naive.committed);
        assertThat(tracker.hasEnded()).as("ended").isEqualTo(naive.ended);
        assertThat(tracker.recordsCovered()).as("records covered").isEqualTo(naive.recordsCovered);
        assertThat(tracker.recordsHeld()).as("records held").isEqualTo(naive.recordsHeld());
        compareStatus();
    }

    private void compareStatus() {
        TrackerStatus status = tracker.status();
        boolean ended = naive.ended;
        OptionalLong lowest = ended ? OptionalLong.empty() : naive.lowestIncomplete();
        assertThat(status)
                .isEqualTo(new TrackerStatus(
                        naive.position,
                        naive.published,
                        naive.committed,
                        ended ? 0 : naive.incomplete(),
                        ended ? 0 : naive.count(State.STARTED),
                        ended ? 0 : naive.count(State.FAILED),
                        ended ? 0 : naive.count(State.FINISHED, naive.published, Long.MAX_VALUE),
                        lowest,
                        status.lowestIncompleteAge(),
                        ended));
        assertThat(status.lowestIncompleteAge().isPresent()).as("has an age").isEqualTo(lowest.isPresent());
        if (lowest.isPresent()) {
            Delivery delivery = naive.deliveries.get(lowest.getAsLong());
            assertThat(status.lowestIncompleteAge().get())
                    .as("age of the lowest incomplete record")
                    .isGreaterThanOrEqualTo(Duration.ofNanos(nowNanos - delivery.trackedAtNanos))
                    .isLessThan(Duration.ofNanos(nowNanos - delivery.turnBeganNanos + AGE_RESOLUTION_NANOS));
        }
    }
}
