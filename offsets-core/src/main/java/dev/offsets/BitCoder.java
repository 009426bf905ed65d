package dev.offsets;

/**
 * One side of a binary arithmetic code: the {@linkplain BitWriter writer} takes bits, the {@linkplain BitReader reader}
 * answers them, and a bit costs the space that its improbability demands. Both are called in the same way, so that what
 * is written and what is read is described once, in {@link LengthCode}.
 */
/*
 * A message is a number of 56 bits and more, as yet only known to lie in [low, low + range). Each bit narrows the range;
 * a byte is shifted out as soon as the whole range agrees on it. Should the range become too small to be divided while
 * it still disagrees on its first byte, all beyond the point of disagreement is given up, which costs next to nothing
 * and means that a byte once shifted out never changes. Integers only: every machine computes the same.
 */
abstract class BitCoder {
    /** Probabilities are given as so many of 2^16. */
    static final int PROBABILITY_BITS = 16;

    /** A probability of one half. */
    static final int EVEN = 1 << PROBABILITY_BITS - 1;

    static final int STATE_BITS = 56;
    static final int STATE_BYTES = STATE_BITS / Byte.SIZE;
    static final long STATE_MASK = (1L << STATE_BITS) - 1;
    static final int FIRST_BYTE_SHIFT = STATE_BITS - Byte.SIZE;

    private static final long SMALLEST_RANGE = 1L << 40;

    long low;
    long range = STATE_MASK + 1;

    /**
     * Writes a bit, or reads one.
     *
     * @param bit zero or one; the reader does not look at it
     * @param probability how probable it is that the bit is one: more than zero, less than 2^16
     * @return the bit that was written or read
     */
    final int code(int bit, int probability) {
        long rangeOfOne = (range >>> PROBABILITY_BITS) * probability;
        int coded = decide(bit, rangeOfOne);
        if (coded == 1) {
            range = rangeOfOne;
        } else {
            low += rangeOfOne;
            range -= rangeOfOne;
        }
        while (firstByteIsDecided()) {
            shift();
            low = low << Byte.SIZE & STATE_MASK;
            range <<= Byte.SIZE;
        }
        return coded;
    }

    private boolean firstByteIsDecided() {
        if ((low ^ low + range - 1) >>> FIRST_BYTE_SHIFT == 0) {
            return true;
        }
        if (range >= SMALLEST_RANGE) {
            return false;
        }
        range = SMALLEST_RANGE - (low & SMALLEST_RANGE - 1);
        return true;
    }

    /** Which bit it is, given that the lowest so many numbers of the range stand for a one. */
    abstract int decide(int bit, long rangeOfOne);

    /** The first byte is about to leave the state. */
    abstract void shift();
}
