package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.DecodedResumeMap.Outcome;
import dev.offsets.ResumeMap.Anchor;
import dev.offsets.ResumeMap.Run;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/** Strings of arbitrary maps: they come back, never say more than the map did, and take no more room than they may. */
class ResumeMapPropertiesTest {
    private static final int PLENTY = EncodedResumeMap.MOST_CHARACTERS;

    @Property(seed = "1", edgeCases = EdgeCasesMode.NONE)
    void anyMap_comesBackAsItWas(@ForAll("maps") ResumeMap map, @ForAll long logId) {
        EncodedResumeMap encoded = map.encode(logId, PLENTY);

        assertThat(ResumeMap.decode(encoded.text(), logId, map.base()).map()).isEqualTo(map);
        assertThat(encoded.finishedRecords()).isEqualTo(map.finishedRecords());
        assertThat(encoded.leftOut()).isZero();
    }

    @Property(seed = "2", edgeCases = EdgeCasesMode.NONE)
    void anyLimit_isKeptAndNothingIsMadeUp(@ForAll("maps") ResumeMap map, @ForAll @IntRange(max = 200) int limit) {
        EncodedResumeMap encoded = map.encode(1, limit);

        assertThat(encoded.text()).hasSizeLessThanOrEqualTo(limit);
        ResumeMap kept = ResumeMap.decode(encoded.text(), 1, map.base()).map();
        assertThat(map.runs()).containsAll(kept.runs());
        assertThat(map.anchors()).containsAll(kept.anchors());
        assertThat(encoded.finishedRecords()).isEqualTo(kept.finishedRecords());
        assertThat(encoded.leftOut()).isEqualTo(map.finishedRecords() - kept.finishedRecords());
    }

    @Property(seed = "3", tries = 200, edgeCases = EdgeCasesMode.NONE)
    void oneCharacterChanged_isRefused(@ForAll("maps") ResumeMap map, @ForAll Random random) {
        String text = map.encode(1, 300).text();
        for (int i = 0; i < text.length(); i++) {
            char other = (char) ('!' + random.nextInt('~' - '!' + 1));
            String changed = text.substring(0, i) + other + text.substring(i + 1);
            Outcome outcome = ResumeMap.decode(changed, 1, map.base()).outcome();
            assertThat(outcome == Outcome.INTACT).as(changed).isEqualTo(changed.equals(text));
        }
    }

    @Property(seed = "4", edgeCases = EdgeCasesMode.NONE)
    void anotherBase_isRefused(
            @ForAll("maps") ResumeMap map, @ForAll @LongRange(min = 1, max = Long.MAX_VALUE) long difference) {
        long other = map.base() + difference & Long.MAX_VALUE;
        if (!map.isEmpty() && other != map.base()) {
            DecodedResumeMap decoded = ResumeMap.decode(map.encode(1, PLENTY).text(), 1, other);
            assertThat(decoded.outcome()).isEqualTo(Outcome.OTHER_LOG_OR_OFFSET);
            assertThat(decoded.map()).isEqualTo(ResumeMap.empty(other));
        }
    }

    @Property(seed = "5", edgeCases = EdgeCasesMode.NONE)
    void anyBytes_comeBackFromTheirTextAndFromNoOther(@ForAll @Size(max = 40) byte[] bytes, @ForAll Random random) {
        StringBuilder text = new StringBuilder();
        PrintableBytes.append(text, bytes);

        assertThat(PrintableBytes.parse(text.toString(), 0)).isEqualTo(bytes);
        assertThat(PrintableBytes.bytesIn(text.length())).isGreaterThanOrEqualTo(bytes.length);
        assertThat(text.length()).isLessThanOrEqualTo((int) Math.ceil(bytes.length * 8 / 6.4) + 1);
        for (int i = 0; i < text.length(); i++) {
            StringBuilder other = new StringBuilder(text);
            other.setCharAt(i, (char) random.nextInt(300));
            if (!other.toString().contentEquals(text)) {
                assertThat(PrintableBytes.parse(other.toString(), 0)).isNotEqualTo(bytes);
            }
        }
    }

    @Property(seed = "6", tries = 300, edgeCases = EdgeCasesMode.NONE)
    void randomRecords_takeLittleMoreThanTheirEntropy(
            @ForAll @IntRange(min = 2, max = 20_000) int span,
            @ForAll @IntRange(min = 1, max = 99) int percentIncomplete,
            @ForAll Random random) {
        BitSet finished = ResumePatterns.random(random, span, percentIncomplete / 100.0);

        assertThat(messageBytes(finished))
                .isLessThanOrEqualTo(1.06 * ResumePatterns.entropyBytes(finished.cardinality(), span) + 8);
    }

    @Property(seed = "7", tries = 300, edgeCases = EdgeCasesMode.NONE)
    void runsOfRandomLength_takeLittleMoreThanTheirEntropy(
            @ForAll @IntRange(min = 4, max = 5_000) int mean,
            @ForAll @IntRange(min = 10, max = 400) int runs,
            @ForAll Random random) {
        int span = mean * runs;
        BitSet finished = ResumePatterns.runs(span, ResumePatterns.exponential(random, mean));
        int changes = 0;
        for (int i = 1; i < span; i++) {
            changes += finished.get(i) != finished.get(i - 1) ? 1 : 0;
        }

        // Where one run ends and the next begins is then what is random.
        assertThat(messageBytes(finished)).isLessThanOrEqualTo(1.06 * ResumePatterns.entropyBytes(changes, span) + 8);
    }

    @Property(seed = "8", tries = 100, edgeCases = EdgeCasesMode.NONE)
    void pipeline_takesLessThanIndependentRecordsOfItsDensityCan(@ForAll Random random) {
        BitSet finished = ResumePatterns.pipeline(random, 10_000, 430);

        assertThat(messageBytes(finished))
                .isLessThanOrEqualTo(200)
                .isLessThan(ResumePatterns.entropyBytes(finished.cardinality(), finished.length()));
    }

    @Property(seed = "9", tries = 10, edgeCases = EdgeCasesMode.NONE)
    void metadataOfAnyBroker_hasRoomForSoManyRecords(@ForAll Random random) {
        assertFits(ResumePatterns.random(random, 25_700, 0.5));
        assertFits(ResumePatterns.random(random, 53_000, 0.1));
        assertFits(ResumePatterns.random(random, 315_000, 0.01));
        assertFits(ResumePatterns.everySecond(32_000));
    }

    private static void assertFits(BitSet finished) {
        assertThat(ResumePatterns.map(0, finished).encode(1, 4_096).leftOut())
                .as("left out of %s", finished.cardinality())
                .isZero();
    }

    private static double messageBytes(BitSet finished) {
        return ResumeMapWriter.write(ResumePatterns.map(0, finished)).length;
    }

    @Provide
    static Arbitrary<ResumeMap> maps() {
        Arbitrary<Long> bases = Arbitraries.longs().between(0, 1L << 61);
        Arbitrary<Long> gaps = Arbitraries.frequencyOf(
                Tuple.of(5, Arbitraries.longs().between(0, 10)),
                Tuple.of(2, Arbitraries.longs().between(0, 10_000)),
                Tuple.of(1, Arbitraries.longs().between(0, 1L << 50)));
        Arbitrary<Long> lengths = Arbitraries.frequencyOf(
                Tuple.of(5, Arbitraries.longs().between(1, 10)),
                Tuple.of(2, Arbitraries.longs().between(1, 10_000)),
                Tuple.of(1, Arbitraries.longs().between(1, ResumeMapWriter.LONGEST_RUN / 256)));
        Arbitrary<Integer> epochSteps = Arbitraries.frequencyOf(
                Tuple.of(20, Arbitraries.just(0)),
                Tuple.of(1, Arbitraries.integers().between(0, 1 << 20)));
        Arbitrary<List<Run>> runs = Combinators.combine(gaps, lengths, epochSteps)
                .as((gap, length, epochStep) -> new Run(gap, length, epochStep))
                .list()
                .ofMaxSize(100);
        Arbitrary<List<Anchor>> anchors = Combinators.combine(
                        Arbitraries.longs().between(0, 100_000),
                        Arbitraries.integers().between(0, (1 << Anchor.FINGERPRINT_BITS) - 1))
                .as(Anchor::new)
                .list()
                .ofMaxSize(2);
        return Combinators.combine(bases, runs, anchors).as(ResumeMapPropertiesTest::map);
    }

    /** The runs are given as gap, length and step of the leader epoch, the anchors relative to the base. */
    private static ResumeMap map(long base, List<Run> runs, List<Anchor> anchors) {
        ResumeMapBuilder builder = new ResumeMapBuilder(base);
        long end = base;
        int leaderEpoch = 0;
        for (Run run : runs) {
            long start = end + run.start();
            end = start + run.end();
            leaderEpoch += run.leaderEpoch();
            builder.add(start, end, leaderEpoch);
        }
        anchors.forEach(anchor -> builder.add(new Anchor(base + anchor.offset(), anchor.fingerprint())));
        return builder.build();
    }
}
