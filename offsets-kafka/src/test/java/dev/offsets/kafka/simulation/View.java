package dev.offsets.kafka.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * What somebody who watches one process from outside knows of one incarnation of a partition: what the client has given
 * to the library, what workers have reported, what was committed.
 */
final class View {
    static final long UNKNOWN = -1;

    /** What the client returned of each offset. */
    final TreeMap<Long, Entry> records = new TreeMap<>();

    /** What it did not hand out, since a resume map names it. */
    final TreeMap<Long, Entry> leftOut = new TreeMap<>();

    final Set<Long> finished = new HashSet<>();
    final List<Commit> unanswered = new ArrayList<>();
    final Set<Long> stored = new HashSet<>();
    /** What was given to a processor. */
    final TreeMap<Long, Delivery> deliveries = new TreeMap<>();

    long position = UNKNOWN;
    Integer epoch;
    boolean epochKnown;
    long highestSent = UNKNOWN;
    long highestStored = UNKNOWN;
    long lastCommittable = UNKNOWN;
    /** Nothing counts any more. */
    boolean over;
    /** About to be given up, or lost already: nothing is started, or committed. */
    boolean leaving;

    boolean lost;
    /** A record has stopped the partition. */
    boolean stopped;
    /** Lower than this, everything is finished. */
    private long committable = UNKNOWN;

    private int passed;

    /** The highest offset that may be committed; unknown while the position is. */
    long committable() {
        Long offset = records.ceilingKey(committable);
        while (offset != null && finished.contains(offset)) {
            committable = offset + 1;
            passed++;
            offset = records.ceilingKey(committable);
        }
        return offset == null ? position : offset;
    }

    /** How many records are in flight or finished ahead. */
    int held() {
        committable();
        return records.size() - passed;
    }

    int unfinished() {
        return records.size() - finished.size();
    }
}
