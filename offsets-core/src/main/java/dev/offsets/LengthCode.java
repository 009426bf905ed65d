package dev.offsets;

/**
 * The code for the lengths of one kind of run: a Golomb-Rice code whose parameter follows the lengths seen, and whose
 * bits are coded at the probabilities with which they have come. Writer and reader learn alike; an instance is for one
 * message.
 */
/*
 * A value is divided by a power of two near the recent mean: the quotient in unary, the rest in binary. Where lengths fall
 * off geometrically, as they do when records finish independently, each bit of the quotient has a probability of its
 * own, and so have the first two of the rest; the others are as good as even. A quotient that is far off goes on as an
 * exponent and a mantissa, as does the first value of all, so that the largest takes tens of bits and not billions.
 */
final class LengthCode {
    /** Values take so many bits at most. */
    static final int VALUE_BITS = 62;

    private static final int EXPONENT_BITS = 6;
    private static final int LONGEST_UNARY = 8;
    private static final int FIRST_OF_REST = LONGEST_UNARY;
    private static final int SECOND_OF_REST = FIRST_OF_REST + 1;
    private static final int EXPONENT = SECOND_OF_REST + 2;
    /** The mean is that of about the last so many values. */
    private static final int MEMORY = 32;
    /** What a value adds to the mean at most, so that one outlier is soon forgotten and the total does not overflow. */
    private static final long MOST_LEARNED = 1L << 40;

    private final AdaptiveBits bits = new AdaptiveBits(EXPONENT + VALUE_BITS);
    private long seen;
    private long total;

    /**
     * Writes a value, or reads one.
     *
     * @param value from zero to 2^{@value #VALUE_BITS} - 1; a reader does not look at it
     * @return the value that was written or read
     */
    long code(BitCoder coder, long value) {
        long coded = seen == 0 ? codeNumber(coder, value, EXPONENT_BITS) : codeNearMean(coder, value);
        total += Math.min(coded, MOST_LEARNED);
        if (++seen == MEMORY) {
            total >>= 1;
            seen >>= 1;
        }
        return coded;
    }

    private long codeNearMean(BitCoder coder, long value) {
        int restBits = restBits();
        long quotient = codeQuotient(coder, value >>> restBits, VALUE_BITS - restBits);
        return quotient << restBits | codeRest(coder, value, restBits);
    }

    /** How many bits of a value are not its quotient: two to the power of it is the mean at most. */
    private int restBits() {
        long mean = total / seen;
        return mean == 0 ? 0 : Long.SIZE - 1 - Long.numberOfLeadingZeros(mean);
    }

    private long codeQuotient(BitCoder coder, long quotient, int mostBits) {
        for (int i = 0; i < LONGEST_UNARY; i++) {
            if (bits.code(coder, i, quotient > i ? 1 : 0) == 0) {
                return i;
            }
        }
        long beyond = quotient - LONGEST_UNARY + 1;
        int exponent = 0;
        while (exponent < mostBits - 1 && bits.code(coder, EXPONENT + exponent, beyond >> exponent > 1 ? 1 : 0) == 1) {
            exponent++;
        }
        return LONGEST_UNARY - 1 + (1L << exponent | codeEven(coder, beyond, exponent));
    }

    private long codeRest(BitCoder coder, long value, int restBits) {
        if (restBits == 0) {
            return 0;
        }
        int first = bits.code(coder, FIRST_OF_REST, bit(value, restBits - 1));
        if (restBits == 1) {
            return first;
        }
        int second = bits.code(coder, SECOND_OF_REST + first, bit(value, restBits - 2));
        int evenBits = restBits - 2;
        return (2L * first + second) << evenBits | codeEven(coder, value, evenBits);
    }

    /**
     * Writes or reads a number of which nothing is known but that small ones are more likely: an exponent, and as many
     * bits as it says.
     */
    static long codeNumber(BitCoder coder, long value, int exponentBits) {
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(value + 1);
        exponent = (int) codeEven(coder, exponent, exponentBits);
        return (1L << exponent | codeEven(coder, value + 1, exponent)) - 1;
    }

    /** Writes or reads the lowest bits of a value, as many as are said, of which nothing is known. */
    static long codeEven(BitCoder coder, long value, int count) {
        long coded = 0;
        for (int i = count - 1; i >= 0; i--) {
            coded = coded << 1 | coder.code(bit(value, i), BitCoder.EVEN);
        }
        return coded;
    }

    private static int bit(long value, int index) {
        return (int) (value >>> index) & 1;
    }
}
