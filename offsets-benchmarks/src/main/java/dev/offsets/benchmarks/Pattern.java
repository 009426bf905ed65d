package dev.offsets.benchmarks;

import java.util.BitSet;
import java.util.Random;
import java.util.function.DoubleSupplier;

/** Which records of a partition are finished, above a first one that is not: as different kinds of work leave them. */
public enum Pattern {
    /** One record stuck, and a million done beyond it. */
    STUCK_HEAD {
        @Override
        BitSet finished(Random random) {
            BitSet finished = new BitSet();
            finished.set(1, 1_000_000);
            return finished;
        }
    },
    RANDOM_1_PERCENT {
        @Override
        BitSet finished(Random random) {
            return random(random, 10_000, 0.01);
        }
    },
    RANDOM_10_PERCENT {
        @Override
        BitSet finished(Random random) {
            return random(random, 10_000, 0.1);
        }
    },
    RANDOM_50_PERCENT {
        @Override
        BitSet finished(Random random) {
            return random(random, 10_000, 0.5);
        }
    },
    RUNS_OF_500 {
        @Override
        BitSet finished(Random random) {
            return runs(random, 100_000, 500);
        }
    },
    RUNS_OF_20 {
        @Override
        BitSet finished(Random random) {
            return runs(random, 10_000, 20);
        }
    },
    /** Records started one after another with exponential latency: most are open at the tail, few at the head. */
    PIPELINE {
        @Override
        BitSet finished(Random random) {
            int records = 10_000;
            DoubleSupplier latency = exponential(random, 430);
            BitSet finished = new BitSet();
            for (int i = 0; i < records; i++) {
                finished.set(i, latency.getAsDouble() < records - i);
            }
            return finished.get(finished.nextClearBit(0), records);
        }
    },
    EVERY_SECOND {
        @Override
        BitSet finished(Random random) {
            BitSet finished = new BitSet();
            for (int i = 1; i < 10_000; i += 2) {
                finished.set(i);
            }
            return finished;
        }
    };

    /** One bit for each record above and at the first, which is not finished. */
    abstract BitSet finished(Random random);

    /** What no code for independent records of that density can be below on average, in bytes. */
    static double entropyBytes(BitSet finished) {
        double share = finished.cardinality() / (double) finished.length();
        double bits = -share * Math.log(share) - (1 - share) * Math.log(1 - share);
        return finished.length() * bits / Math.log(2) / Byte.SIZE;
    }

    static BitSet random(Random random, int span, double incomplete) {
        BitSet finished = new BitSet();
        for (int i = 1; i < span; i++) {
            finished.set(i, random.nextDouble() >= incomplete);
        }
        return finished;
    }

    private static BitSet runs(Random random, int span, double mean) {
        DoubleSupplier lengths = exponential(random, mean);
        BitSet finished = new BitSet();
        boolean done = false;
        for (int from = 0; from < span; done = !done) {
            int to = Math.min(span, from + Math.max(1, (int) Math.round(lengths.getAsDouble())));
            finished.set(from, to, done);
            from = to;
        }
        return finished;
    }

    private static DoubleSupplier exponential(Random random, double mean) {
        return () -> -mean * Math.log(1 - random.nextDouble());
    }
}
