package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The promises of ARCHITECTURE.md that a single thread can check, over arbitrary lives of a tracker. The seeds are
 * fixed, so that every run is the same; change one to look elsewhere.
 */
class OffsetTrackerPropertiesTest {
    @Property(seed = "1", edgeCases = EdgeCasesMode.NONE)
    void everyAnswer_isThatOfTheNaiveTracker(@ForAll(supplier = Script.Any.class) Script script) {
        ScriptedRun run = new ScriptedRun(script);
        run.compareEverything();
        for (Script.Step step : script.steps()) {
            run.take(step);
            run.compareEverything();
        }
    }

    @Property(seed = "2", edgeCases = EdgeCasesMode.NONE)
    void i1_committableOffset_isNeverAboveTheLowestUnfinishedRecord(
            @ForAll(supplier = Script.Any.class) Script script) {
        ScriptedRun run = new ScriptedRun(script);
        for (Script.Step step : script.steps()) {
            run.take(step);
            if (!run.unfinished.isEmpty()) {
                assertThat(run.tracker.committableOffset()).isLessThanOrEqualTo(run.unfinished.first());
                assertThat(run.tracker.advance()).isLessThanOrEqualTo(run.unfinished.first());
                run.naive.advance();
            }
        }
    }

    @Property(seed = "3", edgeCases = EdgeCasesMode.NONE)
    void i2_committableOffset_neverDecreases(@ForAll(supplier = Script.Any.class) Script script) {
        ScriptedRun run = new ScriptedRun(script);
        long last = script.start();
        for (Script.Step step : script.steps()) {
            run.take(step);
            assertThat(run.tracker.committableOffset()).isGreaterThanOrEqualTo(last);
            last = run.tracker.committableOffset();
        }
    }

    @Property(seed = "4", edgeCases = EdgeCasesMode.NONE)
    void i3_committableOffset_reachesThePositionWhenNothingIsIncompleteAndIsNeverAboveIt(
            @ForAll(supplier = Script.Any.class) Script script) {
        ScriptedRun run = new ScriptedRun(script);
        for (Script.Step step : script.steps()) {
            run.take(step);
            assertThat(run.tracker.committableOffset()).isLessThanOrEqualTo(run.tracker.position());
            if (!run.naive.ended && run.unfinished.isEmpty()) {
                assertThat(run.tracker.advance()).isEqualTo(run.tracker.position());
                run.naive.advance();
            }
        }
    }

    @Property(seed = "5", edgeCases = EdgeCasesMode.NONE)
    void i4_exactlyOneOutcomeIsAcceptedForEachRecord_andIgnoredReportsChangeNothing(
            @ForAll(supplier = Script.Any.class) Script script) {
        ScriptedRun run = new ScriptedRun(script);
        for (Script.Step step : script.steps()) {
            TrackerStatus before = run.tracker.status();
            run.take(step);
            if (!run.receipts.isEmpty() && !run.receipts.contains(Receipt.ACCEPTED)) {
                assertThat(run.tracker.status()).isEqualTo(before);
            }
            if (before.ended()) {
                assertThat(run.receipts).doesNotContain(Receipt.ACCEPTED);
            }
        }
        assertThat(run.accepted.values()).allMatch(times -> times == 1);
        assertThat(run.naive.deliveries.keySet()).containsAll(run.accepted.keySet());
        if (!run.naive.ended) {
            run.take(new Script.CompleteLowest(Integer.MAX_VALUE));
            assertThat(run.accepted.keySet()).isEqualTo(run.naive.deliveries.keySet());
        }
    }

    @Property(seed = "6", edgeCases = EdgeCasesMode.NONE)
    void i5_commitPoint_saysOnlyWhatIsSoAndHasTheEpochThatStandsAtItsOffset(
            @ForAll(supplier = Script.Any.class) Script script) {
        ScriptedRun run = new ScriptedRun(script);
        for (Script.Step step : script.steps()) {
            run.take(step);
            CommitPoint point = run.tracker.commitPoint();
            run.naive.advance();
            assertThat(run.unfinished.headSet(point.offset())).isEmpty();
            NaiveTracker.Delivery standsThere = run.naive.deliveries.get(point.offset());
            if (standsThere != null) {
                OptionalInt known = run.naive.ended ? OptionalInt.empty() : standsThere.leaderEpoch;
                assertThat(point.leaderEpoch()).isEqualTo(known);
            } else {
                assertThat(point).isEqualTo(run.naive.commitPoint());
            }
        }
    }
}
