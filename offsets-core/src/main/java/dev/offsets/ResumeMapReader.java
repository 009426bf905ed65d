package dev.offsets;

import dev.offsets.ResumeMap.Anchor;
import dev.offsets.ResumeMap.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what {@link ResumeMapWriter} has written, and believes none of it: any bytes may come. */
final class ResumeMapReader {
    private final BitReader reader;
    private final AdaptiveBits more = new AdaptiveBits(1);
    private final LengthCode gaps = new LengthCode();
    private final LengthCode lengths = new LengthCode();
    private final long base;
    private final List<Run> runs = new ArrayList<>();
    private long end;
    private int leaderEpoch = -1;

    private ResumeMapReader(long base, byte[] message) {
        this.reader = new BitReader(message);
        this.base = base;
        this.end = base;
    }

    /** The map that a message stands for; empty when it is not the message of a map with this base. */
    static Optional<ResumeMap> read(long base, byte[] message) {
        ResumeMapReader reader = new ResumeMapReader(base, message);
        List<Anchor> anchors = reader.readAnchors();
        return reader.readRuns() ? Optional.of(new ResumeMap(base, reader.runs, anchors)) : Optional.empty();
    }

    private List<Anchor> readAnchors() {
        List<Anchor> anchors = new ArrayList<>();
        int count = (int) LengthCode.codeEven(reader, 0, ResumeMapWriter.ANCHOR_COUNT_BITS);
        long offset = base;
        for (int i = 0; i < count; i++) {
            offset += LengthCode.codeNumber(reader, 0, ResumeMapWriter.EXPONENT_BITS);
            anchors.add(new Anchor(offset, (int) LengthCode.codeEven(reader, 0, Anchor.FINGERPRINT_BITS)));
        }
        return anchors;
    }

    /** Whether these were runs, and then the end. */
    private boolean readRuns() {
        while (true) {
            boolean sameEpoch = more.code(reader, 0, 0) == ResumeMapWriter.MORE;
            if (!sameEpoch && reader.code(0, BitCoder.EVEN) == ResumeMapWriter.END) {
                return !reader.isExhausted();
            }
            if (!readRun(sameEpoch) || reader.isExhausted() || runs.size() > ResumeMapWriter.MOST_RUNS) {
                return false;
            }
        }
    }

    /** Whether this was a run that there can be. */
    private boolean readRun(boolean sameEpoch) {
        long epoch = sameEpoch
                ? leaderEpoch
                : leaderEpoch + 1L + LengthCode.codeNumber(reader, 0, ResumeMapWriter.EXPONENT_BITS);
        long gap = gaps.code(reader, 0) + (sameEpoch ? 1 : 0);
        long length = lengths.code(reader, 0) + 1;
        boolean possible = epoch >= 0
                && epoch <= Integer.MAX_VALUE
                && gap >= 0
                && gap <= ResumeMapWriter.LONGEST_GAP
                && length >= 1
                && length <= ResumeMapWriter.LONGEST_RUN
                && end <= Long.MAX_VALUE - gap - length;
        if (possible) {
            runs.add(new Run(end + gap, end + gap + length, (int) epoch));
            end += gap + length;
            leaderEpoch = (int) epoch;
        }
        return possible;
    }
}
