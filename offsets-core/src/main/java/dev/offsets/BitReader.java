package dev.offsets;

/**
 * The reading side of a {@link BitCoder}. It reads whatever it is given, a message or not, and goes on with zeros after
 * the end; {@link #isExhausted} tells that more was asked of it than any message of this length can hold.
 */
final class BitReader extends BitCoder {
    private final byte[] bytes;
    private int next;
    private long value;

    BitReader(byte[] bytes) {
        this.bytes = bytes;
        for (int i = 0; i < STATE_BYTES; i++) {
            shiftIn();
        }
    }

    @Override
    int decide(int bit, long rangeOfOne) {
        return value - low < rangeOfOne ? 1 : 0;
    }

    @Override
    void shift() {
        shiftIn();
    }

    private void shiftIn() {
        long read = next < bytes.length ? bytes[next] & 0xFF : 0;
        next++;
        value = value << Byte.SIZE & STATE_MASK | read;
    }

    /** Whether so much has been read that none of it can have come from the message. */
    boolean isExhausted() {
        return next - bytes.length > 2 * STATE_BYTES;
    }
}
