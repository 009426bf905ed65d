package dev.offsets.benchmarks.tracker;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The least that a byte for each record can cost: one write to track it, and one compare-and-exchange to complete it and to tell
 * whether that was the first report. Its place is known, nothing is passed, and nothing is let go.
 */
final class WriteAndExchangeSubject implements Subject {
    private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(byte[].class);
    private static final byte DELIVERED = 1;
    private static final byte FINISHED = 2;

    private final byte[] states;
    private int seen;

    WriteAndExchangeSubject(int poll) {
        states = new byte[poll];
    }

    @Override
    public void track(long first, int[] distances) {
        for (int index = 0; index < distances.length; index++) {
            STATE.setRelease(states, index, DELIVERED);
        }
    }

    @Override
    public void complete(long offset, int index) {
        seen += (byte) STATE.compareAndExchange(states, index, DELIVERED, FINISHED);
    }

    @Override
    public long advance(long position) {
        return seen;
    }
}
