package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The smallest loop that commits by a policy, on a clock that the test moves. It writes down what it committed when.
 * Every commit is confirmed at once.
 */
final class PolicyLedger {
    private static final class Partition {
        final OffsetTracker tracker;
        long stored;
        long coveredWhenStored;

        Partition(OffsetTracker tracker) {
            this.tracker = tracker;
        }

        boolean hasProgress() {
            return tracker.committableOffset() != stored;
        }
    }

    private final CommitPolicy policy;
    private final Map<String, Partition> partitions = new LinkedHashMap<>();
    private final List<String> commits = new ArrayList<>();
    private Duration elapsed = Duration.ZERO;
    private Duration wallClock = Duration.ofDays(20_000);
    private Duration committableSince;
    private Duration lastCommit = Duration.ZERO;
    private Duration longestWait = Duration.ZERO;

    PolicyLedger(CommitPolicy policy, String... names) {
        this.policy = policy;
        for (String name : names) {
            partitions.put(name, new Partition(OffsetTracker.startingAt(0, () -> elapsed.toNanos())));
        }
    }

    void deliver(String partition, long first, long last) {
        for (long offset = first; offset <= last; offset++) {
            partitions.get(partition).tracker.track(offset);
        }
    }

    void readTo(String partition, long position) {
        partitions.get(partition).tracker.updatePosition(position);
    }

    void complete(String partition, long... offsets) {
        for (long offset : offsets) {
            assertThat(partitions.get(partition).tracker.complete(offset)).isEqualTo(Receipt.ACCEPTED);
        }
    }

    void passSeconds(long seconds) {
        elapsed = elapsed.plusSeconds(seconds);
        wallClock = wallClock.plusSeconds(seconds);
    }

    /** A step of the clock on the wall: nothing that a policy or a tracker is given depends on it. */
    void stepWallClock(Duration step) {
        wallClock = wallClock.plus(step);
    }

    void turnEverySecondFor(long seconds) {
        for (long second = 0; second < seconds; second++) {
            turn();
            passSeconds(1);
        }
    }

    /** One turn of the loop: advance, ask the policy if there is progress, commit if it is due. */
    void turn() {
        partitions.values().forEach(partition -> partition.tracker.advance());
        if (partitions.values().stream().noneMatch(Partition::hasProgress)) {
            return;
        }
        if (committableSince == null) {
            committableSince = elapsed;
        }
        if (timeUntilDue().filter(due -> due.compareTo(Duration.ZERO) <= 0).isPresent()) {
            commit();
        }
    }

    Optional<Duration> timeUntilDue() {
        long covered = 0;
        long incomplete = 0;
        long completedAhead = 0;
        for (Partition partition : partitions.values()) {
            TrackerStatus status = partition.tracker.status();
            covered += partition.tracker.recordsCovered() - partition.coveredWhenStored;
            incomplete += status.incomplete();
            completedAhead += status.completedAhead();
        }
        return policy.timeUntilDue(new CommitProgress(
                covered,
                elapsed.minus(committableSince),
                elapsed.minus(lastCommit),
                incomplete,
                completedAhead,
                covered + completedAhead));
    }

    private void commit() {
        StringBuilder entry = new StringBuilder(elapsed.toSeconds() + "s");
        partitions.forEach((name, partition) -> {
            if (partition.hasProgress()) {
                long offset = partition.tracker.commitPoint().offset();
                entry.append(' ').append(name).append('@').append(offset);
                partition.tracker.confirmCommit(offset);
                partition.stored = offset;
                partition.coveredWhenStored = partition.tracker.recordsCovered();
            }
        });
        commits.add(entry.toString());
        Duration waited = elapsed.minus(committableSince);
        longestWait = waited.compareTo(longestWait) > 0 ? waited : longestWait;
        lastCommit = elapsed;
        committableSince = null;
    }

    /** One entry a commit request: the second, then each partition with the offset committed. */
    List<String> commits() {
        return commits;
    }

    /** The longest that any progress was committable before it was committed. */
    Duration longestWait() {
        return longestWait;
    }
}
