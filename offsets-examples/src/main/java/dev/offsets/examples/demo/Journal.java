package dev.offsets.examples.demo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a process has processed, one line a record. A line is in the operating system's hands when {@code append} returns,
 * so it outlives the process however that ends.
 */
final class Journal implements AutoCloseable {
    private final FileChannel file;

    Journal(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Any thread. */
    void append(long id, int partition, long offset) throws IOException {
        ByteBuffer line = StandardCharsets.US_ASCII.encode(id + " " + partition + " " + offset + "\n");
        int length = line.remaining();
        // One write for the whole line: lines of several workers must not mix
        if (file.write(line) != length) {
            throw new IOException("The journal took only a part of a line: is the disk full?");
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
