package dev.offsets;

import static dev.offsets.ResumePatterns.LEADER_EPOCH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.offsets.DecodedResumeMap.Outcome;
import dev.offsets.ResumeMap.Anchor;
import dev.offsets.ResumeMap.Run;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Resume maps as strings: what survives, what is refused, and what is kept when not everything fits. */
class ResumeMapTest {
    private static final long LOG = 0x1234_5678_9abc_def0L;
    private static final int LIMIT = 1_024;

    @Test
    void mapWithGapsEpochsAndAnchors_comesBackAsItWas() {
        ResumeMap map = new ResumeMap(
                100,
                List.of(new Run(101, 150, 0), new Run(150, 151, 4), new Run(1_000_000, 1_000_001, 4)),
                List.of(new Anchor(100, 0xabcdef), new Anchor(150, 0)));

        EncodedResumeMap encoded = map.encode(LOG, LIMIT);

        assertThat(ResumeMap.decode(encoded.text(), LOG, 100)).isEqualTo(new DecodedResumeMap(map, Outcome.INTACT));
        assertThat(encoded.finishedRecords()).isEqualTo(51);
        assertThat(encoded.leftOut()).isZero();
    }

    /** What one version has stored another must read: this string may never change, nor the fingerprint. */
    @Test
    void string_isTheSameInAllVersions() {
        ResumeMap map = new ResumeMap(
                100,
                List.of(new Run(101, 150, 0), new Run(150, 151, 4), new Run(1_000_000, 1_000_001, 4)),
                List.of(new Anchor(100, Anchor.fingerprint(1_700_000_000_000L, 321)), new Anchor(150, 77)));
        String text = "R.1dL>.1sOwvA}.d6&^P!|@O}v7GZP%!!#T:^Qz";

        assertThat(map.encode(LOG, LIMIT).text()).isEqualTo(text);
        assertThat(decode(text, LOG, 100)).isEqualTo(map);
    }

    @Test
    void longString_isTheSameInAllVersions() {
        Random random = new Random(1);
        ResumeMapBuilder builder = new ResumeMapBuilder(100);
        long offset = 100;
        for (int i = 0; i < 3_000; i++) {
            long start = offset + 1 + random.nextInt(1 << random.nextInt(12));
            offset = start + 1 + random.nextInt(1 << random.nextInt(20));
            builder.add(start, offset, i / 100);
        }

        EncodedResumeMap encoded = builder.build().encode(LOG, EncodedResumeMap.MOST_CHARACTERS);

        CRC32 checksum = new CRC32();
        checksum.update(encoded.text().getBytes(StandardCharsets.US_ASCII));
        assertThat(encoded.leftOut()).isZero();
        assertThat(checksum.getValue()).isEqualTo(1_096_940_442);
    }

    @Test
    void mapsThatDifferInAnything_areNotEqual() {
        List<Run> runs = List.of(new Run(101, 150, 0));
        List<Anchor> anchors = List.of(new Anchor(100, 1));
        ResumeMap map = new ResumeMap(100, runs, anchors);

        assertThat(map).isEqualTo(new ResumeMap(100, runs, anchors));
        assertThat(map).hasSameHashCodeAs(new ResumeMap(100, runs, anchors));
        assertThat(map).isNotEqualTo(new ResumeMap(99, runs, anchors));
        assertThat(map).isNotEqualTo(new ResumeMap(100, List.of(new Run(101, 151, 0)), anchors));
        assertThat(map).isNotEqualTo(new ResumeMap(100, runs, List.of()));
        assertThat(map).isNotEqualTo("a map");
        assertThat(map.hashCode()).isNotEqualTo(ResumeMap.empty(100).hashCode());
    }

    @Test
    void shownAsText_tenRunsAtMost() {
        assertThat(ResumePatterns.map(0, ResumePatterns.everySecond(21)))
                .asString()
                .endsWith(" 17 19");
        assertThat(ResumePatterns.map(0, ResumePatterns.everySecond(23)))
                .asString()
                .endsWith(" 17 19 ...");
    }

    @Test
    void recordAtTheBaseFinished_isNamed() {
        ResumeMap map = new ResumeMap(7, List.of(new Run(7, 9, 0)), List.of());

        ResumeMap decoded = decode(map.encode(LOG, LIMIT).text(), LOG, 7);

        assertThat(decoded.isFinished(7, 0)).isTrue();
        assertThat(decoded.isFinished(8, 0)).isTrue();
        assertThat(decoded.isFinished(9, 0)).isFalse();
        assertThat(decoded.isFinished(6, 0)).isFalse();
    }

    @Test
    void recordOfAnotherEpoch_isAnotherRecord() {
        ResumeMap map = new ResumeMap(0, List.of(new Run(1, 5, 2), new Run(5, 9, 3)), List.of());

        assertThat(map.isFinished(4, 2)).isTrue();
        assertThat(map.isFinished(4, 3)).isFalse();
        assertThat(map.isFinished(5, 3)).isTrue();
        assertThat(map.isFinished(5, 2)).isFalse();
    }

    @Test
    void emptyMap_isTheEmptyString() {
        EncodedResumeMap encoded = ResumeMap.empty(5).encode(LOG, LIMIT);

        assertThat(encoded).isEqualTo(new EncodedResumeMap("", 0, 0));
        assertThat(ResumeMap.decode("", LOG, 5)).isEqualTo(absent(5));
        assertThat(ResumeMap.decode(null, LOG, 5)).isEqualTo(absent(5));
    }

    @Test
    void offsetsNearTheLargest_comeBack() {
        long base = Long.MAX_VALUE - 10;
        ResumeMap map = new ResumeMap(base, List.of(new Run(base + 1, Long.MAX_VALUE, Integer.MAX_VALUE)), List.of());

        assertThat(decode(map.encode(LOG, LIMIT).text(), LOG, base)).isEqualTo(map);
    }

    @Test
    void runsBehindHugeHoles_comeBack() {
        long hole = ResumeMapWriter.LONGEST_GAP;
        ResumeMap map =
                new ResumeMap(0, List.of(new Run(hole, hole + 1, 0), new Run(hole + 9, hole + 10, 0)), List.of());

        assertThat(decode(map.encode(LOG, LIMIT).text(), LOG, 0)).isEqualTo(map);
    }

    @Test
    void runBehindAHoleThatIsTooHuge_isLeftOut() {
        long start = 2 * ResumeMapWriter.LONGEST_GAP;
        ResumeMap map = new ResumeMap(0, List.of(new Run(1, 2, 0), new Run(start, start + 5, 0)), List.of());

        EncodedResumeMap encoded = map.encode(LOG, LIMIT);

        assertThat(encoded.leftOut()).isEqualTo(5);
        assertThat(decode(encoded.text(), LOG, 0).runs()).containsExactly(new Run(1, 2, 0));
    }

    @Test
    void otherOffset_isRefused() {
        String text = stuckHead().encode(LOG, LIMIT).text();

        assertThat(ResumeMap.decode(text, LOG, 101)).isEqualTo(failed(Outcome.OTHER_LOG_OR_OFFSET, 101));
        assertThat(ResumeMap.decode(text, LOG, 99)).isEqualTo(failed(Outcome.OTHER_LOG_OR_OFFSET, 99));
    }

    @Test
    void otherLog_isRefused() {
        String text = stuckHead().encode(LOG, LIMIT).text();

        assertThat(ResumeMap.decode(text, LOG + 1, 100)).isEqualTo(failed(Outcome.OTHER_LOG_OR_OFFSET, 100));
    }

    @Test
    void textOfOthers_isForeign() {
        for (String text :
                List.of("foreign", "R", "R.", "AAAAAAAAB", "bAAAAAEoAA==", " ", "\0", "{\"offset\":1}", "\ud800")) {
            assertThat(ResumeMap.decode(text, LOG, 100)).as(text).isEqualTo(failed(Outcome.FOREIGN, 100));
        }
    }

    @Test
    void textOfALaterVersion_isToldApart() {
        String text = stuckHead().encode(LOG, LIMIT).text();

        assertThat(ResumeMap.decode(text.replace("R.1", "R.2"), LOG, 100))
                .isEqualTo(failed(Outcome.OTHER_VERSION, 100));
    }

    @Test
    void textLongerThanAnyOfOurs_isRefusedUnread() {
        String longest = "R.1" + "!".repeat(EncodedResumeMap.MOST_CHARACTERS - 3);

        assertThat(ResumeMap.decode(longest + "!", LOG, 100)).isEqualTo(failed(Outcome.TOO_LONG, 100));
        assertThat(ResumeMap.decode(longest, LOG, 100)).isEqualTo(failed(Outcome.DAMAGED, 100));
    }

    @Test
    void textCutShort_isDamaged() {
        String text = stuckHead().encode(LOG, LIMIT).text();

        for (int length = 3; length < text.length(); length++) {
            assertThat(ResumeMap.decode(text.substring(0, length), LOG, 100)).isEqualTo(failed(Outcome.DAMAGED, 100));
        }
    }

    @Test
    void textWithMoreAtItsEnd_isDamaged() {
        String text = stuckHead().encode(LOG, LIMIT).text();

        for (String more : List.of("!", "!!", " ", "\n", "\u007f", "\u0080", "\u20ac", "A")) {
            assertThat(ResumeMap.decode(text + more, LOG, 100)).isEqualTo(failed(Outcome.DAMAGED, 100));
        }
    }

    @Test
    void absurdlyLongRun_isNeitherWrittenNorRead() {
        for (long length : new long[] {ResumeMapWriter.LONGEST_RUN + 1, 1L << 60, 1L << 62}) {
            ResumeMap map = new ResumeMap(100, List.of(new Run(101, 101 + length, 0)), List.of());

            assertThat(map.encode(LOG, LIMIT)).isEqualTo(new EncodedResumeMap("", 0, length));
            assertThat(ResumeMap.decode(ResumeMapCodec.text(ResumeMapWriter.write(map), LOG, 100), LOG, 100))
                    .isEqualTo(failed(Outcome.DAMAGED, 100));
        }
    }

    @Test
    void longestRun_comesBack() {
        ResumeMap map = new ResumeMap(100, List.of(new Run(101, 101 + ResumeMapWriter.LONGEST_RUN, 0)), List.of());

        assertThat(decode(map.encode(LOG, LIMIT).text(), LOG, 100)).isEqualTo(map);
    }

    @Test
    void runBeyondTheLargestOffset_isNotRead() {
        ResumeMap map = new ResumeMap(100, List.of(new Run(200, 1_200, 0)), List.of());
        byte[] message = ResumeMapWriter.write(map);

        assertThat(ResumeMapReader.read(100, message)).contains(map);
        assertThat(ResumeMapReader.read(Long.MAX_VALUE - 500, message)).isEmpty();
    }

    @Test
    void moreRunsThanAreEverWritten_areNotRead() {
        ResumeMap map = ResumePatterns.map(0, ResumePatterns.everySecond(2 * ResumeMapWriter.MOST_RUNS + 10));

        assertThat(ResumeMapReader.read(0, ResumeMapWriter.write(map))).isEmpty();
    }

    @Test
    void leaderEpochsThatDecrease_areNotRead() {
        int largest = Integer.MAX_VALUE;
        ResumeMap map = new ResumeMap(0, List.of(new Run(1, 2, largest), new Run(3, 4, largest - 1)), List.of());

        assertThat(ResumeMapReader.read(0, ResumeMapWriter.write(map))).isEmpty();
    }

    @Test
    void messageWithoutAnEnd_isNotRead() {
        assertThat(ResumeMapReader.read(0, new byte[0])).isEmpty();
        assertThat(ResumeMapReader.read(0, new byte[] {0, 0, 0, 0})).isEmpty();
    }

    /** After the end come zeros, which stand for the largest numbers that there can be. */
    @Test
    void messageCutShort_isNotRead() {
        ResumeMap map = new ResumeMap(0, List.of(new Run(1_000, 3_000, 0), new Run(4_500, 5_000, 1)), List.of());
        byte[] message = ResumeMapWriter.write(map);

        for (int length = 0; length < message.length; length++) {
            byte[] cut = Arrays.copyOf(Arrays.copyOf(message, length), message.length + 40);
            assertThat(ResumeMapReader.read(0, cut)).as("the first %d", length).isEmpty();
        }
    }

    @Test
    void gapLargerThanAreEverWritten_isReadAsALargeOne() {
        BitWriter writer = new BitWriter();
        LengthCode written = new LengthCode();
        written.code(writer, 0);
        written.code(writer, Long.MAX_VALUE);

        BitReader reader = new BitReader(writer.finish());
        LengthCode read = new LengthCode();
        assertThat(read.code(reader, 0)).isZero();
        assertThat(read.code(reader, 0)).isGreaterThan(ResumeMapWriter.LONGEST_GAP);
    }

    @Test
    void charactersThatStandForMoreBitsThanTheyHave_areNoText() {
        assertThat(PrintableBytes.parse("!!", 0)).containsExactly(0);
        assertThat(PrintableBytes.parse("~$", 0)).isNull();
    }

    @Test
    void text_standsInJsonCsvAndLogsAsItIs() {
        String text = ResumePatterns.map(0, ResumePatterns.random(new Random(1), 30_000, 0.5))
                .encode(LOG, 4_096)
                .text();

        assertThat(text).matches("[!-~]+").doesNotContain("\"", "\\", ",");
        assertThat(text.chars().distinct().count()).isEqualTo(91);
    }

    @Test
    void stuckHead_takesAFewBytes() {
        BitSet million = ResumePatterns.stuckHead(1_000_000);

        assertThat(messageBytes(ResumePatterns.map(0, million))).isLessThan(9);
        assertThat(ResumePatterns.map(0, million).encode(LOG, LIMIT).text()).hasSizeLessThan(30);
    }

    @Test
    void versionChecksumEpochAndAnchors_takeNoMoreThan24Bytes() {
        ResumeMap bare = new ResumeMap(100, List.of(new Run(101, 20_000, 0)), List.of());
        ResumeMap bound = new ResumeMap(
                100, List.of(new Run(101, 20_000, 1_000)), List.of(new Anchor(116, 1 << 23), new Anchor(9_000, 77)));
        int prefixBytes = 3;
        int headerBytes = 8;

        assertThat(prefixBytes + headerBytes + messageBytes(bound) - messageBytes(bare))
                .isLessThanOrEqualTo(24);
    }

    @Test
    void doesNotFit_lowestRunsAreKeptAndTheRestIsCounted() {
        ResumeMap map = ResumePatterns.map(0, ResumePatterns.everySecond(100_000));

        EncodedResumeMap encoded = map.encode(LOG, 40);

        assertThat(encoded.text()).hasSizeBetween(30, 40);
        ResumeMap kept = decode(encoded.text(), LOG, 0);
        assertThat(kept).isEqualTo(map.below(kept.end()));
        assertThat(encoded.finishedRecords()).isPositive().isEqualTo(kept.finishedRecords());
        assertThat(encoded.leftOut()).isEqualTo(50_000 - kept.finishedRecords());
    }

    @Test
    void shortRunsBeforeALongOne_longOneIsKept() {
        BitSet finished = ResumePatterns.random(new Random(1), 100_000, 0.5);
        finished.set(100_000, 1_100_000);

        EncodedResumeMap encoded = ResumePatterns.map(0, finished).encode(LOG, LIMIT);

        assertThat(encoded.text().length()).isLessThanOrEqualTo(LIMIT);
        assertThat(encoded.finishedRecords()).isGreaterThan(1_000_000);
        assertThat(decode(encoded.text(), LOG, 0).isFinished(1_099_999, LEADER_EPOCH))
                .isTrue();
    }

    @Test
    void noRoomAtAll_nothingIsSaid() {
        for (int limit = 0; limit <= 15; limit++) {
            assertThat(stuckHead().encode(LOG, limit)).isEqualTo(new EncodedResumeMap("", 0, 899));
        }
    }

    /** How much the end of a message takes is known only when it is written: with these seeds, more than usual. */
    @ParameterizedTest
    @ValueSource(ints = {710, 910, 2_543, 2_942})
    void endOfAMessageTakesMoreThanUsual_textIsNoLongerThanTheLimit(int seed) {
        Random random = new Random(seed);
        ResumeMap map = ResumePatterns.map(0, ResumePatterns.random(random, 1_000, random.nextDouble()));
        for (int limit = 15; limit < 60; limit++) {
            assertThat(map.encode(LOG, limit).text()).hasSizeLessThanOrEqualTo(limit);
        }
    }

    @Test
    void doesNotFit_anchorsAreKept() {
        List<Run> runs =
                ResumePatterns.map(1_000, ResumePatterns.everySecond(100_000)).runs();
        ResumeMap map = new ResumeMap(1_000, runs, List.of(new Anchor(1_000, 1), new Anchor(1_003, 2)));

        EncodedResumeMap encoded = map.encode(LOG, 60);

        assertThat(encoded.leftOut()).isPositive();
        assertThat(decode(encoded.text(), LOG, 1_000).anchors()).isEqualTo(map.anchors());
    }

    @Test
    void anchors_areThoseBelowTheEndAndNotTooFarFromTheBase() {
        long base = 1L << 40;
        long farthest = base + Integer.MAX_VALUE;
        ResumeMapBuilder builder = new ResumeMapBuilder(base);
        builder.add(base + 1, base + 2, 0);
        builder.add(farthest + 5, farthest + 6, 0);

        for (long offset : new long[] {base - 1, base, farthest, farthest + 1, farthest + 6}) {
            builder.add(new Anchor(offset, 1));
        }

        assertThat(builder.build().anchors()).containsExactly(new Anchor(base, 1), new Anchor(farthest, 1));
    }

    @Test
    void anchorAtTheEnd_isLeftOut() {
        ResumeMapBuilder builder = new ResumeMapBuilder(10);
        builder.add(11, 20, 0);
        builder.add(new Anchor(19, 1));
        builder.add(new Anchor(20, 1));

        assertThat(builder.build().anchors()).containsExactly(new Anchor(19, 1));
    }

    @Test
    void union_hasTheAnchorsOfBoth() {
        ResumeMap one = new ResumeMap(10, List.of(new Run(11, 20, 0)), List.of(new Anchor(10, 1)));
        ResumeMap other = new ResumeMap(10, List.of(new Run(30, 40, 0)), List.of(new Anchor(29, 2)));

        assertThat(one.union(other, 10))
                .isEqualTo(new ResumeMap(
                        10,
                        List.of(new Run(11, 20, 0), new Run(30, 40, 0)),
                        List.of(new Anchor(10, 1), new Anchor(29, 2))));
    }

    @Test
    void moreRunsThanAreEverWritten_lowestAreKept() {
        ResumeMap map = ResumePatterns.map(0, ResumePatterns.everySecond(4 * ResumeMapWriter.MOST_RUNS));

        EncodedResumeMap encoded = map.encode(LOG, Integer.MAX_VALUE);

        assertThat(encoded.finishedRecords()).isEqualTo(ResumeMapWriter.MOST_RUNS);
        assertThat(decode(encoded.text(), LOG, 0).finishedRecords()).isEqualTo(ResumeMapWriter.MOST_RUNS);
    }

    @Test
    void limitThatNoBrokerTakes_isNotUsedUp() {
        ResumeMap map =
                ResumePatterns.map(0, ResumePatterns.runs(1 << 28, ResumePatterns.exponential(new Random(1), 20_000)));

        assertThat(map.encode(LOG, Integer.MAX_VALUE).text().length())
                .isBetween(EncodedResumeMap.MOST_CHARACTERS * 9 / 10, EncodedResumeMap.MOST_CHARACTERS);
    }

    @Test
    void badArguments_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stuckHead().encode(LOG, -1))
                .withMessage("mostCharacters is -1: it must be zero or more; with zero nothing is kept but the commit"
                        + " itself");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResumeMap.decode("", LOG, -1))
                .withMessage("base is -1: it must be zero or more, the offset that is committed with the map");
        assertThatIllegalArgumentException().isThrownBy(() -> ResumeMap.empty(-1));
    }

    private static ResumeMap stuckHead() {
        return new ResumeMap(100, List.of(new Run(101, 1_000, 0)), List.of());
    }

    private static int messageBytes(ResumeMap map) {
        return ResumeMapWriter.write(map).length;
    }

    private static ResumeMap decode(String text, long logId, long base) {
        DecodedResumeMap decoded = ResumeMap.decode(text, logId, base);
        assertThat(decoded.outcome()).isEqualTo(Outcome.INTACT);
        return decoded.map();
    }

    private static DecodedResumeMap absent(long base) {
        return failed(Outcome.ABSENT, base);
    }

    private static DecodedResumeMap failed(Outcome outcome, long base) {
        return new DecodedResumeMap(ResumeMap.empty(base), outcome);
    }
}
