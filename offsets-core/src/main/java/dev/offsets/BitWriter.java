package dev.offsets;

import java.util.Arrays;

/** The writing side of a {@link BitCoder}. */
final class BitWriter extends BitCoder {
    private byte[] bytes = new byte[64];
    private int length;

    @Override
    int decide(int bit, long rangeOfOne) {
        return bit;
    }

    @Override
    void shift() {
        put((byte) (low >>> FIRST_BYTE_SHIFT));
    }

    private void put(byte value) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * length);
        }
        bytes[length++] = value;
    }

    /** Whether the message takes no more than so many bytes if it ends here. */
    boolean fits(int limitBytes) {
        return length + STATE_BYTES <= limitBytes || length + tailBytes() <= limitBytes;
    }

    /** The message; nothing can be written after it. */
    byte[] finish() {
        int tail = tailBytes();
        long value = roundedUp(tail);
        for (int i = 0; i < tail; i++) {
            put((byte) (value >>> FIRST_BYTE_SHIFT - i * Byte.SIZE));
        }
        return Arrays.copyOf(bytes, length);
    }

    private int tailBytes() {
        int tail = 0;
        while (roundedUp(tail) - low >= range) {
            tail++;
        }
        return tail;
    }

    /** The lowest number of the range that has nothing but zeros after so many bytes: the reader adds the zeros. */
    private long roundedUp(int bytesKept) {
        long rest = STATE_MASK >>> bytesKept * Byte.SIZE;
        return low + rest & ~rest;
    }
}
