package dev.offsets;

import java.util.Optional;
import java.util.Random;
import java.util.function.Function;

/**
 * Workers complete records in random order while the owner takes one commit point with its resume map after another, as
 * strings. Each worker writes down that a record is finished before it says so to the tracker: what a map names, and what
 * lies below its offset, must be written down.
 */
final class SnapshotStress {
    private static final int RECORDS = 20_000;
    private static final int WORKERS = 4;
    private static final int LEADER_EPOCH = 1;
    private static final long LOG = 7;

    /** How the owner gets a commit point and the map for it. */
    record Taken(long offset, String text) {}

    private final StressRun run = new StressRun();
    private final OffsetTracker tracker = OffsetTracker.startingAt(0);
    private final Function<OffsetTracker, Taken> taking;
    private final byte[] finished = new byte[RECORDS];
    private final long seed;
    private volatile long named;

    private SnapshotStress(Function<OffsetTracker, Taken> taking, long seed) {
        this.taking = taking;
        this.seed = seed;
    }

    static Optional<String> episode(Function<OffsetTracker, Taken> taking, long seed) {
        return new SnapshotStress(taking, seed).play();
    }

    /** The commit point first, then what is finished. */
    static Taken right(OffsetTracker tracker) {
        CommitPoint point = tracker.commitPoint();
        return new Taken(point.offset(), text(tracker, point));
    }

    /** What is finished first, as distances from the offset of then; then an offset that may have moved. */
    static Taken torn(OffsetTracker tracker) {
        CommitPoint point = tracker.commitPoint();
        ResumeMap map = tracker.resumeMap(point);
        long offset = tracker.advance();
        ResumeMapBuilder shifted = new ResumeMapBuilder(offset);
        long moved = offset - point.offset();
        map.runs().forEach(run -> shifted.add(run.start() + moved, run.end() + moved, run.leaderEpoch()));
        return new Taken(
                offset,
                shifted.build().encode(LOG, EncodedResumeMap.MOST_CHARACTERS).text());
    }

    private static String text(OffsetTracker tracker, CommitPoint point) {
        return tracker.resumeMap(point)
                .encode(LOG, EncodedResumeMap.MOST_CHARACTERS)
                .text();
    }

    private Optional<String> play() {
        for (long offset = 0; offset < RECORDS; offset++) {
            tracker.track(offset, LEADER_EPOCH, offset, 1);
        }
        for (int worker = 0; worker < WORKERS; worker++) {
            int share = worker;
            run.start("worker " + worker, () -> completeShare(share, new Random(seed + share)));
        }
        run.guarded("owner", this::takeAndCheck);
        run.join();
        return run.violation();
    }

    /** Nearly in order, as records finish in life: neighbours in time are neighbours in the log. */
    private void completeShare(int share, Random random) {
        int window = 256;
        int[] waiting = new int[window];
        for (int i = 0; i < window; i++) {
            waiting[i] = share + i * WORKERS;
        }
        int next = share + window * WORKERS;
        for (int left = RECORDS / WORKERS; left > 0 && run.goesOn(); left--) {
            int chosen = random.nextInt(Math.min(window, left));
            int record = waiting[chosen];
            if (next < RECORDS) {
                waiting[chosen] = next;
                next += WORKERS;
            } else {
                waiting[chosen] = waiting[Math.min(window, left) - 1];
            }
            if (record == 0) {
                awaitFirstMap();
            }
            finished[record] = 1;
            tracker.complete(record);
        }
    }

    private void awaitFirstMap() {
        while (named == 0 && run.goesOn()) {
            Thread.yield();
        }
    }

    private void takeAndCheck() {
        Taken taken;
        do {
            taken = taking.apply(tracker);
            check(taken);
        } while (taken.offset() < RECORDS && run.goesOn());
    }

    private void check(Taken taken) {
        for (int record = 0; record < taken.offset(); record++) {
            if (finished[record] == 0) {
                run.violated("offset " + taken.offset() + " covers " + record + ", which is not finished");
            }
        }
        ResumeMap map = ResumeMap.decode(taken.text(), LOG, taken.offset()).map();
        for (ResumeMap.Run named : map.runs()) {
            for (long record = named.start(); record < named.end(); record++) {
                if (record >= RECORDS || finished[(int) record] == 0) {
                    run.violated("the map for " + taken.offset() + " names " + record + ", which is not finished");
                }
            }
        }
        named += map.finishedRecords();
    }
}
