package dev.offsets;

import java.util.BitSet;
import java.util.Random;
import java.util.function.DoubleSupplier;

/** Which of a stretch of records are finished, as different kinds of work leave them: bits above a base that is not. */
final class ResumePatterns {
    static final int LEADER_EPOCH = 3;

    private ResumePatterns() {}

    /** Each record but the first is finished with the same probability. */
    static BitSet random(Random random, int span, double incomplete) {
        BitSet finished = new BitSet(span);
        for (int i = 1; i < span; i++) {
            finished.set(i, random.nextDouble() >= incomplete);
        }
        return finished;
    }

    /** One record stuck, and all above it done. */
    static BitSet stuckHead(int span) {
        BitSet finished = new BitSet(span);
        finished.set(1, span);
        return finished;
    }

    /** Incomplete and finished in turns, each for a random length. */
    static BitSet runs(int span, DoubleSupplier lengths) {
        BitSet finished = new BitSet(span);
        boolean done = false;
        for (int from = 0; from < span; done = !done) {
            int to = Math.min(span, from + Math.max(1, (int) Math.round(lengths.getAsDouble())));
            finished.set(from, to, done);
            from = to;
        }
        return finished;
    }

    static DoubleSupplier exponential(Random random, double mean) {
        return () -> -mean * Math.log(1 - random.nextDouble());
    }

    /** Records started one after another, with latencies that vary: most are open at the tail, few at the head. */
    static BitSet pipeline(Random random, int records, double meanLatency) {
        DoubleSupplier latency = exponential(random, meanLatency);
        BitSet finished = new BitSet(records);
        for (int i = 0; i < records; i++) {
            finished.set(i, latency.getAsDouble() < records - i);
        }
        return finished.get(finished.nextClearBit(0), records);
    }

    static BitSet everySecond(int span) {
        BitSet finished = new BitSet(span);
        for (int i = 1; i < span; i += 2) {
            finished.set(i);
        }
        return finished;
    }

    static ResumeMap map(long base, BitSet finished) {
        ResumeMapBuilder builder = new ResumeMapBuilder(base);
        for (int start = finished.nextSetBit(0); start >= 0; ) {
            int end = finished.nextClearBit(start);
            builder.add(base + start, base + end, LEADER_EPOCH);
            start = finished.nextSetBit(end);
        }
        return builder.build();
    }

    /** What no code of independent bits of that density can be below, in bytes. */
    static double entropyBytes(int ones, int span) {
        double share = ones / (double) span;
        return share <= 0 || share >= 1 ? 0 : -span * (share * log2(share) + (1 - share) * log2(1 - share)) / Byte.SIZE;
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }
}
