package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static dev.offsets.kafka.Rig.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bound over all partitions of a consumer. */
class ConsumerBoundTest {
    private static final int BOUND = 10;
    private static final TopicPartition P2 = new TopicPartition(TOPIC, 2);

    private final Rig rig = bounded(BOUND, 10_000).subscribed(P0, P1, P2);

    private static Rig bounded(int all, int each) {
        return Rig.with(builder -> builder.maxInFlight(all).maxInFlightPerPartition(each));
    }

    /** P0 and P1 hold five records each, P2 none. */
    private void fill() {
        rig.kafka.records(P0, 0, 4);
        rig.kafka.records(P1, 0, 4);
        rig.poll();
        rig.tick();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void boundThatIsNone_isRefused(int bound) {
        assertThatThrownBy(() -> Rig.with(builder -> builder.maxInFlight(bound)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxInFlight is " + bound + ": it must be one or more");
    }

    @Test
    void atTheBound_allThatHoldSomethingArePaused() {
        fill();

        assertThat(rig.kafka.paused()).containsExactlyInAnyOrder(P0, P1);
    }

    @Test
    void belowTheBound_noneIsPaused() {
        rig.kafka.records(P0, 0, 4);
        rig.kafka.records(P1, 0, 3);
        rig.poll();
        rig.tick();

        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void atTheBound_onePartitionWithNothingInFlightGoesOn() {
        fill();
        rig.kafka.records(P0, 5, 9);
        rig.kafka.records(P2, 0, 0);
        assertThat(Rig.names(rig.poll())).containsExactly("topic-2@0");

        rig.tick();
        assertThat(rig.kafka.paused()).containsExactlyInAnyOrder(P0, P1, P2);
        rig.complete(P2, 0);
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactlyInAnyOrder(P0, P1);
    }

    @Test
    void completedAhead_countsAsHeld() {
        fill();
        rig.complete(P0, 1, 2, 3, 4);
        rig.complete(P1, 1, 2, 3, 4);
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactlyInAnyOrder(P0, P1);

        rig.complete(P1, 0);
        rig.tick();
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void freedWhileAPollWaits_allAreResumedWithoutReturning() {
        fill();
        rig.kafka.records(P0, 5, 5);
        rig.kafka.records(P1, 5, 5);
        rig.time.after(Duration.ofMillis(500), () -> rig.complete(P0, 0));
        Duration before = rig.time.elapsed();

        assertThat(Rig.names(rig.poll(Duration.ofMinutes(1)))).containsExactly("topic-0@5", "topic-1@5");
        assertThat(rig.time.elapsed().minus(before)).isBetween(Duration.ofMillis(500), Duration.ofMillis(510));
    }

    @Test
    void partitionThatFinishedAll_isResumedWhileTheOthersAreAtTheBound() {
        fill();
        rig.kafka.records(P2, 0, 4);
        rig.poll();
        rig.completeAll(P0, 0, 4);
        rig.tick();

        assertThat(rig.kafka.paused()).containsExactlyInAnyOrder(P1, P2);
    }

    @Test
    void pausedByTheUserToo_staysPausedWhenFreed() {
        fill();
        rig.consumer.pause(List.of(P0, P2));
        rig.completeAll(P0, 0, 4);
        rig.tick();
        assertThat(rig.kafka.paused()).containsExactlyInAnyOrder(P0, P2);
        assertThat(rig.consumer.paused()).containsExactlyInAnyOrder(P0, P2);

        rig.consumer.resume(List.of(P0, P2));
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void userResumesAtTheBound_staysPausedByTheBound() {
        fill();
        rig.consumer.pause(List.of(P0));
        rig.consumer.resume(List.of(P0));
        assertThat(rig.kafka.paused()).containsExactlyInAnyOrder(P0, P1);
        assertThat(rig.consumer.paused()).isEmpty();

        rig.completeAll(P0, 0, 4);
        rig.tick();
        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void bothBounds_eachPausesForItself() {
        Rig both = bounded(BOUND, 3).subscribed(P0, P1);
        both.kafka.records(P0, 0, 7);
        both.kafka.records(P1, 0, 1);
        both.poll();
        both.tick();
        assertThat(both.kafka.paused()).containsExactlyInAnyOrder(P0, P1);

        both.completeAll(P0, 0, 1);
        both.tick();
        assertThat(both.kafka.paused()).containsExactly(P0);
        both.completeAll(P0, 2, 5);
        both.tick();
        assertThat(both.kafka.paused()).isEmpty();
    }

    @Test
    void partitionRevoked_whatItHeldCountsNoMore() {
        fill();
        rig.completeAll(P0, 1, 4);
        rig.time.after(Duration.ofSeconds(1), () -> rig.complete(P0, 0));
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P1, P2));
        rig.tick();
        rig.tick();

        assertThat(rig.kafka.paused()).isEmpty();
    }

    @Test
    void soughtAtTheBound_isResumedAndReadsOn() {
        fill();
        rig.consumer.seek(P0, 3);

        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@3", "topic-0@4");
    }

    @Test
    void everythingHeldEverywhere_neverMoreThanTheBoundAndOnePoll() {
        rig.kafka.maxPollRecords = 4;
        rig.kafka.records(P0, 0, 99);
        rig.kafka.records(P1, 0, 99);
        rig.kafka.records(P2, 0, 99);
        for (int turn = 0; turn < 20; turn++) {
            rig.poll();
        }
        long held = rig.consumer.status().values().stream()
                .mapToLong(status -> status.incomplete() + status.completedAhead())
                .sum();

        // One more poll for each partition that had nothing in flight.
        assertThat(held).isBetween(10L, 10L + 3 * 4);
    }
}
