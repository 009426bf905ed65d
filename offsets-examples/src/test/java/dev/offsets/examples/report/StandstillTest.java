package dev.offsets.examples.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.GroupReport;
import dev.offsets.kafka.PartitionReport;
import dev.offsets.kafka.PartitionStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class StandstillTest {
    private static final OptionalLong NONE = OptionalLong.empty();
    private static final long END = 1_100;

    private final Standstill standstill = new Standstill();

    private static PartitionReport partition(int number, OptionalLong committed, OptionalLong finishedAbove) {
        OptionalLong lag = committed.isPresent() ? OptionalLong.of(END - committed.getAsLong()) : NONE;
        return new PartitionReport(
                new TopicPartition("orders", number),
                false,
                OptionalLong.of(0),
                OptionalLong.of(END),
                OptionalLong.of(END),
                NONE,
                NONE,
                committed,
                NONE,
                finishedAbove,
                NONE,
                NONE,
                lag,
                NONE,
                NONE,
                Optional.empty(),
                Optional.of("till-1@127.0.0.1"),
                new PartitionStatus.Ok(lag));
    }

    private static PartitionReport at(int number, long committed) {
        return partition(number, OptionalLong.of(committed), NONE);
    }

    private String after(long seconds, PartitionReport... partitions) {
        return standstill.remarks(new GroupReport(
                "shop",
                IsolationLevel.READ_COMMITTED,
                Instant.ofEpochSecond(1_700_000_000 + seconds),
                Optional.of(GroupState.STABLE),
                List.of(partitions)));
    }

    @Test
    void offsetThatStaysWithSomethingToRead_isTheRecordThatHoldsItsPartitionBack() {
        PartitionReport blocked = partition(3, OptionalLong.of(100), OptionalLong.of(999));
        assertThat(after(0, blocked)).isEmpty();
        assertThat(after(29, blocked)).isEmpty();

        assertThat(after(30, blocked)).isEqualTo("""

                orders-3@100 holds its partition back: COMMITTED has not moved for 30 s, and COMMIT-LAG is 1000, of which 999 have finished.
                  Its work takes that long, or hangs, or commits fail, or nobody reads. report() in its consumer tells: till-1@127.0.0.1.
                  To give it up: skip(...) there; or, with all consumers of the group stopped,
                    group-replay --bootstrap-server ... --group shop --skip orders-3@100 --execute
                """);
    }

    @Test
    void offsetThatMoves_beginsAnew_alsoBackwards() {
        after(0, at(0, 100));
        assertThat(after(40, at(0, 101))).isEmpty();
        assertThat(after(60, at(0, 100))).isEmpty();
        assertThat(after(89, at(0, 100))).isEmpty();
        assertThat(after(90, at(0, 100))).contains("orders-0@100").contains("for 30 s");
    }

    @Test
    void partitionsAreEachOnTheirOwn() {
        after(0, at(0, 100), at(1, 100));

        assertThat(after(40, at(0, 100), at(1, 101))).contains("orders-0@100").doesNotContain("orders-1");
    }

    @Test
    void nothingToRead_orNothingCommitted_isNoStandstill_andWhatComesLaterCountsFromThen() {
        after(0, at(0, END));
        after(0, partition(1, NONE, NONE));
        assertThat(after(60, at(0, END), partition(1, NONE, NONE))).isEmpty();

        after(0, at(2, 100));
        after(10, at(2, END));
        assertThat(after(20, at(2, 100))).isEmpty();
        assertThat(after(49, at(2, 100))).isEmpty();
        assertThat(after(50, at(2, 100))).isNotEmpty();
    }
}
