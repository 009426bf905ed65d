package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** I5 for resume maps, on the real classes: runs for {@code -Dstress.seconds}, three by default. */
class SnapshotStressTest {
    private static final long STRESS_NANOS = TimeUnit.SECONDS.toNanos(Long.getLong("stress.seconds", 3));
    private static final long CAUGHT_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    @Test
    void takenWhileWorkersComplete_namesOnlyWhatIsFinished() {
        assertThat(stress(SnapshotStress::right, STRESS_NANOS)).isEmpty();
    }

    @Test
    void mapTakenBeforeItsOffset_isCaught() {
        assertThat(stress(SnapshotStress::torn, CAUGHT_WITHIN_NANOS).orElse("nothing was violated"))
                .matches("the map for \\d+ names \\d+, which is not finished");
    }

    private static Optional<String> stress(Function<OffsetTracker, SnapshotStress.Taken> taking, long nanos) {
        long begin = System.nanoTime();
        Optional<String> violation;
        long seed = 0;
        do {
            violation = SnapshotStress.episode(taking, seed++);
        } while (violation.isEmpty() && System.nanoTime() - begin < nanos);
        return violation;
    }
}
