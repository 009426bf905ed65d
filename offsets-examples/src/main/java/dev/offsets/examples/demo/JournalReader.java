package dev.offsets.examples.demo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a {@link Journal} while it grows. */
final class JournalReader {
    private final Path path;
    private final int run;
    private long readUpTo;

    /** @param run the number of the process that writes the journal */
    JournalReader(Path path, int run) {
        this.path = path;
        this.run = run;
    }

    /** What has been written since the last call; a line that is not whole yet is left for the next one. */
    List<Processed> next() throws IOException {
        List<Processed> entries = new ArrayList<>();
        for (String line : unreadLines()) {
            String[] words = line.split(" ");
            entries.add(
                    new Processed(Long.parseLong(words[0]), Integer.parseInt(words[1]), Long.parseLong(words[2]), run));
        }
        return entries;
    }

    private List<String> unreadLines() throws IOException {
        if (!Files.exists(path)) {
            return List.of();
        }
        try (FileChannel file = FileChannel.open(path)) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size() - readUpTo));
            int length = 0;
            while (bytes.hasRemaining() && length >= 0) {
                length = file.read(bytes, readUpTo + bytes.position());
            }
            String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
            String whole = text.substring(0, text.lastIndexOf('\n') + 1);
            readUpTo += whole.length();
            return whole.lines().toList();
        }
    }
}
