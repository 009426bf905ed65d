package dev.offsets.benchmarks.pools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TallyTest {
    @TempDir
    Path directory;

    @Test
    void whatOneHasCounted_anotherSees() throws IOException {
        Tally first = Tally.open(directory.resolve("tally"), 4);
        first.count(0);
        first.count(3);
        Tally second = Tally.open(directory.resolve("tally"), 4);
        second.count(3);
        second.count(3);

        assertThat(second.missing()).isEqualTo(2);
        assertThat(first.missing()).isEqualTo(2);
        assertThat(first.again()).isEqualTo(2);
    }
}
