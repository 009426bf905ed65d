package dev.offsets;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Eight neighbouring states in one read: the first in the lowest byte. */
final class EightStates {
    static final int EIGHT = Long.BYTES;
    /** Times a byte: that byte in each place. */
    static final long IN_EACH = 0x0101010101010101L;

    private static final VarHandle VIEW = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private EightStates() {}

    /** A plain read: where the array lies in memory does not allow of any other everywhere. Each byte is one that was there. */
    static long read(byte[] states, int index) {
        return (long) VIEW.get(states, index);
    }
}
