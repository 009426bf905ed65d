package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.CaughtUp;
import dev.offsets.kafka.PartitionStatus.Ok;
import dev.offsets.kafka.PartitionStatus.Paused;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Unknown;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What is told of changes, and what is not: worse at once, better when it has lasted. */
class StatusChangesTest {
    private static final PartitionStatus OK = new Ok(OptionalLong.of(1));
    private static final PartitionStatus BLOCKED = new Blocked(7, Duration.ofMinutes(1), 9, Optional.empty());
    private static final PartitionStatus STALLED = new Stalled(1, Duration.ofMinutes(1), 7, Optional.empty());
    private static final Duration SETTLED = StatusThresholds.DEFAULTS.settledAfter();

    private final EventLog log = new EventLog();
    private final Events events = new Events(log);
    private final StatusChanges changes = new StatusChanges(events, StatusThresholds.DEFAULTS);
    private long now = Long.MAX_VALUE - 5;

    private List<String> toldOf(PartitionStatus status) {
        log.events.clear();
        changes.see(P0, status, now);
        events.tell();
        return List.copyOf(log.events);
    }

    private List<String> toldOfLater(Duration passed, PartitionStatus status) {
        now += passed.toNanos();
        return toldOf(status);
    }

    @Test
    void healthyPartition_isNeverTold() {
        for (PartitionStatus status : List.of(OK, new CaughtUp(), new Unknown("why"), OK, new CaughtUp())) {
            assertThat(toldOfLater(SETTLED, status)).isEmpty();
        }
    }

    @Test
    void worse_isToldAtOnceAndOnce() {
        toldOf(OK);

        assertThat(toldOf(BLOCKED)).containsExactly("status topic-0 UNKNOWN -> BLOCKED");
        assertThat(toldOfLater(SETTLED, BLOCKED)).isEmpty();
    }

    @Test
    void better_isToldWhenItHasLasted() {
        toldOf(BLOCKED);
        assertThat(toldOf(OK)).isEmpty();
        assertThat(toldOfLater(SETTLED.minusMillis(1), new CaughtUp())).isEmpty();

        assertThat(toldOfLater(Duration.ofMillis(1), OK)).containsExactly("status topic-0 BLOCKED -> OK");
        assertThat(toldOfLater(SETTLED, OK)).isEmpty();
    }

    @Test
    void whatComesAndGoes_isToldOnce() {
        toldOf(OK);
        assertThat(toldOf(BLOCKED)).hasSize(1);
        for (int i = 0; i < 20; i++) {
            assertThat(toldOfLater(SETTLED.dividedBy(2), OK)).isEmpty();
            assertThat(toldOfLater(SETTLED.dividedBy(3), BLOCKED)).isEmpty();
        }
        assertThat(toldOf(OK)).isEmpty();
        assertThat(toldOfLater(SETTLED, OK)).hasSize(1);
    }

    @Test
    void betterButNotGood_isToldWhenItHasLasted_andWorseAgainAtOnce() {
        toldOf(BLOCKED);
        toldOf(STALLED);
        assertThat(toldOfLater(SETTLED, STALLED)).containsExactly("status topic-0 BLOCKED -> STALLED");

        assertThat(toldOf(BLOCKED)).containsExactly("status topic-0 STALLED -> BLOCKED");
    }

    @Test
    void pause_isTold() {
        toldOf(OK);

        assertThat(toldOf(new Paused())).containsExactly("status topic-0 UNKNOWN -> PAUSED");
    }

    @Test
    void partitionThatLeftAndCameBack_beginsAnew() {
        toldOf(BLOCKED);
        changes.retain(List.of(P1));

        assertThat(toldOf(OK)).isEmpty();
        assertThat(toldOf(BLOCKED)).containsExactly("status topic-0 UNKNOWN -> BLOCKED");
    }
}
