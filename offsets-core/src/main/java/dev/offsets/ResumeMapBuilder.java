package dev.offsets;

import dev.offsets.ResumeMap.Anchor;
import dev.offsets.ResumeMap.Run;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Makes a resume map of runs in ascending order, and of a few of the anchors that it is offered. */
final class ResumeMapBuilder {
    private static final long FARTHEST_ANCHOR = Integer.MAX_VALUE;

    private final long base;
    private final List<Run> runs = new ArrayList<>();
    private final List<Anchor> anchors = new ArrayList<>();
    private long start;
    private long end;
    private int leaderEpoch;

    ResumeMapBuilder(long base) {
        this.base = base;
        start = base;
        end = base;
    }

    void add(Run run) {
        add(run.start(), run.end(), run.leaderEpoch());
    }

    /**
     * Adds a run that starts no lower than the one before. What lies below the base or in an earlier run is left out, and
     * so is a run of a lower leader epoch than an earlier one: no one log has such records.
     */
    void add(long runStart, long runEnd, int runLeaderEpoch) {
        long from = Math.max(runStart, end);
        if (from >= runEnd || runLeaderEpoch < leaderEpoch) {
            return;
        }
        if (from != end || runLeaderEpoch != leaderEpoch) {
            addPending();
            start = from;
            leaderEpoch = runLeaderEpoch;
        }
        end = runEnd;
    }

    void add(Anchor anchor) {
        if (anchor.offset() >= base && anchor.offset() - base <= FARTHEST_ANCHOR) {
            anchors.add(anchor);
        }
    }

    private void addPending() {
        if (start < end) {
            runs.add(new Run(start, end, leaderEpoch));
        }
    }

    ResumeMap build() {
        addPending();
        start = end;
        anchors.removeIf(anchor -> anchor.offset() >= end);
        anchors.sort(Comparator.comparingLong(Anchor::offset));
        return new ResumeMap(base, runs, lowestAndMiddle());
    }

    /** The lowest finds another log out soonest; the one in the middle, one that is the same up to there. */
    private List<Anchor> lowestAndMiddle() {
        int count = anchors.size();
        return count < 2 ? anchors : List.of(anchors.get(0), anchors.get(count / 2));
    }
}
