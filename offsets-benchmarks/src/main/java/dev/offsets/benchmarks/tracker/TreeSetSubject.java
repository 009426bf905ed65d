package dev.offsets.benchmarks.tracker;

import java.util.TreeSet;

/** The simplest way: the incomplete offsets in a sorted set, under a lock. */
final class TreeSetSubject implements Subject {
    private final TreeSet<Long> incomplete = new TreeSet<>();

    @Override
    public synchronized void track(long first, int[] distances) {
        for (int distance : distances) {
            incomplete.add(first + distance);
        }
    }

    @Override
    public synchronized void complete(long offset, int index) {
        incomplete.remove(offset);
    }

    @Override
    public synchronized long advance(long position) {
        return incomplete.isEmpty() ? position : incomplete.first();
    }
}
