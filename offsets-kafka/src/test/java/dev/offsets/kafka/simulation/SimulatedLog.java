package dev.offsets.kafka.simulation;

import dev.offsets.kafka.simulation.Entry.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** The log of one partition, as its leader has it. */
final class SimulatedLog {
    final TopicPartition topicPartition;
    private final List<Entry> entries = new ArrayList<>();
    private final TreeMap<Integer, Long> epochStarts = new TreeMap<>();
    private final VirtualTime time;
    private long start;
    private long firstOpen = Long.MAX_VALUE;
    private long epochChangedAt;
    private boolean missing;
    private boolean denied;
    private long highestEnd;

    /** What is appended below this offset, a consumer can't be blamed for missing. */
    private long excusedBelow;

    private String excuse;
    private Uuid topicId;

    SimulatedLog(TopicPartition topicPartition, VirtualTime time) {
        this.topicPartition = topicPartition;
        this.time = time;
        epochStarts.put(0, 0L);
        topicId = new Uuid(topicPartition.topic().hashCode(), 1);
    }

    /** Another one each time that the topic is created. */
    Uuid topicId() {
        return topicId;
    }

    long start() {
        return start;
    }

    long end() {
        return entries.size();
    }

    /** How far a consumer may read: to the first open transaction if it reads what is committed. */
    long readableEnd(boolean readCommitted) {
        return readCommitted ? Math.min(firstOpen, end()) : end();
    }

    Entry entry(long offset) {
        return entries.get((int) offset);
    }

    /** Whether this very entry is still there. */
    boolean holds(Entry entry) {
        return entry.offset < end() && entry(entry.offset) == entry;
    }

    int epoch() {
        return epochStarts.lastKey();
    }

    /** The epoch of the entry at an offset, or the present one at the end. */
    int epochAt(long offset) {
        return offset < end() ? entry(offset).epoch : epoch();
    }

    /** The newest epoch up to a given one that the log knows. */
    int epochUpTo(int epoch) {
        Integer known = epochStarts.floorKey(epoch);
        return known == null ? epoch : known;
    }

    /** When clients could first hear of the present leader. */
    long epochChangedAt() {
        return epochChangedAt;
    }

    boolean isMissing() {
        return missing;
    }

    /** Whether its offsets may not be committed now. */
    boolean isDenied() {
        return denied;
    }

    void deny(boolean isDenied) {
        denied = isDenied;
    }

    void append(Kind kind) {
        Entry entry = new Entry(end(), epoch(), kind);
        if (entry.offset < excusedBelow) {
            entry.excuse(excuse);
        }
        entries.add(entry);
        highestEnd = Math.max(highestEnd, end());
        if (kind == Kind.OPEN) {
            firstOpen = Math.min(firstOpen, entry.offset);
        }
    }

    void endTransaction(boolean commit) {
        for (long offset = start; offset < end(); offset++) {
            if (entry(offset).kind == Kind.OPEN) {
                entry(offset).kind = commit ? Kind.RECORD : Kind.ABORTED;
            }
        }
        firstOpen = Long.MAX_VALUE;
        append(Kind.MARKER);
    }

    boolean hasOpenTransaction() {
        return firstOpen != Long.MAX_VALUE;
    }

    void remove(long offset) {
        if (offset >= start && offset < end() - 1 && entry(offset).kind == Kind.RECORD) {
            entry(offset).kind = Kind.REMOVED;
        }
    }

    void deleteBelow(long offset) {
        start = Math.max(start, Math.min(offset, readableEnd(true)));
    }

    /** A new leader takes over that has the log only up to an offset. */
    void electLeader(long keptEnd) {
        int newEpoch = epoch() + 1;
        while (end() > Math.max(start, keptEnd)) {
            entries.remove(entries.size() - 1);
        }
        if (firstOpen >= end()) {
            firstOpen = Long.MAX_VALUE;
        }
        epochChangedAt = time.now();
        epochStarts.values().removeIf(epochStart -> epochStart >= end());
        epochStarts.put(newEpoch, end());
    }

    /** Nobody has to finish what stands below an offset now. */
    void excuseAllBelow(long offset, String why) {
        for (long i = start; i < Math.min(offset, end()); i++) {
            entry(i).excuse(why);
        }
    }

    /** Nobody has to finish what will be appended below an offset. */
    void excuseBelow(long offset, String why) {
        if (offset > excusedBelow) {
            excusedBelow = offset;
            excuse = why;
        }
    }

    /**
     * Somebody goes on from an offset without knowing its leader epoch: if the log is truncated, Kafka does not tell.
     *
     * @param epoch what the client knows and has no way to say; null if it does not know it either
     */
    void readWithoutEpoch(long offset, Integer epoch) {
        String why = "at an offset that was read up to without a leader epoch";
        excuseBelow(offset, why);
        for (long i = resumePoint(offset, Optional.ofNullable(epoch)); i < Math.min(offset, end()); i++) {
            entry(i).excuse(why);
        }
    }

    void delete() {
        excuseBelow(highestEnd, "at an offset that the topic had before it was deleted");
        missing = true;
    }

    void create() {
        missing = false;
        topicId = new Uuid(topicId.getMostSignificantBits(), topicId.getLeastSignificantBits() + 1);
        epochChangedAt = time.now();
        entries.clear();
        start = 0;
        firstOpen = Long.MAX_VALUE;
        epochStarts.clear();
        epochStarts.put(0, 0L);
    }

    /** Where what an epoch wrote ends; empty for an epoch that is newer than the log. */
    OptionalLong endOfEpoch(int epoch) {
        if (epoch > epoch()) {
            return OptionalLong.empty();
        }
        Map.Entry<Integer, Long> next = epochStarts.higherEntry(epoch);
        return OptionalLong.of(next == null ? end() : next.getValue());
    }

    /** Where a consumer that starts from a stored offset really starts, where the leader epoch shows a truncation. */
    long resumePoint(long offset, Optional<Integer> leaderEpoch) {
        if (leaderEpoch.isEmpty()) {
            return offset;
        }
        return Math.min(offset, endOfEpoch(leaderEpoch.get()).orElse(offset));
    }
}
