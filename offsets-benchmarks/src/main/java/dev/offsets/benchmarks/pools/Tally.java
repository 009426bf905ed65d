package dev.offsets.benchmarks.pools;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How often each record has been handled, in a file that is mapped into memory: what a process has counted is there for
 * others as soon as it is counted, and outlives the process however that ends. Any thread, any process.
 */
final class Tally {
    private static final VarHandle COUNTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final ByteBuffer counts;
    private final int records;

    private Tally(ByteBuffer counts, int records) {
        this.counts = counts;
        this.records = records;
    }

    /** Opens a tally of records with the ids from 0; all counts are zero if the file is new. */
    static Tally open(Path file, int records) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Tally(channel.map(MapMode.READ_WRITE, 0, (long) records * Integer.BYTES), records);
        }
    }

    void count(int id) {
        COUNTS.getAndAdd(counts, id * Integer.BYTES, 1);
    }

    /** How many records have not been handled. */
    int missing() {
        int missing = 0;
        for (int id = 0; id < records; id++) {
            missing += times(id) == 0 ? 1 : 0;
        }
        return missing;
    }

    /** How often a record was handled that had been handled before. */
    long again() {
        long again = 0;
        for (int id = 0; id < records; id++) {
            again += Math.max(0, times(id) - 1);
        }
        return again;
    }

    private int times(int id) {
        return (int) COUNTS.getVolatile(counts, id * Integer.BYTES);
    }
}
