package dev.offsets.benchmarks;

import dev.offsets.EncodedResumeMap;
import dev.offsets.OffsetTracker;
import java.util.BitSet;
import java.util.Random;
import java.util.function.IntPredicate;

/** Prints how much room resume maps take, beside the entropy of the records and Confluent's Parallel Consumer. */
public final class ResumeMapSizes {
    private static final int CHARACTERS = 4_096;
    private static final int MOST_CHARACTERS = 32_000;
    private static final int SEEDS = 10;
    private static final int PREFIX_CHARACTERS = 3;
    private static final int CHECKSUM_AND_BINDING_BYTES = 8;
    private static final int PAIR_BITS = 13;
    private static final int SINGLE_BITS = 6;

    private ResumeMapSizes() {}

    /** Takes no arguments. */
    public static void main(String[] arguments) {
        System.out.println("| finished records | entropy | ours, bytes | Parallel Consumer, bytes | ours, characters |"
                + " Parallel Consumer, characters |");
        System.out.println("|---|---|---|---|---|---|");
        for (Pattern pattern : Pattern.values()) {
            printSizes(pattern);
        }
        System.out.println();
        System.out.println("| incomplete | offsets in 4,096 characters, ours | Parallel Consumer |");
        System.out.println("|---|---|---|");
        for (int percent : new int[] {50, 10, 1}) {
            printLargestSpans(percent);
        }
    }

    private static void printSizes(Pattern pattern) {
        double entropy = 0;
        double ourBytes = 0;
        double theirBytes = 0;
        double ourCharacters = 0;
        double theirCharacters = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            BitSet finished = pattern.finished(new Random(seed));
            String text = encoded(finished, MOST_CHARACTERS).text();
            byte[] theirs = encodedByParallelConsumer(finished);
            entropy += Pattern.entropyBytes(finished) / SEEDS;
            ourBytes += (double) messageBytes(text) / SEEDS;
            theirBytes += (double) theirs.length / SEEDS;
            ourCharacters += (double) text.length() / SEEDS;
            theirCharacters += (theirs.length + 2) / 3 * 4.0 / SEEDS;
        }
        System.out.printf(
                "| %s | %,.0f | %,.0f | %,.0f | %,.0f | %,.0f |%n",
                pattern.name().toLowerCase().replace('_', ' '),
                entropy,
                ourBytes,
                theirBytes,
                ourCharacters,
                theirCharacters);
    }

    private static void printLargestSpans(int percentIncomplete) {
        BitSet finished = Pattern.random(new Random(1), 1 << 19, percentIncomplete / 100.0);
        int ours = largest(span -> encoded(finished.get(0, span), CHARACTERS).leftOut() == 0);
        int theirs =
                largest(span -> (encodedByParallelConsumer(finished.get(0, span)).length + 2) / 3 * 4 <= CHARACTERS);
        System.out.printf("| %d%% | %,d | %,d |%n", percentIncomplete, ours, theirs);
    }

    private static int largest(IntPredicate fits) {
        int low = 1_000;
        int high = 1 << 19;
        while (high - low > 100) {
            int middle = (low + high) / 2;
            if (fits.test(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static EncodedResumeMap encoded(BitSet finished, int characters) {
        OffsetTracker tracker = ResumeSubjects.tracker(finished);
        return tracker.resumeMap(tracker.commitPoint()).encode(ResumeSubjects.LOG_ID, characters);
    }

    private static byte[] encodedByParallelConsumer(BitSet finished) {
        return ResumeSubjects.encodedByParallelConsumer(
                ResumeSubjects.incomplete(finished), ResumeSubjects.BASE + finished.length() - 1);
    }

    /** Anchors, runs and the leader epoch; without the prefix, the checksum and what binds the map to its log. */
    private static int messageBytes(String text) {
        int characters = text.length() - PREFIX_CHARACTERS;
        int bits = characters / 2 * PAIR_BITS + characters % 2 * SINGLE_BITS;
        return bits / Byte.SIZE - CHECKSUM_AND_BINDING_BYTES;
    }
}
