package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.ResumeMap.Run;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Whoever resumes from whichever commit, beside whomever, leaves out only what has finished. Plays {@code -Dhistory.seeds},
 * two hundred by default, from {@code -Dhistory.seed} on.
 */
class ResumeHistoryTest {
    private static final long SEEDS = Long.getLong("history.seeds", 200);
    private static final long FIRST_SEED = Long.getLong("history.seed", 1);
    private static final long CAUGHT_WITHIN_SEEDS = 100;

    @Test
    void anyCommitIsResumedFromByAnybody_nothingUnfinishedIsNamedOrLeftOut() {
        long leftOut = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            ResumeHistory history = new ResumeHistory(seed, UnaryOperator.identity());
            assertThat(history.play()).as("seed %d", seed).isNull();
            leftOut += history.leftOut;
        }
        assertThat(leftOut).isGreaterThan(SEEDS);
    }

    @Test
    void mapThatNamesOneRecordMore_isCaught() {
        assertThat(caught(ResumeHistoryTest::andOneMore)).contains("not all of which finished");
    }

    private static ResumeMap andOneMore(ResumeMap map) {
        if (map.isEmpty() || map.end() == Long.MAX_VALUE) {
            return map;
        }
        Run last = map.runs().get(map.runs().size() - 1);
        return map.union(
                new ResumeMap(map.base(), List.of(new Run(last.end(), last.end() + 1, last.leaderEpoch())), List.of()),
                map.base());
    }

    private static String caught(UnaryOperator<ResumeMap> wrong) {
        for (long seed = 1; seed <= CAUGHT_WITHIN_SEEDS; seed++) {
            String violation = new ResumeHistory(seed, wrong).play();
            if (violation != null) {
                return violation;
            }
        }
        return "nothing was violated";
    }
}
