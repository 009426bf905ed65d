package dev.offsets;

import java.util.OptionalInt;
import org.jetbrains.lincheck.datastructures.LongGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Calls of several threads have the answers that they would have had one after another, in some order that agrees with
 * what came before what: those of the naive tracker. By Lincheck: model checking, which tries out interleavings switch by
 * switch (as if memory were sequentially consistent), and stress, on the machine as it is.
 *
 * <p>Left out is what is not promised: {@link OffsetTracker#committableOffset} and {@link OffsetTracker#position} may lag
 * behind; {@link OffsetTracker#status} and {@link OffsetTracker#recordsCompletedAhead} count while records go on. A start that is refused may for a moment keep others
 * from claiming the record; so where starts are refused, one thread alone claims records, and nobody releases them.
 */
class LinearizabilityTest {
    private static final long RECORDS = 4;
    /** Fills the first segment, so that what is tracked next needs another. */
    private static final int FIRST_SEGMENT = 512;

    @Test
    void reportsAndClaims_modelChecking() {
        check(Reports.class, NaiveReports.class, modelChecking());
    }

    @Test
    void reportsAndClaims_stress() {
        check(Reports.class, NaiveReports.class, new StressOptions());
    }

    @Test
    void takingAPartitionAway_modelChecking() {
        check(Endings.class, NaiveEndings.class, modelChecking());
    }

    @Test
    void takingAPartitionAway_stress() {
        check(Endings.class, NaiveEndings.class, new StressOptions());
    }

    /** Lincheck does not know of reads of eight bytes at once: it takes this one as a single step, which it is. */
    private static ModelCheckingOptions modelChecking() {
        return new ModelCheckingOptions()
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(EightStates.class.getName())
                        .allMethods()
                        .treatAsAtomic());
    }

    private static void check(Class<?> operations, Class<?> naive, Options<?, ?> options) {
        options.threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2)
                .iterations(Integer.getInteger("lincheck.scenarios", 5))
                .invocationsPerIteration(300)
                .sequentialSpecification(naive)
                .check(operations);
    }

    /** Records at the end of one segment, and at the beginning of the next. */
    private static long offset(long number) {
        return FIRST_SEGMENT - RECORDS / 2 + number;
    }

    /** The calls that several threads make on one record or on neighbours, beside the owner's. */
    @Param(name = "record", gen = LongGen.class, conf = "0:3")
    public static class Reports {
        private final OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);

        public Reports() {
            for (long offset = 0; offset < FIRST_SEGMENT; offset++) {
                tracker.track(offset);
            }
            for (long offset = 0; offset < offset(0); offset++) {
                tracker.complete(offset);
            }
            tracker.advance();
        }

        @Operation
        public Receipt complete(@Param(name = "record") long record) {
            return tracker.complete(offset(record));
        }

        @Operation
        public Receipt fail(@Param(name = "record") long record) {
            return tracker.fail(offset(record));
        }

        @Operation
        public boolean tryStart(@Param(name = "record") long record) {
            return tracker.tryStart(offset(record));
        }

        @Operation
        public Receipt release(@Param(name = "record") long record) {
            return tracker.release(offset(record));
        }

        @Operation(nonParallelGroup = "owner")
        public void track() {
            tracker.track(tracker.position());
        }

        @Operation(nonParallelGroup = "owner")
        public long advance() {
            return tracker.advance();
        }
    }

    /** The same, one after another. */
    public static class NaiveReports {
        private final NaiveTracker naive = naiveTracker();

        public Receipt complete(long record) {
            return naive.report(offset(record), NaiveTracker.State.FINISHED);
        }

        public Receipt fail(long record) {
            return naive.report(offset(record), NaiveTracker.State.FAILED);
        }

        public boolean tryStart(long record) {
            return naive.tryStart(offset(record));
        }

        public Receipt release(long record) {
            return naive.release(offset(record));
        }

        public void track() {
            naive.track(naive.position, OptionalInt.empty(), 0);
        }

        public long advance() {
            return naive.advance();
        }
    }

    private static NaiveTracker naiveTracker() {
        NaiveTracker naive = new NaiveTracker(offset(0));
        for (long offset = offset(0); offset < FIRST_SEGMENT; offset++) {
            naive.track(offset, OptionalInt.empty(), 0);
        }
        return naive;
    }

    /** The calls that a partition's end meets. */
    @Param(name = "record", gen = LongGen.class, conf = "0:1")
    public static class Endings {
        private final OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);

        public Endings() {
            tracker.track(0);
            tracker.track(1);
        }

        @Operation
        public Receipt complete(@Param(name = "record") long record) {
            return tracker.complete(record);
        }

        @Operation
        public Receipt fail(@Param(name = "record") long record) {
            return tracker.fail(record);
        }

        @Operation(nonParallelGroup = "starter")
        public boolean tryStart(@Param(name = "record") long record) {
            return tracker.tryStart(record);
        }

        @Operation(nonParallelGroup = "owner")
        public void refuseStarts() {
            tracker.refuseStarts();
        }

        @Operation(nonParallelGroup = "owner")
        public void end() {
            tracker.end();
        }

        @Operation(nonParallelGroup = "owner")
        public long advance() {
            return tracker.advance();
        }

        @Operation
        public boolean hasEnded() {
            return tracker.hasEnded();
        }
    }

    /** The same, one after another. */
    public static class NaiveEndings {
        private final NaiveTracker naive = new NaiveTracker(0);

        public NaiveEndings() {
            naive.track(0, OptionalInt.empty(), 0);
            naive.track(1, OptionalInt.empty(), 0);
        }

        public Receipt complete(long record) {
            return naive.report(record, NaiveTracker.State.FINISHED);
        }

        public Receipt fail(long record) {
            return naive.report(record, NaiveTracker.State.FAILED);
        }

        public boolean tryStart(long record) {
            return naive.tryStart(record);
        }

        public void refuseStarts() {
            naive.startsRefused = true;
        }

        public void end() {
            naive.ended = true;
        }

        public long advance() {
            return naive.advance();
        }

        public boolean hasEnded() {
            return naive.ended;
        }
    }
}
