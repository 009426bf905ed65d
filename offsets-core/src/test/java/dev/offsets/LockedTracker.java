package dev.offsets;

import java.util.BitSet;

/**
 * A right and slow tracker, for offsets from zero on: one lock around everything. What makes one wrong is in
 * {@link WrongTrackers}, a single thing in each.
 */
class LockedTracker implements StressSubject {
    private final BitSet tracked = new BitSet();
    private final BitSet open = new BitSet();
    private final BitSet failed = new BitSet();
    private final BitSet started = new BitSet();
    private long position;
    private long committable;
    private boolean startsRefused;
    private boolean ended;

    @Override
    public synchronized void track(long offset) {
        tracked.set((int) offset);
        open.set((int) offset);
        position = offset + 1;
    }

    @Override
    public synchronized Receipt complete(long offset) {
        if (ended || !isOpen(offset)) {
            return Receipt.IGNORED;
        }
        open.clear((int) offset);
        started.clear((int) offset);
        return Receipt.ACCEPTED;
    }

    @Override
    public synchronized Receipt fail(long offset) {
        if (ended || !isOpen(offset)) {
            return Receipt.IGNORED;
        }
        failed.set((int) offset);
        started.clear((int) offset);
        return Receipt.ACCEPTED;
    }

    @Override
    public synchronized boolean tryStart(long offset) {
        return !startsRefused && start(offset);
    }

    final synchronized boolean start(long offset) {
        if (ended || !isOpen(offset) || started.get((int) offset)) {
            return false;
        }
        started.set((int) offset);
        return true;
    }

    @Override
    public synchronized Receipt release(long offset) {
        if (ended || !started.get((int) offset)) {
            return Receipt.IGNORED;
        }
        started.clear((int) offset);
        return Receipt.ACCEPTED;
    }

    final synchronized boolean isStarted(long offset) {
        return started.get((int) offset);
    }

    final synchronized void reopen(long offset) {
        open.set((int) offset);
        started.clear((int) offset);
    }

    @Override
    public synchronized void refuseStarts() {
        startsRefused = true;
    }

    final synchronized boolean startsRefused() {
        return startsRefused;
    }

    @Override
    public synchronized long started() {
        return started.cardinality();
    }

    @Override
    public synchronized long advance() {
        if (!ended) {
            int lowestOpen = open.nextSetBit((int) committable);
            committable = lowestOpen < 0 ? position : lowestOpen;
        }
        return committable;
    }

    @Override
    public synchronized void end() {
        ended = true;
    }

    @Override
    public synchronized long committableOffset() {
        return committable;
    }

    final synchronized boolean isOpen(long offset) {
        return open.get((int) offset) && !failed.get((int) offset);
    }

    final synchronized boolean isTracked(long offset) {
        return tracked.get((int) offset);
    }

    final synchronized void movePosition(long newPosition) {
        position = newPosition;
    }
}
