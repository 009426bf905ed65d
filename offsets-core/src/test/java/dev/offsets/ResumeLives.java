package dev.offsets;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A log is read by one tracker after another, each resuming from what the one before committed, while the log is
 * truncated, compacted and made anew in between. Each record has an identity of its own, so that a record which is
 * left out without ever having been finished is found, whatever stands at its offset.
 */
final class ResumeLives {
    private static final int LIVES = 12;
    private static final int MOST_TURNS = 40;
    private static final int[] LIMITS = {0, 30, 60, 200, 4_096};

    /** What is done with a resume map between two lives: the right thing, or a known wrong one. */
    interface Restoring {
        ResumeMap restore(Committed committed, Committed committedBefore, long logId);
    }

    record Committed(long offset, String text, ResumeMap map, long logId) {}

    private record Identified(long offset, int leaderEpoch, long timestampMillis, int size, int identity) {}

    private final Random random;
    private final Restoring restoring;
    private final boolean epochsKnown;
    private final boolean logIsAlwaysTheSame;
    /** By identity: what was finished in any life, and what in this one or according to its map. */
    private final BitSet finished = new BitSet();

    private BitSet knownFinished = new BitSet();
    private final List<Identified> log = new ArrayList<>();
    private long logId = 1;
    private long nextOffset;
    private int nextIdentity;
    private int leaderEpoch;
    private Committed committed = new Committed(0, "", ResumeMap.empty(0), 1);
    private Committed committedBefore = committed;
    /** What was known to be finished when the last commit was made. */
    private BitSet committedFinished = new BitSet();

    long leftOut;
    private String violation;

    private ResumeLives(long seed, Restoring restoring, boolean epochsKnown, boolean logIsAlwaysTheSame) {
        this.random = new Random(seed);
        this.restoring = restoring;
        this.epochsKnown = epochsKnown;
        this.logIsAlwaysTheSame = logIsAlwaysTheSame;
    }

    /** As it should be. */
    static ResumeLives right(long seed, boolean logIsAlwaysTheSame) {
        return new ResumeLives(seed, ResumeLives::decoded, true, logIsAlwaysTheSame);
    }

    static ResumeLives wrong(long seed, Restoring restoring) {
        return new ResumeLives(seed, restoring, true, false);
    }

    /** Takes a record for the one that has finished whatever its leader epoch. */
    static ResumeLives blindToEpochs(long seed) {
        return new ResumeLives(seed, ResumeLives::decoded, false, false);
    }

    static ResumeMap decoded(Committed committed, Committed before, long logId) {
        return ResumeMap.decode(committed.text(), logId, committed.offset()).map();
    }

    Optional<String> play() {
        for (int life = 0; life < LIVES && violation == null; life++) {
            live();
            changeLog();
        }
        return Optional.ofNullable(violation);
    }

    private void live() {
        if (committed.offset() > nextOffset) {
            // Out of range: the position is reset, and nothing is known of it.
            committed = new Committed(nextOffset, "", ResumeMap.empty(nextOffset), logId);
            committedBefore = committed;
        }
        OffsetTracker tracker = OffsetTracker.resumingAt(restoring.restore(committed, committedBefore, logId), () -> 0);
        knownFinished = (BitSet) committedFinished.clone();
        List<Identified> inFlight = new ArrayList<>();
        int next = firstAtOrAbove(committed.offset());
        int turns = random.nextInt(MOST_TURNS);
        int slowness = 1 + random.nextInt(30);
        for (int turn = 0; turn < turns && violation == null; turn++) {
            append(random.nextInt(60));
            int pollEnd = Math.min(log.size(), next + random.nextInt(80));
            for (; next < pollEnd; next++) {
                read(tracker, log.get(next), inFlight);
            }
            inFlight.removeIf(record -> random.nextInt(slowness) == 0 && complete(tracker, record));
            if (random.nextInt(3) == 0) {
                commit(tracker);
            }
        }
    }

    private void read(OffsetTracker tracker, Identified record, List<Identified> inFlight) {
        int epoch = epochsKnown ? record.leaderEpoch() : 0;
        if (tracker.track(record.offset(), epoch, record.timestampMillis(), record.size())) {
            inFlight.add(record);
            if (logIsAlwaysTheSame && committedFinished.get(record.identity())) {
                violation = record + " was handed out, though finished when it was committed";
            }
        } else {
            leftOut++;
            if (!finished.get(record.identity())) {
                violation = record + " was left out, though never finished";
            }
        }
    }

    private boolean complete(OffsetTracker tracker, Identified record) {
        finished.set(record.identity());
        knownFinished.set(record.identity());
        return tracker.complete(record.offset()) == Receipt.ACCEPTED;
    }

    private void commit(OffsetTracker tracker) {
        CommitPoint point = tracker.commitPoint();
        ResumeMap map = tracker.resumeMap(point);
        int limit = logIsAlwaysTheSame ? EncodedResumeMap.MOST_CHARACTERS : LIMITS[random.nextInt(LIMITS.length)];
        committedBefore = committed;
        committed = new Committed(point.offset(), map.encode(logId, limit).text(), map, logId);
        committedFinished = (BitSet) knownFinished.clone();
    }

    private void changeLog() {
        int kind = logIsAlwaysTheSame ? 0 : random.nextInt(10);
        if (kind <= 1) {
            leaderEpoch++;
        } else if (kind <= 3) {
            truncate();
        } else if (kind == 4) {
            log.removeIf(record -> random.nextInt(4) == 0);
        } else if (kind == 5) {
            recreate();
        }
    }

    /** An unclean election: what is above some offset is lost, and other records take its place. */
    private void truncate() {
        long from = Math.max(0, nextOffset - random.nextInt(200));
        log.removeIf(record -> record.offset() >= from);
        nextOffset = from;
        leaderEpoch++;
        append(random.nextInt(300));
    }

    /** Another log under the same name, with the same timestamps and sizes, and epochs that begin anew. */
    private void recreate() {
        int size = log.size();
        log.clear();
        nextOffset = 0;
        leaderEpoch = 0;
        logId++;
        append(size + 100);
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            nextOffset += random.nextInt(20) == 0 ? 1 + random.nextInt(3) : 0;
            log.add(new Identified(nextOffset, leaderEpoch, nextOffset, 100, nextIdentity++));
            nextOffset++;
        }
    }

    private int firstAtOrAbove(long offset) {
        int index = 0;
        while (index < log.size() && log.get(index).offset() < offset) {
            index++;
        }
        return index;
    }
}
