package dev.offsets.benchmarks.tracker;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The yardstick: one atomic OR for each record, in a bitmap with a bit for each record of a poll. It tracks nothing. */
final class AtomicOrSubject implements Subject {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;
    private long seen;

    AtomicOrSubject(int poll) {
        words = new long[poll / Long.SIZE + 1];
    }

    @Override
    public void track(long first, int[] distances) {
        // Nothing is tracked
    }

    @Override
    public void complete(long offset, int index) {
        seen ^= (long) WORD.getAndBitwiseOr(words, index / Long.SIZE, 1L << index);
    }

    @Override
    public long advance(long position) {
        return seen;
    }
}
