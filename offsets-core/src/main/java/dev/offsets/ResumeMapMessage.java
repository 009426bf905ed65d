package dev.offsets;

import dev.offsets.ResumeMap.Anchor;
import dev.offsets.ResumeMap.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a resume map says, as bytes: its anchors, then its runs, each as the gap before it and its length. One bit before
 * each run says that it is one more of the same leader epoch; where it says otherwise, the next bit tells a run of a
 * higher leader epoch from the end.
 */
final class ResumeMapMessage {
    /** More than fit at the usual limits, and few enough that coding them takes no more than a millisecond. */
    static final int MOST_RUNS = 16_384;

    /** Nobody finishes so many records above one that is not: a longer run is a lie. */
    static final long LONGEST_RUN = 1L << 40;

    static final long LONGEST_GAP = 1L << LengthCode.VALUE_BITS - 1;

    private static final int MORE = 1;
    private static final int OTHERWISE = 0;
    private static final int HIGHER_EPOCH = 1;
    private static final int END = 0;
    private static final int END_BYTES = 2;

    private static final int ANCHOR_COUNT_BITS = 2;
    private static final int EXPONENT_BITS = 5;

    private final BitCoder coder;
    private final AdaptiveBits more = new AdaptiveBits(1);
    private final LengthCode gaps = new LengthCode();
    private final LengthCode lengths = new LengthCode();
    private final long base;
    /** Where the run before ended, and its leader epoch. */
    private long end;

    private int leaderEpoch = -1;

    private ResumeMapMessage(BitCoder coder, long base) {
        this.coder = coder;
        this.base = base;
        this.end = base;
    }

    /** How many of the runs, from the lowest on, fit into a message of so many bytes. */
    static int countThatFits(long base, List<Run> runs, List<Anchor> anchors, int limitBytes) {
        BitWriter writer = new BitWriter();
        ResumeMapMessage message = new ResumeMapMessage(writer, base);
        message.writeAnchors(anchors);
        int most = Math.min(runs.size(), MOST_RUNS);
        for (int count = 0; count < most; count++) {
            Run run = runs.get(count);
            if (run.start() - message.end > LONGEST_GAP || run.length() > LONGEST_RUN) {
                return count;
            }
            message.writeRun(run);
            if (!writer.fits(limitBytes - END_BYTES)) {
                return count;
            }
        }
        return most;
    }

    static byte[] write(ResumeMap map) {
        BitWriter writer = new BitWriter();
        ResumeMapMessage message = new ResumeMapMessage(writer, map.base());
        message.writeAnchors(map.anchors());
        map.runs().forEach(message::writeRun);
        message.more.code(writer, 0, OTHERWISE);
        writer.code(END, BitCoder.EVEN);
        return writer.finish();
    }

    private void writeAnchors(List<Anchor> anchors) {
        LengthCode.codeEven(coder, anchors.size(), ANCHOR_COUNT_BITS);
        long before = base;
        for (Anchor anchor : anchors) {
            codeNumber(anchor.offset() - before);
            LengthCode.codeEven(coder, anchor.fingerprint(), Anchor.FINGERPRINT_BITS);
            before = anchor.offset();
        }
    }

    private void writeRun(Run run) {
        long gap = run.start() - end;
        if (run.leaderEpoch() == leaderEpoch) {
            more.code(coder, 0, MORE);
            gaps.code(coder, gap - 1);
        } else {
            more.code(coder, 0, OTHERWISE);
            coder.code(HIGHER_EPOCH, BitCoder.EVEN);
            codeNumber(run.leaderEpoch() - leaderEpoch - 1);
            gaps.code(coder, gap);
        }
        lengths.code(coder, run.length() - 1);
        end = run.end();
        leaderEpoch = run.leaderEpoch();
    }

    /** The map that a message stands for; empty when no map has this message. */
    static Optional<ResumeMap> read(long base, byte[] bytes) {
        BitReader reader = new BitReader(bytes);
        ResumeMapMessage message = new ResumeMapMessage(reader, base);
        List<Anchor> anchors = message.readAnchors();
        List<Run> runs = new ArrayList<>();
        while (true) {
            boolean sameEpoch = message.more.code(reader, 0, 0) == MORE;
            if (!sameEpoch && reader.code(0, BitCoder.EVEN) == END) {
                boolean whole = !reader.isExhausted();
                return whole ? Optional.of(new ResumeMap(base, runs, anchors)) : Optional.empty();
            }
            Run run = message.readRun(sameEpoch);
            if (run == null || reader.isExhausted() || runs.size() == MOST_RUNS) {
                return Optional.empty();
            }
            runs.add(run);
        }
    }

    private List<Anchor> readAnchors() {
        List<Anchor> anchors = new ArrayList<>();
        int count = (int) LengthCode.codeEven(coder, 0, ANCHOR_COUNT_BITS);
        long offset = base;
        for (int i = 0; i < count; i++) {
            offset += codeNumber(0);
            anchors.add(new Anchor(offset, (int) LengthCode.codeEven(coder, 0, Anchor.FINGERPRINT_BITS)));
        }
        return anchors;
    }

    /** The next run; null when what is read can't be one. */
    private Run readRun(boolean sameEpoch) {
        if (leaderEpoch < 0 && sameEpoch) {
            return null;
        }
        long epoch = leaderEpoch + (sameEpoch ? 0 : codeNumber(0) + 1);
        long gap = gaps.code(coder, 0) + (sameEpoch ? 1 : 0);
        long length = lengths.code(coder, 0) + 1;
        boolean possible = epoch <= Integer.MAX_VALUE
                && gap >= 0
                && gap <= LONGEST_GAP
                && length >= 1
                && length <= LONGEST_RUN
                && end <= Long.MAX_VALUE - gap - length;
        if (!possible) {
            return null;
        }
        Run run = new Run(end + gap, end + gap + length, (int) epoch);
        end = run.end();
        leaderEpoch = run.leaderEpoch();
        return run;
    }

    private long codeNumber(long value) {
        return LengthCode.codeNumber(coder, value, EXPONENT_BITS);
    }
}
