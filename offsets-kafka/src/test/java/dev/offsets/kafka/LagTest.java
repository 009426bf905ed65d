package dev.offsets.kafka;

import static org.apache.kafka.common.IsolationLevel.READ_COMMITTED;
import static org.apache.kafka.common.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arithmetic of lag, row by row. An empty cell is an offset that is not known, or a lag that must not be told. */
class LagTest {
    private static final OptionalLong NONE = OptionalLong.empty();

    private static OptionalLong offset(Long offset) {
        return offset == null ? NONE : OptionalLong.of(offset);
    }

    private static OptionalLong between(OptionalLong from, LogBounds log) {
        return Lag.between(from, log, READ_COMMITTED);
    }

    private static LogBounds log(Long start, Long stable, Long highWatermark) {
        return new LogBounds(offset(start), offset(stable), offset(highWatermark));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // what, from, log start, last stable, high watermark, lag read_committed, lag read_uncommitted
        "empty partition and nothing committed,       ,   0,    0,    0,     ,     ",
        "empty partition and zero committed,         0,   0,    0,    0,    0,    0",
        "two of ten committed,                       2,   0,   10,   10,    8,    8",
        "all ten read,                              10,   0,   10,   10,    0,    0",
        "one below a marker at the end,              5,   0,    6,    6,    1,    1",
        "over the marker,                            6,   0,    6,    6,    0,    0",
        "over an aborted transaction,                6,   0,    6,    6,    0,    0",
        "at an open transaction,                    11,   0,   11,   16,    0,    5",
        "in an open transaction,                    13,   0,   11,   16,    0,    3",
        "at the end and a transaction is open,      16,   0,   11,   16,    0,    0",
        "a compacted log,                            0,   0,  102,  102,  102,  102",
        "below the log start,                       20,  60,  100,  100,   40,   40",
        "below the log start of an emptied log,     20, 100,  100,  100,    0,    0",
        "beyond the end,                          1000,   0,   10,   10,     ,     ",
        "never committed and all read,                ,   0,   10,   10,     ,     ",
        "much in an open transaction,              200,   0,  200, 1663,    0, 1463",
        "nothing committed and an end,                ,   0,   29,   29,     ,     ",
        "ends that are not known,                   10,   0,     ,     ,     ,     ",
        "a high watermark that is not known,        10,   0,   29,     ,   19,     ",
        "a log start that is not known,             10,    ,   29,   29,   19,   19",
        "the highest end,   0, 0, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807"
    })
    void between_isTheDistanceOfWhatCanBeRead(
            String what,
            Long from,
            Long start,
            Long stable,
            Long highWatermark,
            Long committedLag,
            Long uncommittedLag) {
        LogBounds log = log(start, stable, highWatermark);

        assertThat(Lag.between(offset(from), log, READ_COMMITTED)).isEqualTo(offset(committedLag));
        assertThat(Lag.between(offset(from), log, READ_UNCOMMITTED)).isEqualTo(offset(uncommittedLag));
    }

    @ParameterizedTest
    @CsvSource({"20, 60, 40", "20, 100, 80", "60, 60, 0", "70, 60, 0", ", 60, 0", "20, , 0"})
    void deleted_isWhatLiesBelowTheLogStart(Long from, Long logStart, long deleted) {
        assertThat(Lag.deleted(offset(from), offset(logStart))).isEqualTo(deleted);
    }

    @Test
    void kafkasNumberForNone_isNotKnown() {
        assertThat(Lag.known(-1)).isEmpty();
        assertThat(Lag.known(Long.MIN_VALUE)).isEmpty();
        assertThat(Lag.known(0)).hasValue(0);
        assertThat(between(Lag.known(-1), log(0L, 29L, 29L))).isEmpty();
        LogBounds none = new LogBounds(Lag.known(-1), Lag.known(-1), Lag.known(-1));
        assertThat(between(OptionalLong.of(29), none)).isEmpty();
    }

    @Test
    void sum_isKnownWhenBothAre() {
        assertThat(Lag.sum(OptionalLong.of(2), OptionalLong.of(3))).hasValue(5);
        assertThat(Lag.sum(NONE, OptionalLong.of(3))).isEmpty();
        assertThat(Lag.sum(OptionalLong.of(2), NONE)).isEmpty();
    }

    /** Records with timestamps from 100 s to 110 s, one a second, at the offsets from 0 to 10. */
    @Test
    void timeLag_fallsWhileCatchingUpAndIsZeroWhenThereIsNothingLeft() {
        LogBounds log = log(0L, 11L, 11L);
        OptionalLong halfway = between(OptionalLong.of(5), log);
        OptionalLong end = between(OptionalLong.of(11), log);
        OptionalLong emptied = between(OptionalLong.of(5), log(11L, 11L, 11L));

        assertThat(Lag.inTime(halfway, OptionalLong.of(105_000), 160_000)).contains(Duration.ofSeconds(55));
        assertThat(Lag.inTime(end, NONE, 220_000)).contains(Duration.ZERO);
        assertThat(Lag.inTime(end, OptionalLong.of(110_000), 220_000)).contains(Duration.ZERO);
        assertThat(Lag.inTime(emptied, OptionalLong.of(105_000), 1_000_000)).contains(Duration.ZERO);
    }

    @Test
    void timeLag_ofARecordThatWasNotFetched_isNotKnown() {
        assertThat(Lag.inTime(OptionalLong.of(6), NONE, 160_000)).isEmpty();
        assertThat(Lag.inTime(NONE, NONE, 160_000)).isEmpty();
    }

    @Test
    void timeLag_ofARecordFromTheFuture_isZero() {
        assertThat(Lag.inTime(OptionalLong.of(6), OptionalLong.of(170_000), 160_000))
                .contains(Duration.ZERO);
    }

    @Property
    void noLagIsEverNegative(
            @ForAll @LongRange(min = -1) long from,
            @ForAll @LongRange(min = -1) long logStart,
            @ForAll @LongRange(min = -1) long stable,
            @ForAll @LongRange(min = -1) long highWatermark) {
        LogBounds log = new LogBounds(Lag.known(logStart), Lag.known(stable), Lag.known(highWatermark));
        OptionalLong lag = between(Lag.known(from), log);

        assertThat(lag.orElse(0)).isNotNegative().isLessThanOrEqualTo(Math.max(0, stable));
        assertThat(lag.isPresent()).isEqualTo(from >= 0 && stable >= 0 && (highWatermark < 0 || from <= highWatermark));
        assertThat(Lag.deleted(Lag.known(from), Lag.known(logStart))).isNotNegative();
    }
}
