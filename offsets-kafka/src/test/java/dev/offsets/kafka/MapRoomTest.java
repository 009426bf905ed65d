package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How long maps may be: what the user allows, shared by those of a request, and less once a broker has refused some. */
class MapRoomTest {
    private static final Map<TopicPartition, String> TWO_MAPS =
            Map.of(Rig.P0, "x".repeat(1_000), Rig.P1, "x".repeat(400));
    private static final Map<TopicPartition, String> NO_MAPS = Map.of(Rig.P0, "", Rig.P1, "");

    private static final Map<TopicPartition, String> SHORT_MAPS =
            Map.of(Rig.P0, "x".repeat(600), Rig.P1, "x".repeat(300));

    private final MapRoom room = new MapRoom(1_024);

    static Exception[] unexplained() {
        return new Exception[] {
            new UnknownServerException("in the broker's log"), new KafkaException("Unexpected error in commit")
        };
    }

    @Test
    void mapsOfOneRequest_shareWhatItMayHave() {
        assertThat(room.charactersEach(1)).isEqualTo(1_024);
        assertThat(room.charactersEach(488)).isEqualTo(1_024);
        assertThat(room.charactersEach(1_000)).isEqualTo(500);
        assertThat(new MapRoom(32_000).charactersEach(20)).isEqualTo(25_000);
    }

    @Test
    void oneMapIsTooLong_eachIsHalfAsLongAsTheLongest() {
        assertThat(room.wereRefused(TWO_MAPS, new OffsetMetadataTooLarge("too large")))
                .isTrue();

        assertThat(room.charactersEach(1)).isEqualTo(500);
        assertThat(room.charactersEach(1_000)).isEqualTo(500);
    }

    @Test
    void requestIsTooLong_itsMapsHaveHalfTogether() {
        assertThat(room.wereRefused(TWO_MAPS, new InvalidCommitOffsetSizeException("too large")))
                .isTrue();

        assertThat(room.charactersEach(1)).isEqualTo(700);
        assertThat(room.charactersEach(2)).isEqualTo(350);
    }

    @ParameterizedTest
    @MethodSource("unexplained")
    void unexplainedFailure_thenTakenWithoutMaps_itsMapsHaveHalfTogether(Exception failure) {
        try (LogLines log = new LogLines(MapRoom.class)) {
            assertThat(room.wereRefused(TWO_MAPS, failure)).isTrue();
            assertThat(room.charactersEach(2)).isEqualTo(1_024);
            room.stored(NO_MAPS);

            assertThat(room.charactersEach(2)).isEqualTo(350);
            room.stored(NO_MAPS);
            assertThat(log.lines()).hasSize(1).first().asString().contains("1400 characters", "700 together");
        }
    }

    @ParameterizedTest
    @MethodSource("unexplained")
    void unexplainedFailure_alsoWithoutMaps_isNotForTheirLength(Exception failure) {
        assertThat(room.wereRefused(TWO_MAPS, failure)).isTrue();
        assertThat(room.wereRefused(NO_MAPS, failure)).isFalse();
        room.stored(NO_MAPS);
        room.stored(TWO_MAPS);

        assertThat(room.charactersEach(2)).isEqualTo(1_024);
    }

    @ParameterizedTest
    @MethodSource("unexplained")
    void unexplainedFailure_ofShortMaps_isNotForTheirLength(Exception failure) {
        assertThat(room.wereRefused(SHORT_MAPS, failure)).isFalse();
        room.stored(NO_MAPS);

        assertThat(room.charactersEach(2)).isEqualTo(1_024);
    }

    @Test
    void failureOfAnotherKind_isNotForTheirLength() {
        assertThat(room.wereRefused(TWO_MAPS, new RebalanceInProgressException()))
                .isFalse();
        room.stored(NO_MAPS);

        assertThat(room.charactersEach(1)).isEqualTo(1_024);
    }

    @Test
    void refusedAgainAndAgain_thereAreNoneInTheEnd() {
        for (int characters = 500; !room.isNone(); characters /= 2) {
            assertThat(characters).isPositive();
            assertThat(room.wereRefused(
                            Map.of(Rig.P0, "x".repeat(characters)), new OffsetMetadataTooLarge("too large")))
                    .isTrue();
        }

        assertThat(room.charactersEach(1)).isZero();
    }
}
