package dev.offsets;

import dev.offsets.ResumeMap.Anchor;
import dev.offsets.ResumeMap.Run;

/**
 * What a tracker that resumed still believes of its resume map, while the log is read on in ascending order. A map whose
 * log turns out to be another one is believed no longer, from the record on that shows it. Owner thread.
 */
final class ResumedRecords {
    private ResumeMap map;
    private long end;
    private int nextRun;
    private int nextAnchor;
    private boolean refuted;

    ResumedRecords(ResumeMap map) {
        believe(map);
    }

    private void believe(ResumeMap what) {
        map = what;
        end = what.end();
    }

    /** What is still believed. */
    ResumeMap map() {
        return map;
    }

    /** Whether the map has been found to speak of another log, in a part of it. */
    boolean isRefuted() {
        return refuted;
    }

    /** The offset after the last record that is believed to be finished; the map's base when none is. */
    long end() {
        return end;
    }

    /** How many records at and above an offset are believed to be finished. */
    long recordsFrom(long offset) {
        return map.runs().stream()
                .mapToLong(run -> Math.max(0, run.end() - Math.max(offset, run.start())))
                .sum();
    }

    /** Whether the next record of the log is shown to be one that has finished. */
    boolean isFinished(long offset, int leaderEpoch, int fingerprint) {
        if (offset >= end) {
            return false;
        }
        if (!anchorsHold(offset, fingerprint)) {
            refute(offset);
            return false;
        }
        while (map.runs().get(nextRun).end() <= offset) {
            nextRun++;
        }
        Run run = map.runs().get(nextRun);
        if (offset < run.start()) {
            return false;
        }
        if (leaderEpoch != run.leaderEpoch()) {
            refute(offset);
            return false;
        }
        return true;
    }

    /** Whether each anchor up to an offset has come by and was the record that it was. */
    private boolean anchorsHold(long offset, int fingerprint) {
        while (nextAnchor < map.anchors().size()
                && map.anchors().get(nextAnchor).offset() <= offset) {
            Anchor anchor = map.anchors().get(nextAnchor);
            if (anchor.offset() != offset || anchor.fingerprint() != fingerprint) {
                return false;
            }
            nextAnchor++;
        }
        return true;
    }

    /** Where one record is another, so are all above it. */
    private void refute(long offset) {
        distrust(offset);
        refuted = true;
    }

    /** From an offset on, nothing is believed any more. */
    void distrust(long offset) {
        believe(map.below(offset));
    }

    /** The committable offset has moved: lets the map go once it has passed all of it. */
    void passed(long committable) {
        if (committable >= end && !map.isEmpty()) {
            believe(ResumeMap.empty(map.base()));
        }
    }
}
