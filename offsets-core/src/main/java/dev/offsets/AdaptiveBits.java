package dev.offsets;

import java.util.Arrays;

/**
 * Bits of several kinds, each coded at the probability with which its kind has come so far: at first an average of all
 * that came, later one in which the older count less and less.
 */
final class AdaptiveBits {
    private static final int LONGEST_MEMORY = 256;
    /** Nothing gets so probable that the contrary could no longer be coded. */
    private static final int LEAST = 32;

    private static final int MOST = (1 << BitCoder.PROBABILITY_BITS) - LEAST;

    private final int[] probabilities;
    private final int[] weights;

    AdaptiveBits(int kinds) {
        probabilities = new int[kinds];
        weights = new int[kinds];
        Arrays.fill(probabilities, BitCoder.EVEN);
        Arrays.fill(weights, 2);
    }

    /** Writes or reads a bit of a kind, and learns from it. */
    int code(BitCoder coder, int kind, int bit) {
        int probability = probabilities[kind];
        int coded = coder.code(bit, probability);
        int weight = weights[kind];
        probabilities[kind] = probability + ((coded == 1 ? MOST : LEAST) - probability) / weight;
        if (weight < LONGEST_MEMORY) {
            weights[kind] = weight + 1;
        }
        return coded;
    }
}
