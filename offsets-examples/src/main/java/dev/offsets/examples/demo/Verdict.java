package dev.offsets.examples.demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What became of the records: what the producer says it wrote, against what the workers wrote down and what the broker
 * says is committed. It takes no consumer's word for anything.
 *
 * @param expected how many records were to be processed
 * @param lost those that never were
 * @param lostBehindCommit those of the lost that were committed when the consumer was killed
 * @param beyondSlow records processed again since they stood beyond the slow one, which was not finished
 * @param notYetCommitted records processed again since they were finished, but not committed yet
 * @param againForOtherReason records processed again, though they were committed or by the same process
 * @param aborted records processed although their transaction was aborted
 * @param unknown journal entries that name no record of the producer's
 * @param offsets the broker's answer at the end
 * @param asPlanned whether the consumer went on until it was killed, and then until everything was committed
 */
record Verdict(
        int expected,
        List<Produced> lost,
        int lostBehindCommit,
        int beyondSlow,
        int notYetCommitted,
        int againForOtherReason,
        int aborted,
        int unknown,
        Map<Integer, GroupOffset> offsets,
        boolean asPlanned) {

    /**
     * @param slow the record that was being processed when the consumer was killed
     * @param atKill the broker's answer after the consumer was killed and before it was started again
     * @param atEnd the broker's answer at the end
     * @param asPlanned whether the consumer went on until it was killed, and then until everything was committed
     */
    static Verdict of(
            List<Produced> produced,
            List<Processed> processed,
            Produced slow,
            Map<Integer, GroupOffset> atKill,
            Map<Integer, GroupOffset> atEnd,
            boolean asPlanned) {
        Map<Long, Produced> known = new HashMap<>();
        produced.forEach(record -> known.put(record.id(), record));
        Map<Long, List<Processed>> work = new HashMap<>();
        int unknown = 0;
        for (Processed entry : processed) {
            Produced record = known.get(entry.id());
            if (record == null || record.partition() != entry.partition() || record.offset() != entry.offset()) {
                unknown++;
            } else {
                work.computeIfAbsent(entry.id(), id -> new ArrayList<>(2)).add(entry);
            }
        }

        int expected = 0;
        int aborted = 0;
        int lostBehindCommit = 0;
        int beyondSlow = 0;
        int notYetCommitted = 0;
        int otherReason = 0;
        List<Produced> lost = new ArrayList<>();
        for (Produced record : produced) {
            List<Processed> times = work.getOrDefault(record.id(), List.of());
            boolean readAgain = atKill.get(record.partition()).readsAgain(record.offset());
            if (!record.committed()) {
                aborted += times.isEmpty() ? 0 : 1;
                continue;
            }
            expected++;
            if (times.isEmpty()) {
                lost.add(record);
                lostBehindCommit += readAgain ? 0 : 1;
            } else if (times.size() > 1) {
                boolean onceByEach =
                        times.size() == 2 && times.get(0).run() != times.get(1).run();
                if (!readAgain || !onceByEach) {
                    otherReason++;
                } else if (record.partition() == slow.partition() && record.offset() > slow.offset()) {
                    beyondSlow++;
                } else {
                    notYetCommitted++;
                }
            }
        }
        return new Verdict(
                expected,
                lost,
                lostBehindCommit,
                beyondSlow,
                notYetCommitted,
                otherReason,
                aborted,
                unknown,
                new TreeMap<>(atEnd),
                asPlanned);
    }

    boolean passed() {
        return asPlanned
                && lost.isEmpty()
                && aborted == 0
                && unknown == 0
                && offsets.values().stream().allMatch(GroupOffset::isAtEnd);
    }

    int processedTwice() {
        return beyondSlow + notYetCommitted + againForOtherReason;
    }

    /** The sum of the partitions' lags, or "unknown". */
    String lag() {
        return offsets.values().stream().anyMatch(offset -> offset.lag().isEmpty())
                ? "unknown"
                : "%,d"
                        .formatted(offsets.values().stream()
                                .mapToLong(offset -> offset.lag().getAsLong())
                                .sum());
    }
}
