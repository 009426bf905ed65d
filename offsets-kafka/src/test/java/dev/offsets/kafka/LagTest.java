package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
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

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // what, from, log start, end, lag
        "empty partition and nothing committed,          , 0,   0,     ",
        "empty partition and zero committed,            0, 0,   0,    0",
        "two of ten committed,                          2, 0,  10,    8",
        "all ten read,                                 10, 0,  10,    0",
        "one below a marker at the end,                 5, 0,   6,    1",
        "over the marker,                               6, 0,   6,    0",
        "read_committed up to an open transaction,     11, 0,  11,    0",
        "read_uncommitted beyond it,                   11, 0,  16,    5",
        "a compacted log,                               0, 0, 102,  102",
        "below the log start,                          20, 60, 100,  40",
        "below the log start of an emptied log,        20, 100, 100,  0",
        "beyond the end,                             1000, 0,  10,     ",
        "read_committed with an open transaction,     200, 0,  200,   0",
        "the same for read_uncommitted,               200, 0, 1663, 1463",
        "nothing committed and an end,                   , 0,  29,     ",
        "an end that is not known,                     10, 0,    ,     ",
        "a log start that is not known,                10,  ,  29,   19",
        "the highest end,                               0, 0, 9223372036854775807, 9223372036854775807"
    })
    void between_isTheDistanceOfWhatCanBeRead(String what, Long from, Long logStart, Long end, Long lag) {
        assertThat(Lag.between(offset(from), offset(logStart), offset(end))).isEqualTo(offset(lag));
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
        assertThat(Lag.between(Lag.known(-1), Lag.known(-1), OptionalLong.of(29)))
                .isEmpty();
        assertThat(Lag.between(OptionalLong.of(29), Lag.known(-1), Lag.known(-1)))
                .isEmpty();
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
        OptionalLong start = OptionalLong.of(0);
        OptionalLong end = OptionalLong.of(11);

        assertThat(Lag.inTime(OptionalLong.of(5), start, end, OptionalLong.of(105_000), 160_000))
                .contains(Duration.ofSeconds(55));
        assertThat(Lag.inTime(end, start, end, NONE, 220_000)).contains(Duration.ZERO);
        assertThat(Lag.inTime(end, start, end, OptionalLong.of(110_000), 220_000))
                .contains(Duration.ZERO);
        assertThat(Lag.inTime(OptionalLong.of(5), end, end, OptionalLong.of(105_000), 1_000_000))
                .as("retention has emptied the log")
                .contains(Duration.ZERO);
    }

    @Test
    void timeLag_ofARecordThatWasNotFetched_isNotKnown() {
        assertThat(Lag.inTime(OptionalLong.of(5), OptionalLong.of(0), OptionalLong.of(11), NONE, 160_000))
                .isEmpty();
        assertThat(Lag.inTime(NONE, NONE, NONE, NONE, 160_000)).isEmpty();
    }

    @Test
    void timeLag_ofARecordFromTheFuture_isZero() {
        assertThat(Lag.inTime(
                        OptionalLong.of(5), OptionalLong.of(0), OptionalLong.of(11), OptionalLong.of(170_000), 160_000))
                .contains(Duration.ZERO);
    }

    @Property
    void noLagIsEverNegative(
            @ForAll @LongRange(min = -1) long from,
            @ForAll @LongRange(min = -1) long logStart,
            @ForAll @LongRange(min = -1) long end) {
        OptionalLong lag = Lag.between(Lag.known(from), Lag.known(logStart), Lag.known(end));

        assertThat(lag.orElse(0)).isNotNegative().isLessThanOrEqualTo(Math.max(0, end));
        assertThat(lag.isPresent()).isEqualTo(from >= 0 && end >= 0 && from <= end);
        assertThat(Arrays.asList(Lag.deleted(Lag.known(from), Lag.known(logStart))))
                .allMatch(lost -> lost >= 0);
    }
}
