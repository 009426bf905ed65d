package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.offsets.kafka.ReplayPlan.Move;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arithmetic of plans, and how they read. On real brokers: ReplayPlanIT. */
class ReplayPlanTest {
    private static final LogSpan LOG = new LogSpan(60, 100);
    private static final OptionalLong AT_20 = OptionalLong.of(20);

    private static ResolvedPoint resolve(ReplayPoint point, OptionalLong committed) {
        return PointLookUp.withoutAsking(point, LOG, committed);
    }

    @ParameterizedTest
    @CsvSource({"10, 60, true", "150, 100, true", "-5, 60, true", "60, 60, false", "99, 99, false", "100, 100, false"})
    void offset_isClampedToTheLog_andSaidToBe(long asked, long target, boolean clamped) {
        ResolvedPoint point = resolve(ReplayPoint.offset(asked), AT_20);

        assertThat(point.offset()).hasValue(target);
        assertThat(point.clamped()).isEqualTo(clamped);
        assertThat(point.reason())
                .isEqualTo(!clamped ? "" : asked + (target == 60 ? " is below the log's start" : " is beyond the end"));
    }

    @ParameterizedTest
    @CsvSource({
        "-5, 60, true",
        "45, 65, false",
        "1000, 100, true",
        "9223372036854775807, 100, true",
        "-9223372036854775808, 60, true"
    })
    void shiftFromTheCommittedOffset_saturates(long by, long target, boolean clamped) {
        ResolvedPoint point = resolve(ReplayPoint.shiftedBy(by), AT_20);

        assertThat(point.offset()).hasValue(target);
        assertThat(point.clamped()).isEqualTo(clamped);
    }

    @Test
    void committedBelowTheLog_isItsStart_andSaidToBe() {
        ResolvedPoint point = resolve(ReplayPoint.committed(), AT_20);

        assertThat(point.offset()).hasValue(60);
        assertThat(point.clamped()).isTrue();
        assertThat(point.reason()).isEqualTo("20 is below the log's start");
    }

    @Test
    void earliestAndLatest_areTheEnds() {
        assertThat(resolve(ReplayPoint.earliest(), AT_20).offset()).hasValue(60);
        assertThat(resolve(ReplayPoint.latest(), AT_20).offset()).hasValue(100);
    }

    @Test
    void nothingCommitted_leavesNothingToShiftFrom() {
        for (ReplayPoint point : List.of(ReplayPoint.committed(), ReplayPoint.shiftedBy(-5), ReplayPoint.past(70))) {
            ResolvedPoint unknown = resolve(point, OptionalLong.empty());

            assertThat(unknown.offset()).as("%s", point).isEmpty();
            assertThat(unknown.reason()).isEqualTo("the group has committed nothing for this partition");
        }
        assertThat(resolve(ReplayPoint.earliest(), OptionalLong.empty()).offset())
                .hasValue(60);
    }

    @Test
    void past_skipsTheNextRecordAlone() {
        OptionalLong committed = OptionalLong.of(70);

        assertThat(resolve(ReplayPoint.past(70), committed).offset()).hasValue(71);
        assertThat(resolve(ReplayPoint.past(69), committed).reason())
                .isEqualTo("the group is past it already: it would go on at 70");
        assertThat(resolve(ReplayPoint.past(75), committed).reason())
                .isEqualTo(
                        "the group would read 5 offsets before it, from 70 on, and they would be skipped too: if they"
                                + " are to be, ask for offset 76");
        assertThat(resolve(ReplayPoint.past(100), OptionalLong.of(100)).reason())
                .isEqualTo("there is no such record yet: the end is 100");
        assertThat(resolve(ReplayPoint.past(70), OptionalLong.of(1_000)).reason())
                .isEqualTo("the group has committed 1000, which is beyond the end, 100: ask for an offset");
        assertThat(resolve(ReplayPoint.past(60), AT_20).offset())
                .as("the first that is retained")
                .hasValue(61);
    }

    @Property
    void sum_isThatOfUnboundedNumbers_cutToALong(@ForAll long offset, @ForAll long difference) {
        BigInteger sum = BigInteger.valueOf(offset).add(BigInteger.valueOf(difference));
        BigInteger cut = sum.max(BigInteger.valueOf(Long.MIN_VALUE)).min(BigInteger.valueOf(Long.MAX_VALUE));

        assertThat(BigInteger.valueOf(LogSpan.saturatedSum(offset, difference))).isEqualTo(cut);
    }

    @Property
    void costs_areCountedAsByHand(
            @ForAll @LongRange(max = 12) long start,
            @ForAll @LongRange(max = 12) long length,
            @ForAll @LongRange(max = 30) long committed,
            @ForAll @LongRange(max = 12) long targetInLog) {
        LogSpan log = new LogSpan(start, start + length);
        long target = start + Math.min(targetInLog, length);
        long replayed = 0;
        long skipped = 0;
        for (long offset = log.start(); offset < log.end(); offset++) {
            boolean wouldBeRead = offset >= committed;
            boolean isRead = offset >= target;
            replayed += isRead && !wouldBeRead ? 1 : 0;
            skipped += wouldBeRead && !isRead ? 1 : 0;
        }

        assertThat(log.replayed(target, committed)).isEqualTo(replayed);
        assertThat(log.skipped(target, committed)).isEqualTo(skipped);
    }

    @Test
    void momentsThatDoNotFit_areTheNearestThatDo() {
        assertThat(new ReplayPoint.Timestamp(Instant.MAX).millis()).isEqualTo(Long.MAX_VALUE);
        assertThat(new ReplayPoint.Timestamp(Instant.MIN).millis()).isEqualTo(Long.MIN_VALUE);
        assertThat(new ReplayPoint.Ago(Duration.ofSeconds(Long.MAX_VALUE)).millis(1_000))
                .isNegative();
        assertThat(new ReplayPoint.Ago(Duration.ofMillis(300)).millis(1_000)).isEqualTo(700);
    }

    @Test
    void badPoints_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReplayPoint.ago(Duration.ofSeconds(-1)))
                .withMessage("ago is PT-1S: it must be zero or more");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReplayPoint.timestamp(null))
                .withMessage("timestamp is null: give a moment, or use earliest()");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReplayPoint.past(-1))
                .withMessage("past is -1: it must be the offset of a record");
    }

    private static Move move(TopicPartition partition, OptionalLong committed, ResolvedPoint target) {
        LogBounds bounds = new LogBounds(OptionalLong.of(60), OptionalLong.of(100), OptionalLong.of(100));
        return Move.of(partition, committed, new PointLookUp.Found(bounds, target), OptionalLong.of(100));
    }

    private static ReplayPlan plan() {
        ReplayPoint shift = ReplayPoint.shiftedBy(45);
        return new ReplayPlan(
                "shop",
                GroupState.EMPTY,
                IsolationLevel.READ_COMMITTED,
                new ArrayList<>(List.of(
                        move(P1, OptionalLong.empty(), resolve(shift, OptionalLong.empty())),
                        move(P0, OptionalLong.of(30), resolve(shift, OptionalLong.of(30))))));
    }

    @Test
    void plan_saysWhatItCosts_andWhatCouldNotBeTold() {
        ReplayPlan plan = plan();

        assertThat(plan.moves()).extracting(Move::topicPartition).containsExactly(P0, P1);
        assertThat(plan.moves().get(0).skipped()).hasValue(15);
        assertThat(plan.moves().get(0).replayed()).hasValue(0);
        assertThat(plan.isComplete()).isFalse();
        assertThat(plan.offsets()).isEqualTo(Map.of(P0, 75L));
    }

    @Test
    void planAsATable() {
        assertThat(plan().toTable()).isEqualTo("""
                        Group shop, Empty, read_committed
                        TOPIC  PARTITION  COMMITTED  LOG-START  END  REQUESTED      TARGET  REPLAYED  SKIPPED  REMARK
                        topic          0         30         60  100  committed +45      75         0       15  -
                        topic          1          -         60  100  committed +45       -         -        -  the group has committed nothing for this partition
                        Numbers of records are distances of offsets: at most so many. - is not known.
                        """);
    }

    @Test
    void planOfNothing_saysSo() {
        assertThat(new ReplayPlan("shop", GroupState.DEAD, IsolationLevel.READ_COMMITTED, List.of()).toTable())
                .isEqualTo("""
                        Group shop, Dead, read_committed
                        It has committed nothing, and owns nothing: there is nothing to move.
                        """);
    }

    @Test
    void rangeAsATable() {
        ReplayRange range = new ReplayRange(List.of(new ReplayRange.Part(
                P0, resolve(ReplayPoint.offset(10), AT_20), resolve(ReplayPoint.latest(), AT_20))));

        assertThat(range.records()).isEqualTo(40);
        assertThat(range.toTable()).isEqualTo("""
                        TOPIC  PARTITION  REQUESTED-FROM  FROM  REQUESTED-TO   TO  RECORDS  REMARK
                        topic          0  offset 10         60  latest        100       40  clamped: 10 is below the log's start
                        Numbers of records are distances of offsets: at most so many. - is not known.
                        """);
    }

    @Test
    void rangeBetweenOffsets_isOfTheSamePartitions_andNeverNegative() {
        ReplayRange range = ReplayRange.between(Map.of(P0, 5L), Map.of(P0, 3L));
        assertThat(range.records()).isZero();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReplayRange.between(Map.of(P0, 5L), Map.of(P1, 3L)))
                .withMessage("from is of [topic-0] and to of [topic-1]: give both for the same partitions");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReplayRange.between(Map.of(P0, -1L), Map.of(P0, 3L)))
                .withMessage("offset -1: it must be zero or more");
    }

    @Test
    void rangeWithoutPartitions_orWithAnUnknownEnd_isRefused() {
        Map<String, Object> config = Map.of();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> RangeReplay.open(config, new ReplayRange(List.of())))
                .withMessage("the range has no partition: there is nothing to read");
        ResolvedPoint unknown = ResolvedPoint.unknown(ReplayPoint.earliest(), "the ends of the log are not known");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        RangeReplay.open(config, new ReplayRange(List.of(new ReplayRange.Part(P0, unknown, unknown)))))
                .withMessage(
                        "topic-0, earliest: the ends of the log are not known. Ask again, or leave the partition out");
    }

    @Test
    void progress_hasARateAndTimeLeft() {
        ReplayProgress progress = new ReplayProgress(420, 1_000, Duration.ofSeconds(5));

        assertThat(progress.offsetsPerSecond()).isEqualTo(84);
        assertThat(progress.timeLeft()).contains(Duration.ofMillis(6_905));
        assertThat(progress.toLine()).isEqualTo("420 of 1000 offsets (42 %), 84 a second, 6.9 s left");
        assertThat(new ReplayProgress(0, 1_000, Duration.ZERO).toLine())
                .isEqualTo("0 of 1000 offsets (0 %), 0 a second");
        assertThat(new ReplayProgress(0, 0, Duration.ofSeconds(1)).toLine())
                .isEqualTo("0 of 0 offsets (100 %), 0 a second, 0 ms left");
        assertThat(new ReplayProgress(999, 1_000, Duration.ofSeconds(1)).toLine())
                .contains("(99 %)");
    }
}
