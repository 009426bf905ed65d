package dev.offsets;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCases;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;

/** A life of a tracker: where it starts and what is done to it, in order. */
record Script(long start, List<Step> steps) {
    sealed interface Step {}

    /** Tracks records, each {@code stride} after the one before, the first {@code gap} above the position. */
    record Track(long gap, int stride, int count, OptionalInt leaderEpoch) implements Step {}

    /** Tracks below the position. */
    record TrackAgain(long below) implements Step {}

    /** Moves the position, also backwards. */
    record MovePosition(long by, OptionalInt leaderEpoch) implements Step {}

    record Complete(Target target) implements Step {}

    record Fail(Target target) implements Step {}

    record TryStart(Target target) implements Step {}

    record Release(Target target) implements Step {}

    /** Completes the lowest records that have no outcome, highest first. */
    record CompleteLowest(int count) implements Step {}

    record RefuseStarts() implements Step {}

    record Advance() implements Step {}

    record TakeCommitPoint() implements Step {}

    /** Takes a commit point and its resume map. */
    record TakeResumeMap() implements Step {}

    record CountCompletedAhead() implements Step {}

    /** Confirms an offset so far below the committable one; above it when negative. */
    record Confirm(long below) implements Step {}

    record PassTime(long nanos) implements Step {}

    record End() implements Step {}

    /** Which offset a report names. */
    enum Whose {
        DELIVERED,
        NEAR_A_DELIVERED,
        AT_OR_ABOVE_THE_POSITION,
        BELOW_THE_START,
        NEGATIVE
    }

    record Target(Whose whose, int number) {}

    static final class Any implements ArbitrarySupplier<Script> {
        private static final long HUGE = 1L << 50;

        @Override
        public Arbitrary<Script> get() {
            Arbitrary<Long> starts = oneOf(
                    Tuple.of(3, Arbitraries.just(0L)),
                    Tuple.of(3, Arbitraries.longs().between(1, 1_000)),
                    Tuple.of(1, Arbitraries.longs().between(1L << 31, 1L << 62)));
            Arbitrary<List<Step>> steps =
                    steps().list().ofMaxSize(80).withSizeDistribution(RandomDistribution.uniform());
            return Combinators.combine(starts, steps).as(Script::new);
        }

        private static Arbitrary<Step> steps() {
            return oneOf(
                    Tuple.of(60, tracks()),
                    Tuple.of(2, Arbitraries.longs().between(1, 50).map(TrackAgain::new)),
                    Tuple.of(15, moves()),
                    Tuple.of(90, targets().map(Complete::new)),
                    Tuple.of(30, Arbitraries.integers().between(1, 300).map(CompleteLowest::new)),
                    Tuple.of(3, targets().map(Fail::new)),
                    Tuple.of(20, targets().map(TryStart::new)),
                    Tuple.of(20, targets().map(Release::new)),
                    Tuple.of(30, Arbitraries.just(new Advance())),
                    Tuple.of(20, Arbitraries.just(new TakeCommitPoint())),
                    Tuple.of(10, Arbitraries.just(new TakeResumeMap())),
                    Tuple.of(10, Arbitraries.just(new CountCompletedAhead())),
                    Tuple.of(15, Arbitraries.longs().between(-2, 5).map(Confirm::new)),
                    Tuple.of(15, Arbitraries.longs().between(0, 3_000_000).map(PassTime::new)),
                    Tuple.of(1, Arbitraries.just(new RefuseStarts())),
                    Tuple.of(1, Arbitraries.just(new End())));
        }

        private static Arbitrary<Track> tracks() {
            Arbitrary<Integer> strides = oneOf(
                    Tuple.of(4, Arbitraries.just(1)),
                    Tuple.of(1, Arbitraries.integers().between(2, 40)));
            Arbitrary<Integer> counts = oneOf(
                    Tuple.of(12, Arbitraries.integers().between(1, 10)),
                    Tuple.of(2, Arbitraries.integers().between(11, 100)),
                    Tuple.of(1, Arbitraries.integers().between(101, 400)));
            return Combinators.combine(gaps(), strides, counts, leaderEpochs()).as(Track::new);
        }

        private static Arbitrary<MovePosition> moves() {
            Arbitrary<Long> by = Arbitraries.oneOf(gaps(), Arbitraries.longs().between(-2, 2));
            return Combinators.combine(by, leaderEpochs()).as(MovePosition::new);
        }

        private static Arbitrary<Long> gaps() {
            return oneOf(
                    Tuple.of(8, Arbitraries.just(0L)),
                    Tuple.of(4, Arbitraries.longs().between(1, 200)),
                    Tuple.of(1, Arbitraries.longs().between(201, HUGE)));
        }

        private static Arbitrary<OptionalInt> leaderEpochs() {
            return oneOf(
                    Tuple.of(1, Arbitraries.just(OptionalInt.empty())),
                    Tuple.of(3, Arbitraries.integers().between(0, 3).map(OptionalInt::of)));
        }

        private static Arbitrary<Target> targets() {
            Arbitrary<Whose> whose = Arbitraries.frequency(
                    Tuple.of(10, Whose.DELIVERED),
                    Tuple.of(1, Whose.NEAR_A_DELIVERED),
                    Tuple.of(1, Whose.AT_OR_ABOVE_THE_POSITION),
                    Tuple.of(1, Whose.BELOW_THE_START),
                    Tuple.of(1, Whose.NEGATIVE));
            Arbitrary<Integer> numbers = Arbitraries.oneOf(
                    Arbitraries.integers().between(0, 20),
                    Arbitraries.integers().between(0, 100_000));
            return Combinators.combine(whose, numbers).as(Target::new);
        }

        /** As {@link Arbitraries#frequencyOf}, in half the time. */
        @SafeVarargs
        private static <T> Arbitrary<T> oneOf(Tuple2<Integer, Arbitrary<? extends T>>... choices) {
            List<Tuple2<Integer, Arbitrary<T>>> known = new ArrayList<>();
            for (Tuple2<Integer, Arbitrary<? extends T>> choice : choices) {
                known.add(Tuple.of(choice.get1(), new Known<>(choice.get2())));
            }
            return Arbitraries.frequencyOf(known);
        }
    }

    /** jqwik looks the generator of a choice up by what its arbitrary is equal to, which takes longer than to generate. */
    private static final class Known<T> implements Arbitrary<T> {
        private final Arbitrary<? extends T> arbitrary;

        private Known(Arbitrary<? extends T> arbitrary) {
            this.arbitrary = arbitrary;
        }

        @Override
        public RandomGenerator<T> generator(int genSize) {
            return arbitrary.generator(genSize).map(value -> value);
        }

        @Override
        public EdgeCases<T> edgeCases(int maxEdgeCases) {
            return EdgeCases.none();
        }
    }
}
