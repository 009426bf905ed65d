package dev.offsets;

import java.util.Optional;

/**
 * A worker completes each record as soon as it is registered; the owner registers and passes it, and counts the records
 * completed ahead. There are never fewer than none.
 */
final class AheadStress {
    private static final int RECORDS = 500_000;

    private final StressRun run = new StressRun();
    private final OffsetTracker tracker = OffsetTracker.startingAt(0);

    private AheadStress() {}

    static Optional<String> episode() {
        return new AheadStress().play();
    }

    private Optional<String> play() {
        run.start("worker", this::completeAll);
        run.guarded("owner", this::trackAndCount);
        run.join();
        return run.violation();
    }

    private void completeAll() {
        for (long offset = 0; offset < RECORDS && run.goesOn(); ) {
            if (tracker.complete(offset) == Receipt.ACCEPTED) {
                offset++;
            }
        }
    }

    private void trackAndCount() {
        long next = 0;
        while (tracker.committableOffset() < RECORDS && run.goesOn()) {
            if (next < RECORDS) {
                tracker.track(next++);
            }
            tracker.advance();
            long ahead = tracker.recordsCompletedAhead();
            if (ahead < 0) {
                run.violated(ahead + " records are completed ahead");
            }
        }
    }
}
