package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecordTimestampsTest {
    private final RecordTimestamps timestamps = new RecordTimestamps();

    @Test
    void nothingNoted_isNotKnown() {
        assertThat(timestamps.at(0)).isEmpty();
        timestamps.passed(5);
        assertThat(timestamps.at(5)).isEmpty();
    }

    @Test
    void eachRecord_hasItsTimestampToWithinATenthOfASecond() {
        long timestamp = 1_000;
        for (long offset = 10; offset < 1_000; offset++) {
            timestamp += (offset * 7_919) % 90 - 20;
            timestamps.note(offset, timestamp);
        }
        timestamp = 1_000;
        for (long offset = 10; offset < 1_000; offset++) {
            timestamp += (offset * 7_919) % 90 - 20;
            long told = timestamps.at(offset).orElseThrow();
            assertThat(Math.abs(told - timestamp)).as("offset %s", offset).isLessThan(100);
        }
    }

    @Test
    void passed_keepsWhatIsAtTheOffsetAndAbove() {
        for (long offset = 0; offset < 10; offset++) {
            timestamps.note(offset * 2, 1_000 * offset);
        }
        timestamps.passed(7);

        assertThat(timestamps.at(7)).hasValue(3_000);
        assertThat(timestamps.at(8)).hasValue(4_000);
        assertThat(timestamps.at(18)).hasValue(9_000);
        timestamps.note(20, 20_000);
        assertThat(timestamps.at(20)).hasValue(20_000);
    }

    @Test
    void timestampsThatGoBack_areKept() {
        timestamps.note(0, 5_000);
        timestamps.note(1, 2_000);
        timestamps.note(2, 9_000);

        assertThat(timestamps.at(1)).hasValue(2_000);
        assertThat(timestamps.at(2)).hasValue(9_000);
    }

    @Test
    void recordWithoutATimestamp_hasNone() {
        timestamps.note(0, 5_000);
        timestamps.note(1, -1);

        assertThat(timestamps.at(0)).hasValue(5_000);
        assertThat(timestamps.at(1)).isEmpty();
    }
}
