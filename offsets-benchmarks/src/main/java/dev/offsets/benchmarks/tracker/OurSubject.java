package dev.offsets.benchmarks.tracker;

import dev.offsets.OffsetTracker;

/** {@link OffsetTracker}. A record's handle calls the same methods, with the offset of its record. */
final class OurSubject implements Subject {
    final OffsetTracker tracker = OffsetTracker.startingAt(0);

    @Override
    public void track(long first, int[] distances) {
        for (int distance : distances) {
            tracker.track(first + distance);
        }
    }

    @Override
    public void complete(long offset, int index) {
        tracker.complete(offset);
    }

    @Override
    public long advance(long position) {
        tracker.updatePosition(position);
        return tracker.advance();
    }
}
