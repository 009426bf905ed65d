package dev.offsets.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class PartitionStatusTest {
    @Test
    void aLine_isParsedBack() {
        PartitionStatus held = new PartitionStatus(3, 1_000, 5, 900, OptionalLong.of(0), 1_250);
        PartitionStatus idle = new PartitionStatus(0, 0, 0, 0, OptionalLong.empty(), 0);

        assertThat(PartitionStatus.parse(held.toLine())).contains(held);
        assertThat(PartitionStatus.parse(idle.toLine())).contains(idle);
    }

    @Test
    void anyOtherLine_isNoStatus() {
        assertThat(PartitionStatus.parse("a warning that has just seven words")).isEmpty();
        assertThat(PartitionStatus.parse("")).isEmpty();
    }
}
