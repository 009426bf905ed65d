package dev.offsets;

import dev.offsets.ResumeMap.Anchor;
import dev.offsets.ResumeMap.Run;
import java.util.List;
import java.util.Optional;

/**
 * Writes what a resume map says as bytes, the message: its anchors, then its runs, each as the gap before it and its
 * length. One bit before each run says that it is one more of the same leader epoch; where it says otherwise, the next
 * bit tells a run of a higher leader epoch from the end.
 */
final class ResumeMapWriter {
    /** More than fit at the usual limits, and few enough to be coded in about a millisecond. */
    static final int MOST_RUNS = 16_384;

    /** Nobody finishes so many records above one that is not: a longer run is a lie. */
    static final long LONGEST_RUN = 1L << 40;

    static final long LONGEST_GAP = 1L << LengthCode.VALUE_BITS - 1;

    static final int MORE = 1;
    static final int OTHERWISE = 0;
    static final int HIGHER_EPOCH = 1;
    static final int END = 0;
    static final int ANCHOR_COUNT_BITS = 2;
    /** For the numbers of which there are few, up to 2^32 - 2. */
    static final int EXPONENT_BITS = 5;

    /** What is set aside for the end of a message: nearly always enough. */
    private static final int END_BYTES = 2;

    private final BitWriter writer = new BitWriter();
    private final AdaptiveBits more = new AdaptiveBits(1);
    private final LengthCode gaps = new LengthCode();
    private final LengthCode lengths = new LengthCode();
    private long end;
    private int leaderEpoch = -1;

    private ResumeMapWriter(ResumeMap map) {
        end = map.base();
        writeAnchors(map.base(), map.anchors());
    }

    static byte[] write(ResumeMap map) {
        ResumeMapWriter message = new ResumeMapWriter(map);
        map.runs().forEach(message::write);
        return message.finish();
    }

    /** The message, if it takes no more than so many bytes. */
    static Optional<byte[]> writeIfItFits(ResumeMap map, int limitBytes) {
        ResumeMapWriter message = new ResumeMapWriter(map);
        int count = message.writeWhatFits(map.runs(), limitBytes);
        return count < map.runs().size()
                ? Optional.empty()
                : Optional.of(message.finish()).filter(written -> written.length <= limitBytes);
    }

    /**
     * How many of some runs of a map, from the lowest on, fit into a message of so many bytes; rarely one too many, since how
     * much room the end takes is known only when it is written.
     */
    static int countThatFits(ResumeMap map, List<Run> runs, int limitBytes) {
        return new ResumeMapWriter(map).writeWhatFits(runs, limitBytes);
    }

    private void writeAnchors(long base, List<Anchor> anchors) {
        LengthCode.codeEven(writer, anchors.size(), ANCHOR_COUNT_BITS);
        long before = base;
        for (Anchor anchor : anchors) {
            LengthCode.codeNumber(writer, anchor.offset() - before, EXPONENT_BITS);
            LengthCode.codeEven(writer, anchor.fingerprint(), Anchor.FINGERPRINT_BITS);
            before = anchor.offset();
        }
    }

    /** Writes runs up to and including the first that is too much, and answers how many came before it. */
    private int writeWhatFits(List<Run> runs, int limitBytes) {
        int most = Math.min(runs.size(), MOST_RUNS);
        for (int count = 0; count < most; count++) {
            Run run = runs.get(count);
            if (run.start() - end > LONGEST_GAP || run.length() > LONGEST_RUN) {
                return count;
            }
            write(run);
            if (!writer.fits(limitBytes - END_BYTES)) {
                return count;
            }
        }
        return most;
    }

    private void write(Run run) {
        long gap = run.start() - end;
        if (run.leaderEpoch() == leaderEpoch) {
            more.code(writer, 0, MORE);
            gaps.code(writer, gap - 1);
        } else {
            more.code(writer, 0, OTHERWISE);
            writer.code(HIGHER_EPOCH, BitCoder.EVEN);
            LengthCode.codeNumber(writer, run.leaderEpoch() - leaderEpoch - 1, EXPONENT_BITS);
            gaps.code(writer, gap);
        }
        lengths.code(writer, run.length() - 1);
        end = run.end();
        leaderEpoch = run.leaderEpoch();
    }

    private byte[] finish() {
        more.code(writer, 0, OTHERWISE);
        writer.code(END, BitCoder.EVEN);
        return writer.finish();
    }
}
