package dev.offsets;

import static dev.offsets.Receipt.ACCEPTED;
import static dev.offsets.Receipt.IGNORED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a tracker hands out again after a restart, and what it commits. */
class ResumeTest {
    private static final int EPOCH = 5;
    private static final int NEXT_EPOCH = 6;
    private static final int SIZE = 100;
    private static final long LOG = 42;

    @Test
    void resumeMap_namesWhatFinishedAboveThePoint() {
        OffsetTracker tracker = tracking(10, 10, 20);
        complete(tracker, 10, 12, 13, 17);

        CommitPoint point = tracker.commitPoint();

        assertThat(tracker.resumeMap(point)).hasToString("above 11, 3 finished: 12-13 17");
    }

    @Test
    void counted_resumeMapNamesNoMoreThanHasFinished() {
        OffsetTracker tracker = tracking(0, 0, 3_000);
        completeAll(tracker, 1, 1_700);
        completeAll(tracker, 1_701, 3_000);
        CommitPoint point = tracker.commitPoint();

        assertThat(tracker.recordsCompletedAhead()).isEqualTo(2_998);
        assertThat(tracker.resumeMap(point)).hasToString("above 0, 2998 finished: 1-1699 1701-2999");

        complete(tracker, 1_700);

        assertThat(tracker.recordsCompletedAhead()).isEqualTo(2_999);
        assertThat(tracker.resumeMap(point)).hasToString("above 0, 2999 finished: 1-2999");
    }

    @Test
    void countedAndLeaderChanged_eachRecordKeepsItsEpoch() {
        OffsetTracker tracker = tracking(0, 0, 1_200);
        for (long offset = 1_200; offset < 1_500; offset++) {
            tracker.track(offset);
        }
        for (long offset = 1_500; offset < 3_000; offset++) {
            tracker.track(offset, NEXT_EPOCH);
        }
        completeAll(tracker, 1, 3_000);
        tracker.recordsCompletedAhead();

        ResumeMap map = tracker.resumeMap(tracker.commitPoint());

        assertThat(map.runs())
                .containsExactly(new ResumeMap.Run(1, 1_200, EPOCH), new ResumeMap.Run(1_500, 3_000, NEXT_EPOCH));
    }

    @Test
    void resumeMap_namesNoHoleAndNoFailedRecord() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        for (long offset : new long[] {0, 1, 3, 4, 5}) {
            tracker.track(offset, EPOCH);
        }
        complete(tracker, 1, 3, 5);
        tracker.fail(4);

        assertThat(tracker.resumeMap(tracker.commitPoint())).hasToString("above 0, 3 finished: 1 3 5");
    }

    @Test
    void resumeMap_namesNoRecordWithoutAnEpoch() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        tracker.track(0, EPOCH);
        tracker.track(1);
        tracker.track(2, EPOCH);
        complete(tracker, 1, 2);

        assertThat(tracker.resumeMap(tracker.commitPoint())).hasToString("above 0, 1 finished: 2");
    }

    @Test
    void leaderChanged_eachRecordKeepsItsEpoch() {
        OffsetTracker tracker = tracking(0, 0, 10);
        for (long offset = 10; offset < 20; offset++) {
            tracker.track(offset, NEXT_EPOCH);
        }
        completeAll(tracker, 1, 20);

        ResumeMap map = tracker.resumeMap(tracker.commitPoint());

        for (long offset = 1; offset < 20; offset++) {
            assertThat(map.isFinished(offset, EPOCH)).isEqualTo(offset < 10);
            assertThat(map.isFinished(offset, NEXT_EPOCH)).isEqualTo(offset >= 10);
        }
    }

    @Test
    void finishedAfterThePoint_isStillTrueOfThePoint() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 5);
        CommitPoint point = tracker.commitPoint();
        complete(tracker, 0, 1);

        assertThat(tracker.resumeMap(point)).hasToString("above 0, 3 finished: 0-1 5");
    }

    @Test
    void advancedAfterThePoint_mapBelongsToThePointAllTheSame() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 5);
        CommitPoint point = tracker.commitPoint();
        complete(tracker, 0, 1);
        tracker.advance();

        ResumeMap map = tracker.resumeMap(point);

        assertThat(map.base()).isZero();
        assertThat(map.isFinished(5, EPOCH)).isTrue();
        assertThat(map.isFinished(2, EPOCH)).isFalse();
    }

    @Test
    void logKnownUpToAnOffset_onlyWhatWasResumedWithIsNamedAboveIt() {
        OffsetTracker before = tracking(0, 0, 20);
        complete(before, 2, 15);
        OffsetTracker tracker = restart(before);
        handedOut(tracker, 0, 20);
        complete(tracker, 4, 5, 16);

        assertThat(tracker.resumeMap(tracker.commitPoint(), 5)).hasToString("above 0, 3 finished: 2 4 15");
        assertThat(tracker.resumeMap(tracker.commitPoint(), 0)).hasToString("above 0, 2 finished: 2 15");
        assertThat(tracker.resumeMap(tracker.commitPoint(), 20)).hasToString("above 0, 5 finished: 2 4-5 15-16");
    }

    @Test
    void logKnownUpToAnOffset_noAnchorIsTakenFromAboveIt() {
        OffsetTracker tracker = tracking(0, 0, 1_000);
        completeAll(tracker, 1, 1_000);

        ResumeMap map = tracker.resumeMap(tracker.commitPoint(), 10);

        assertThat(map.end()).isEqualTo(10);
        assertThat(map.anchors()).isNotEmpty().allMatch(anchor -> anchor.offset() < 10);
    }

    @Test
    void distrusted_isHandedOutFromThePositionOn() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 1, 2, 3, 7, 8);
        OffsetTracker resumed = restart(tracker);
        assertThat(handedOut(resumed, 0, 3)).containsExactly(0L);

        resumed.distrustResumeMap();

        assertThat(resumed.mayLeaveOut(3)).isFalse();
        assertThat(handedOut(resumed, 3, 10)).hasSize(7);
        assertThat(resumed.resumeMap(resumed.commitPoint())).hasToString("above 0, 2 finished: 1-2");
        assertThat(resumed.isResumeMapRefuted()).isFalse();
    }

    @Test
    void mayLeaveOut_upToTheLastRecordNamed() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 3, 7);
        OffsetTracker resumed = restart(tracker);

        assertThat(resumed.mayLeaveOut(0)).isTrue();
        assertThat(resumed.mayLeaveOut(7)).isTrue();
        assertThat(resumed.mayLeaveOut(8)).isFalse();
        assertThat(OffsetTracker.startingAt(5).mayLeaveOut(5)).isFalse();
    }

    @Test
    void recordsResumed_areThoseThatTheCommittableOffsetHasNotPassed() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 1, 2, 3, 7, 8);
        OffsetTracker resumed = restart(tracker);
        assertThat(resumed.recordsResumed()).isEqualTo(5);
        handedOut(resumed, 0, 3);
        complete(resumed, 0);

        resumed.advance();
        assertThat(resumed.recordsResumed()).isEqualTo(3);
        handedOut(resumed, 3, 10);
        completeAll(resumed, 4, 7);
        complete(resumed, 9);
        resumed.advance();
        assertThat(resumed.recordsResumed()).isZero();
    }

    @Test
    void manySegments_mapIsThatOfTheStates() {
        int count = 20_000;
        OffsetTracker tracker = tracking(0, 0, count);
        for (long offset = 1; offset < count; offset++) {
            if (offset % 7 != 0 && offset / 100 % 3 != 0) {
                tracker.complete(offset);
            }
        }

        ResumeMap map = tracker.resumeMap(tracker.commitPoint());

        for (long offset = 0; offset < count; offset++) {
            assertThat(map.isFinished(offset, EPOCH))
                    .as("%d", offset)
                    .isEqualTo(offset > 0 && offset % 7 != 0 && offset / 100 % 3 != 0);
        }
    }

    @Test
    void loneRecords_mapIsThatOfTheStates() {
        long far = 10_000;
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        for (int i = 0; i < 100; i++) {
            tracker.track(i * far, EPOCH, i, 1);
        }
        complete(tracker, 0, far, 3 * far, 40 * far, 99 * far);

        ResumeMap map = tracker.resumeMap(tracker.commitPoint());

        assertThat(map.base()).isEqualTo(2 * far);
        assertThat(map.finishedRecords()).isEqualTo(3);
        assertThat(LongStream.range(0, 100).filter(i -> map.isFinished(i * far, EPOCH)))
                .containsExactly(3L, 40L, 99L);
        assertThat(map.isFinished(3 * far + 1, EPOCH)).isFalse();
    }

    @Test
    void resumed_handsOutOnlyWhatWasNotFinished() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 2, 3, 7);

        OffsetTracker resumed = restart(tracker);

        assertThat(handedOut(resumed, 0, 12)).containsExactly(0L, 1L, 4L, 5L, 6L, 8L, 9L, 10L, 11L);
    }

    @Test
    void trackedWithNothingButTheEpoch_handsOutOnlyWhatWasNotFinished() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        assertThat(tracker.track(0, EPOCH)).isTrue();
        assertThat(tracker.track(1, EPOCH)).isTrue();
        complete(tracker, 1);

        OffsetTracker resumed = restart(tracker);

        assertThat(resumed.track(0, EPOCH)).isTrue();
        assertThat(resumed.track(1, EPOCH)).isFalse();
    }

    @Test
    void resumed_committablePassesWhatWasFinishedBefore() {
        OffsetTracker tracker = tracking(98, 98, 100);
        complete(tracker, 99);
        OffsetTracker resumed = restart(tracker);
        assertThat(resumed.advance()).isEqualTo(98);

        assertThat(handedOut(resumed, 98, 100)).containsExactly(98L);
        assertThat(resumed.advance()).isEqualTo(98);
        complete(resumed, 98);

        assertThat(resumed.commitPoint()).isEqualTo(new CommitPoint(100, OptionalInt.of(EPOCH)));
        assertThat(resumed.resumeMap(resumed.commitPoint())).isEqualTo(ResumeMap.empty(100));
    }

    @Test
    void resumed_committableStaysAtThePosition() {
        OffsetTracker tracker = tracking(98, 98, 100);
        complete(tracker, 99);
        OffsetTracker resumed = restart(tracker);
        assertThat(handedOut(resumed, 98, 99)).containsExactly(98L);
        complete(resumed, 98);

        assertThat(resumed.advance()).isEqualTo(99);
        assertThat(resumed.resumeMap(resumed.commitPoint())).hasToString("above 99, 1 finished: 99");
    }

    @Test
    void resumedWithoutAMap_handsOutFromTheOffsetOn() {
        ResumeMap damaged = ResumeMap.decode("garbage", LOG, 100).map();
        OffsetTracker resumed = OffsetTracker.resumingAt(damaged, System::nanoTime);

        assertThat(handedOut(resumed, 100, 102)).containsExactly(100L, 101L);
        assertThat(resumed.advance()).isEqualTo(100);
    }

    @Test
    void resumed_whatWasFinishedBeforeIsNotHeld() {
        OffsetTracker tracker = tracking(0, 0, 1_000);
        completeAll(tracker, 1, 1_000);
        OffsetTracker resumed = restart(tracker);
        handedOut(resumed, 0, 1_000);

        assertThat(resumed.recordsHeld()).isEqualTo(1);
        assertThat(resumed.recordsCompletedAhead()).isZero();
        assertThat(resumed.status().completedAhead()).isZero();
        complete(resumed, 0);
        assertThat(resumed.advance()).isEqualTo(1_000);
        assertThat(resumed.recordsCovered()).isEqualTo(1);
    }

    @Test
    void completionOfWhatWasFinishedBefore_isIgnored() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 5);
        OffsetTracker resumed = restart(tracker);
        handedOut(resumed, 0, 10);

        assertThat(resumed.complete(5)).isEqualTo(IGNORED);
        assertThat(resumed.tryStart(5)).isFalse();
    }

    @Test
    void restartedAgainAndAgain_nothingFinishedIsForgotten() {
        OffsetTracker tracker = tracking(0, 0, 100);
        for (long next = 1; next < 100; next++) {
            complete(tracker, next);
            tracker = restart(tracker);
            long unread = 50;
            assertThat(handedOut(tracker, 0, unread)).hasSize((int) Math.max(1, unread - next));
            assertThat(tracker.resumeMap(tracker.commitPoint()).finishedRecords())
                    .isEqualTo(next);
            for (long offset = unread; offset < 100; offset++) {
                tracker.track(offset, EPOCH, timestamp(offset), SIZE);
            }
        }
    }

    @Test
    void compactedSince_isPassedOver() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 3, 4, 5, 8);
        OffsetTracker resumed = restart(tracker);
        handedOut(resumed, 0, 3);
        assertThat(handedOut(resumed, 7, 10)).containsExactly(7L, 9L);

        complete(resumed, 0, 1, 2, 7, 9);

        assertThat(resumed.advance()).isEqualTo(10);
        assertThat(resumed.isResumeMapRefuted()).isFalse();
    }

    @Test
    void recordOfAHigherEpoch_isHandedOutAndSoAreAllAboveIt() {
        OffsetTracker tracker = tracking(0, 0, 10);
        completeAll(tracker, 1, 10);
        OffsetTracker resumed = restart(tracker);
        assertThat(handedOut(resumed, 0, 5)).containsExactly(0L);

        assertThat(resumed.track(5, NEXT_EPOCH, timestamp(5), SIZE)).isTrue();
        assertThat(resumed.track(6, NEXT_EPOCH, timestamp(6), SIZE)).isTrue();
        assertThat(resumed.isResumeMapRefuted()).isTrue();
        assertThat(resumed.resumeMap(resumed.commitPoint())).hasToString("above 0, 4 finished: 1-4");
    }

    @Test
    void recordWithoutAnEpoch_isHandedOut() {
        OffsetTracker tracker = tracking(0, 0, 10);
        completeAll(tracker, 1, 10);
        OffsetTracker resumed = restart(tracker);
        resumed.track(0, EPOCH, timestamp(0), SIZE);

        resumed.track(1);

        assertThat(resumed.recordsHeld()).isEqualTo(2);
    }

    @Test
    void anchorWithAnotherTimestamp_nothingIsBelieved() {
        OffsetTracker resumed = restart(stuckAtZero());

        assertThat(resumed.track(0, EPOCH, timestamp(0) + 1, SIZE)).isTrue();
        assertThat(handedOut(resumed, 1, 10)).hasSize(9);
        assertThat(resumed.isResumeMapRefuted()).isTrue();
    }

    @Test
    void anchorOfAnotherSize_nothingIsBelieved() {
        OffsetTracker resumed = restart(stuckAtZero());

        resumed.track(0, EPOCH, timestamp(0), SIZE + 1);

        assertThat(handedOut(resumed, 1, 10)).hasSize(9);
    }

    @Test
    void anchorThatDoesNotComeBy_nothingAboveIsBelieved() {
        OffsetTracker resumed = restart(stuckAtZero());

        // The next record looks like the anchor, but stands elsewhere.
        assertThat(resumed.track(1, EPOCH, timestamp(0), SIZE)).isTrue();
        assertThat(handedOut(resumed, 2, 10)).hasSize(8);
        assertThat(resumed.isResumeMapRefuted()).isTrue();
    }

    @Test
    void laterAnchorDiffers_whatIsBelowItStaysFinished() {
        OffsetTracker tracker = tracking(0, 0, 1_000);
        completeAll(tracker, 1, 1_000);
        ResumeMap map = tracker.resumeMap(tracker.commitPoint());
        long later = map.anchors().get(1).offset();
        OffsetTracker resumed = restart(tracker);

        assertThat(handedOut(resumed, 0, later)).containsExactly(0L);
        assertThat(resumed.track(later, EPOCH, timestamp(later) - 1, SIZE)).isTrue();
        assertThat(handedOut(resumed, later + 1, 1_000)).hasSize((int) (999 - later));
        assertThat(resumed.resumeMap(resumed.commitPoint()).end()).isEqualTo(later);
    }

    @Test
    void headFinishes_mapIsCutToWhatIsAbove() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 1, 2, 5, 8);
        OffsetTracker resumed = restart(tracker);
        handedOut(resumed, 0, 4);
        complete(resumed, 0);

        assertThat(resumed.resumeMap(resumed.commitPoint())).hasToString("above 3, 2 finished: 5 8");
        complete(resumed, 3);
        assertThat(resumed.resumeMap(resumed.commitPoint())).hasToString("above 4, 2 finished: 5 8");
    }

    @Test
    void passedAll_mapIsLetGo() {
        OffsetTracker tracker = tracking(0, 0, 10);
        complete(tracker, 3, 8);
        ResumedRecords resumed = new ResumedRecords(tracker.resumeMap(tracker.commitPoint()));

        resumed.passed(8);
        assertThat(resumed.map().finishedRecords()).isEqualTo(2);
        resumed.passed(9);
        assertThat(resumed.map().isEmpty()).isTrue();
    }

    @Test
    void ended_mapIsEmpty() {
        OffsetTracker tracker = stuckAtZero();
        OffsetTracker resumed = restart(tracker);
        CommitPoint point = tracker.commitPoint();
        tracker.end();
        resumed.end();

        assertThat(tracker.resumeMap(point)).isEqualTo(ResumeMap.empty(0));
        assertThat(resumed.resumeMap(point)).isEqualTo(ResumeMap.empty(0));
    }

    @Test
    void missingArguments_areRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> OffsetTracker.resumingAt(null, System::nanoTime))
                .withMessage("map");
        assertThatNullPointerException()
                .isThrownBy(() -> OffsetTracker.resumingAt(ResumeMap.empty(0), null))
                .withMessage("nanoClock");
        assertThatNullPointerException()
                .isThrownBy(() -> OffsetTracker.startingAt(0).resumeMap(null))
                .withMessage("point");
    }

    private static OffsetTracker stuckAtZero() {
        OffsetTracker tracker = tracking(0, 0, 10);
        completeAll(tracker, 1, 10);
        return tracker;
    }

    private static OffsetTracker tracking(long start, long from, long to) {
        OffsetTracker tracker = OffsetTracker.startingAt(start);
        handedOut(tracker, from, to);
        return tracker;
    }

    /** Reads the log on, and answers which records are to be handed out. */
    private static List<Long> handedOut(OffsetTracker tracker, long from, long to) {
        return LongStream.range(from, to)
                .filter(offset -> tracker.track(offset, EPOCH, timestamp(offset), SIZE))
                .boxed()
                .toList();
    }

    private static long timestamp(long offset) {
        return 1_700_000_000_000L + offset;
    }

    private static void complete(OffsetTracker tracker, long... offsets) {
        for (long offset : offsets) {
            assertThat(tracker.complete(offset)).isEqualTo(ACCEPTED);
        }
    }

    private static void completeAll(OffsetTracker tracker, long from, long to) {
        for (long offset = from; offset < to; offset++) {
            complete(tracker, offset);
        }
    }

    private static OffsetTracker restart(OffsetTracker tracker) {
        CommitPoint point = tracker.commitPoint();
        String text = tracker.resumeMap(point).encode(LOG, 4_096).text();
        return OffsetTracker.resumingAt(
                ResumeMap.decode(text, LOG, point.offset()).map(), System::nanoTime);
    }
}
