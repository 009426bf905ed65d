package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The promises that threads could break, on the real class: I1, I2 and I3 at every observation from any thread, I4 for
 * reports that race. Each test runs for {@code -Dstress.seconds}, three by default. The same checkers catch trackers that
 * are known to be wrong.
 */
class TrackerStressTest {
    private static final long STRESS_NANOS = TimeUnit.SECONDS.toNanos(Long.getLong("stress.seconds", 3));
    private static final long CAUGHT_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Plays one episode with new trackers and answers what was violated. */
    private interface Checker {
        Optional<String> episode(Supplier<StressSubject> subjects, long seed);
    }

    @Test
    void completionsFromManyThreads_committableOffsetNeverCoversAnUnfinishedRecord() {
        assertThat(stress(CompletionStress::episode, TrackerStressTest::tracker, STRESS_NANOS))
                .isEmpty();
    }

    @Test
    void twoOutcomesAtOnce_exactlyOneIsAccepted() {
        assertThat(stress(ReportStress::episode, TrackerStressTest::tracker, STRESS_NANOS))
                .isEmpty();
    }

    @Test
    void startsRefusedAndDrained_nobodyStarts() {
        assertThat(stress(StartStress::episode, TrackerStressTest::tracker, STRESS_NANOS))
                .isEmpty();
    }

    @Test
    void startAndRefusalAtOnce_grantedStartIsCounted() {
        assertThat(stress(RefusalStress::episode, TrackerStressTest::tracker, STRESS_NANOS))
                .isEmpty();
    }

    @Test
    void releaseAndOutcomeAtOnce_outcomeIsNotLost() {
        assertThat(stress(ReleaseStress::episode, TrackerStressTest::tracker, STRESS_NANOS))
                .isEmpty();
    }

    @Test
    void endedWhileWorkersReport_lateOutcomesAreIgnored() {
        assertThat(stress(EndStress::episode, TrackerStressTest::tracker, STRESS_NANOS))
                .isEmpty();
    }

    @Test
    void completedWhileTheOwnerCounts_recordsCompletedAheadAreNeverNegative() {
        assertThat(AheadStress.episode()).isEmpty();
    }

    @Test
    void rightTrackerWithALock_isNotAccused() {
        assertThat(CompletionStress.episode(LockedTracker::new, 1)).isEmpty();
        assertThat(ReportStress.episode(LockedTracker::new, 1)).isEmpty();
        assertThat(StartStress.episode(LockedTracker::new, 1)).isEmpty();
        assertThat(RefusalStress.episode(LockedTracker::new, 1)).isEmpty();
        assertThat(ReleaseStress.episode(LockedTracker::new, 1)).isEmpty();
        assertThat(EndStress.episode(LockedTracker::new, 1)).isEmpty();
    }

    @Test
    void trackerThatCommitsTheHighestFinished_isCaught() {
        assertThat(caught(CompletionStress::episode, WrongTrackers.CommitsTheHighestFinished::new))
                .matches("committable offset \\d+ covers \\d+, which is not finished");
    }

    @Test
    void trackerThatRegistersAfterMovingThePosition_isCaught() {
        assertThat(caught(CompletionStress::episode, WrongTrackers.RegistersLate::new))
                .contains("which is not finished");
    }

    @Test
    void trackerThatCompletesInTwoSteps_isCaught() {
        assertThat(caught(CompletionStress::episode, WrongTrackers.CompletesInTwoSteps::new))
                .matches("two completions of \\d+ were accepted");
    }

    @Test
    void trackerThatCompletesInTwoSteps_isCaughtByTwoOutcomesAtOnce() {
        assertThat(caught(ReportStress::episode, WrongTrackers.CompletesInTwoSteps::new))
                .matches("2 outcomes of \\d+ were accepted");
    }

    @Test
    void trackerThatCompletesWhatFailed_isCaught() {
        assertThat(caught(ReportStress::episode, WrongTrackers.CompletesWhatFailed::new))
                .matches("2 outcomes of \\d+ were accepted");
    }

    @Test
    void trackerThatLosesUpdates_isCaught() {
        assertThat(caught(CompletionStress::episode, WrongTrackers.LosesUpdates::new))
                .matches("all is finished, and the committable offset is \\d+, not the position \\d+");
    }

    @Test
    void trackerThatGoesBack_isCaught() {
        assertThat(caught(CompletionStress::episode, WrongTrackers.GoesBack::new))
                .contains("committable offset went back");
    }

    @Test
    void trackerThatAcceptsHoles_isCaught() {
        assertThat(caught(CompletionStress::episode, WrongTrackers.AcceptsHoles::new))
                .contains("which is a hole");
    }

    @Test
    void trackerThatStartsInTwoSteps_isCaught() {
        assertThat(caught(StartStress::episode, WrongTrackers.StartsInTwoSteps::new))
                .contains("is started after the drain");
    }

    @Test
    void trackerThatStartsInTwoSteps_isCaughtByARefusalAtOnce() {
        assertThat(caught(RefusalStress::episode, WrongTrackers.StartsInTwoSteps::new))
                .isEqualTo("a start was granted and not counted");
    }

    @Test
    void trackerThatReleasesInTwoSteps_isCaught() {
        assertThat(caught(ReleaseStress::episode, WrongTrackers.ReleasesInTwoSteps::new))
                .matches("the completion of \\d+ was taken back");
    }

    @Test
    void trackerThatNeverEnds_isCaught() {
        assertThat(caught(EndStress::episode, WrongTrackers.NeverEnds::new)).contains("after the end");
    }

    private static StressSubject tracker() {
        return StressSubject.of(OffsetTracker.startingAt(0));
    }

    private static String caught(Checker checker, Supplier<StressSubject> wrong) {
        return stress(checker, wrong, CAUGHT_WITHIN_NANOS).orElse("nothing was violated");
    }

    /** Plays episodes, at least one, until something is violated or the time is over. */
    private static Optional<String> stress(Checker checker, Supplier<StressSubject> subjects, long nanos) {
        long begin = System.nanoTime();
        Optional<String> violation;
        long seed = 0;
        do {
            violation = checker.episode(subjects, seed++);
        } while (violation.isEmpty() && System.nanoTime() - begin < nanos);
        return violation;
    }
}
