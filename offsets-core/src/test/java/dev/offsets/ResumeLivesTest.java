package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.ResumeMap.Run;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/**
 * No record is left out that has not been finished, whatever became of the log; and none is handed out again that is
 * known to have been. Each test plays {@code -Dlives.seeds}, two hundred by default. The same checker catches ways of resuming that are known to be wrong.
 */
class ResumeLivesTest {
    private static final long SEEDS = Long.getLong("lives.seeds", 200);
    private static final long CAUGHT_WITHIN_SEEDS = 20_000;

    @Test
    void logIsTruncatedCompactedAndMadeAnew_nothingUnfinishedIsLeftOut() {
        long leftOut = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            ResumeLives lives = ResumeLives.right(seed, false);
            assertThat(lives.play()).as("seed %d", seed).isEmpty();
            leftOut += lives.leftOut;
        }
        assertThat(leftOut).isGreaterThan(SEEDS);
    }

    @Test
    void logStaysTheSame_nothingKnownToBeFinishedIsHandedOut() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(ResumeLives.right(seed, true).play()).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void mapShiftedByOne_isCaught() {
        assertThat(caught(seed -> ResumeLives.wrong(seed, ResumeLivesTest::shiftedByOne)))
                .contains("was left out, though never finished");
    }

    @Test
    void mapOfAnotherOffset_isCaught() {
        assertThat(caught(seed -> ResumeLives.wrong(seed, ResumeLivesTest::ofAnotherOffset)))
                .contains("was left out, though never finished");
    }

    @Test
    void mapThatIsNotBoundToTheLog_isCaught() {
        assertThat(caught(seed -> ResumeLives.wrong(seed, ResumeLivesTest::ofAnyLog)))
                .contains("was left out, though never finished");
    }

    @Test
    void recordTakenForAnotherOfAnotherEpoch_isCaught() {
        assertThat(caught(ResumeLives::blindToEpochs)).contains("was left out, though never finished");
    }

    private static ResumeMap shiftedByOne(ResumeLives.Committed committed, ResumeLives.Committed before, long logId) {
        ResumeMap map = ResumeLives.decoded(committed, before, logId);
        return rebased(map, map.base(), 1);
    }

    /** The map of the commit before, as if it had been made for this one. */
    private static ResumeMap ofAnotherOffset(
            ResumeLives.Committed committed, ResumeLives.Committed before, long logId) {
        return rebased(before.map(), committed.offset(), committed.offset() - before.offset());
    }

    private static ResumeMap ofAnyLog(ResumeLives.Committed committed, ResumeLives.Committed before, long logId) {
        return ResumeLives.decoded(committed, before, committed.logId());
    }

    private static ResumeMap rebased(ResumeMap map, long base, long by) {
        List<Run> runs = map.runs().stream()
                .map(run -> new Run(run.start() + by, run.end() + by, run.leaderEpoch()))
                .toList();
        return new ResumeMap(base, runs, List.of());
    }

    private static String caught(LongFunction<ResumeLives> wrong) {
        for (long seed = 0; seed < CAUGHT_WITHIN_SEEDS; seed++) {
            Optional<String> violation = wrong.apply(seed).play();
            if (violation.isPresent()) {
                return violation.get();
            }
        }
        return "nothing was violated";
    }
}
