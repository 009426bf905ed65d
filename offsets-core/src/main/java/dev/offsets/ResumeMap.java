package dev.offsets;

import java.util.List;
import java.util.Objects;

/**
 * Which records at and above a commit point are finished, so that whoever resumes there need not do them again. It is
 * taken from a tracker with {@link OffsetTracker#resumeMap}, travels with the commit as a {@linkplain #encode string},
 * and goes into the next owner's tracker with {@link OffsetTracker#resumingAt}.
 *
 * <p>It names only records that were delivered and have finished: never a hole, and never a record whose leader epoch was
 * not known. For each it knows the leader epoch; a record of another epoch is another record.
 *
 * <p>Immutable; may be used from any thread. No method blocks.
 */
/*
 * The runs are ascending and do not overlap, and their leader epochs never decrease. What is shown by what, and when
 * nothing can be, is in docs/resume-map.md.
 */
public final class ResumeMap {
    /** Consecutive offsets whose records are finished and have one leader epoch; the end is not among them. */
    record Run(long start, long end, int leaderEpoch) {
        long length() {
            return end - start;
        }
    }

    /** A record, finished or not, by which another log is found out. */
    record Anchor(long offset, int fingerprint) {
        static final int FINGERPRINT_BITS = 24;

        /** Never negative. */
        static int fingerprint(long timestampMillis, int size) {
            return (int) (Mixing.mix(timestampMillis, size) >>> Long.SIZE - FINGERPRINT_BITS);
        }
    }

    private final long base;
    private final List<Run> runs;
    private final List<Anchor> anchors;
    private final long finishedRecords;

    ResumeMap(long base, List<Run> runs, List<Anchor> anchors) {
        this.base = base;
        this.runs = List.copyOf(runs);
        this.anchors = List.copyOf(anchors);
        this.finishedRecords = runs.stream().mapToLong(Run::length).sum();
    }

    /**
     * A map that names no record.
     *
     * @param base the offset of the commit that it goes with; zero or more
     * @throws IllegalArgumentException if the offset is negative
     */
    public static ResumeMap empty(long base) {
        return new ResumeMap(checkBase(base), List.of(), List.of());
    }

    /**
     * The map that a string stands for. Throws for no string, and takes time and memory in proportion to the string's
     * length at most.
     *
     * @param text what {@link #encode} made; null and the empty string stand for an empty map
     * @param logId what the log is known by, as it was given to {@code encode}
     * @param base the offset that was committed together with the string; zero or more
     * @return the map and, when the string is not one for this log and offset, why it is empty
     * @throws IllegalArgumentException if the offset is negative
     */
    public static DecodedResumeMap decode(String text, long logId, long base) {
        return ResumeMapCodec.decode(text, logId, checkBase(base));
    }

    /**
     * This map as a string of printable ASCII characters, none of them a space, a quotation mark, a comma or a backslash.
     * When it does not fit, what tells of the most finished records is kept.
     *
     * @param logId what this log is known by and no other: two logs that follow one another under the same name must
     *     differ in it, and so must a log and its copy elsewhere. For Kafka it comes from the topic's id
     * @param mostCharacters how long the string may be, zero or more; not more than {@value
     *     EncodedResumeMap#MOST_CHARACTERS} are ever used
     * @return the string, and of how many finished records it tells. It is empty when the map is, or when nothing fits
     * @throws IllegalArgumentException if the limit is negative
     */
    public EncodedResumeMap encode(long logId, int mostCharacters) {
        if (mostCharacters < 0) {
            throw new IllegalArgumentException("mostCharacters is " + mostCharacters
                    + ": it must be zero or more; with zero nothing is kept but the commit itself");
        }
        return ResumeMapCodec.encode(this, logId, mostCharacters);
    }

    /** The offset of the commit that the map goes with. No record below it is named. */
    public long base() {
        return base;
    }

    /** How many finished records the map names. */
    public long finishedRecords() {
        return finishedRecords;
    }

    /** Whether the map names no record. */
    public boolean isEmpty() {
        return runs.isEmpty();
    }

    /**
     * Whether the map says that a record is finished.
     *
     * @param offset the record's offset
     * @param leaderEpoch the record's leader epoch
     */
    public boolean isFinished(long offset, int leaderEpoch) {
        int index = firstRunEndingAbove(offset);
        return index < runs.size()
                && runs.get(index).start() <= offset
                && runs.get(index).leaderEpoch() == leaderEpoch;
    }

    private int firstRunEndingAbove(long offset) {
        int low = 0;
        int high = runs.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (runs.get(middle).end() > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    List<Run> runs() {
        return runs;
    }

    List<Anchor> anchors() {
        return anchors;
    }

    /** The offset after the last record that is named; the base when none is. */
    long end() {
        return runs.isEmpty() ? base : runs.get(runs.size() - 1).end();
    }

    /** This map with no other runs than some of its own. */
    ResumeMap keeping(List<Run> kept) {
        ResumeMapBuilder builder = new ResumeMapBuilder(base);
        kept.forEach(builder::add);
        anchors.forEach(builder::add);
        return builder.build();
    }

    /** What this map says of the records below an offset. */
    ResumeMap below(long offset) {
        ResumeMapBuilder builder = new ResumeMapBuilder(base);
        for (Run run : runs) {
            builder.add(run.start(), Math.min(run.end(), offset), run.leaderEpoch());
        }
        anchors.forEach(builder::add);
        return builder.build();
    }

    /** What this map and another of the same log say together, for a commit of some offset. */
    ResumeMap union(ResumeMap other, long base) {
        ResumeMapBuilder builder = new ResumeMapBuilder(base);
        int next = 0;
        for (Run run : runs) {
            while (next < other.runs.size() && other.runs.get(next).start() < run.start()) {
                builder.add(other.runs.get(next++));
            }
            builder.add(run);
        }
        other.runs.subList(next, other.runs.size()).forEach(builder::add);
        anchors.forEach(builder::add);
        other.anchors.forEach(builder::add);
        return builder.build();
    }

    private static long checkBase(long base) {
        if (base < 0) {
            throw new IllegalArgumentException(
                    "base is " + base + ": it must be zero or more, the offset that is committed with the map");
        }
        return base;
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof ResumeMap other
                && base == other.base
                && runs.equals(other.runs)
                && anchors.equals(other.anchors);
    }

    @Override
    public int hashCode() {
        return Objects.hash(base, runs, anchors);
    }

    /** The base and the first runs of finished offsets. */
    @Override
    public String toString() {
        int shown = 10;
        StringBuilder text = new StringBuilder("above " + base + ", " + finishedRecords + " finished:");
        for (Run run : runs.subList(0, Math.min(runs.size(), shown))) {
            text.append(' ').append(run.start()).append(run.length() == 1 ? "" : "-" + (run.end() - 1));
        }
        return text.append(runs.size() > shown ? " ..." : "").toString();
    }
}
