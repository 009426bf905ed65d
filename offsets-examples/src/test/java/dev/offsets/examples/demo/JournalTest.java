package dev.offsets.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    @TempDir
    private Path directory;

    @Test
    void whatIsAppended_isReadOnce_withoutClosing() throws IOException {
        Path path = directory.resolve("journal");
        JournalReader reader = new JournalReader(path, 1);
        assertThat(reader.next()).isEmpty();

        try (Journal journal = new Journal(path)) {
            journal.append(7, 2, 30);
            assertThat(reader.next()).containsExactly(new Processed(7, 2, 30, 1));
            journal.append(8, 3, 31);
            journal.append(9, 0, 32);
            assertThat(reader.next()).containsExactly(new Processed(8, 3, 31, 1), new Processed(9, 0, 32, 1));
            assertThat(reader.next()).isEmpty();
        }
    }

    @Test
    void aLineThatIsNotWhole_doesNotCountUntilItIs() throws IOException {
        Path path = directory.resolve("journal");
        JournalReader reader = new JournalReader(path, 1);

        Files.writeString(path, "1 0 5\n2 0 1");
        assertThat(reader.next()).containsExactly(new Processed(1, 0, 5, 1));

        Files.writeString(path, "7\n", StandardOpenOption.APPEND);
        assertThat(reader.next()).containsExactly(new Processed(2, 0, 17, 1));
    }

    @Test
    void linesOfManyThreads_doNotMix() throws IOException {
        Path path = directory.resolve("journal");
        Set<Processed> expected = new HashSet<>();
        IntStream.range(0, 10_000).forEach(id -> expected.add(new Processed(id, id % 4, id * 3L, 1)));

        try (Journal journal = new Journal(path)) {
            IntStream.range(0, 10_000).parallel().forEach(id -> append(journal, id));
        }

        List<Processed> read = new JournalReader(path, 1).next();
        assertThat(read).hasSize(10_000);
        assertThat(Set.copyOf(read)).isEqualTo(expected);
    }

    private static void append(Journal journal, int id) {
        try {
            journal.append(id, id % 4, id * 3L);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
