package dev.offsets;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A topic is read by several owners at a time, each of which resumes from any commit that anybody has ever made: the newest, one
 * that came late, one of a topic that has been deleted since. Meanwhile the log is truncated, compacted, cut at its start and
 * made anew, transactions are aborted, and owners come that see other records, or know less of them.
 *
 * <p>What a map names is compared with what has finished, by log, offset and leader epoch, as soon as the map is made; what is
 * left out, with the very record.
 */
final class ResumeHistory {
    private static final int TURNS = 120;
    private static final int MOST_OWNERS = 3;
    private static final int[] LIMITS = {0, 20, 40, 100, 1_024, 32_000};
    private static final long[] FIRST_OFFSETS = {0, 0, 1L << 40, Long.MAX_VALUE - 10_000};
    private static final int[] FIRST_EPOCHS = {0, 0, 7, Integer.MAX_VALUE - 60};

    /** A record, or a marker or an aborted record, which only some owners see. */
    private record Entry(
            long logId, long offset, int leaderEpoch, long timestampMillis, int size, boolean aborted, int identity) {}

    /** The records of one log that have one leader epoch. */
    private record Stretch(long logId, int leaderEpoch) {}

    private record Commit(long offset, String text, long logId) {}

    final Random random;
    private final UnaryOperator<ResumeMap> change;
    private final List<Commit> commits = new ArrayList<>();
    private final List<Owner> owners = new ArrayList<>();
    /** What a map may name: offsets, counted from where their log begins. */
    private final Map<Stretch, BitSet> mayBeNamed = new HashMap<>();

    private final Map<Long, Long> logStarts = new HashMap<>();
    /** By identity. */
    private final BitSet finished = new BitSet();

    private NavigableMap<Long, Entry> log = new TreeMap<>();
    private long logId;
    private long nextOffset;
    private int leaderEpoch;
    private int identities;

    long leftOut;
    private String violation;

    /** @param change what becomes of a map before it is stored */
    ResumeHistory(long seed, UnaryOperator<ResumeMap> change) {
        this.random = new Random(seed);
        this.change = change;
        beginLog();
    }

    /** Answers what was wrong; null if nothing was. */
    String play() {
        for (int turn = 0; turn < TURNS && violation == null; turn++) {
            append(random.nextInt(40));
            if (chance(12)) {
                changeLog();
            }
            if (owners.size() < MOST_OWNERS && chance(4)) {
                owners.add(new Owner());
            }
            owners.forEach(Owner::takeTurn);
            owners.removeIf(owner -> owner.isGone);
        }
        return violation;
    }

    private boolean chance(int oneOf) {
        return random.nextInt(oneOf) == 0;
    }

    // ---- the log ----

    private void beginLog() {
        log = new TreeMap<>();
        logId++;
        nextOffset = FIRST_OFFSETS[random.nextInt(FIRST_OFFSETS.length)];
        logStarts.put(logId, nextOffset);
        leaderEpoch = FIRST_EPOCHS[random.nextInt(FIRST_EPOCHS.length)];
        append(random.nextInt(300));
    }

    private void append(int count) {
        boolean aborted = chance(6);
        for (int i = 0; i < count && nextOffset < Long.MAX_VALUE - 100; i++) {
            nextOffset += chance(20) ? 1 + random.nextInt(chance(10) ? 40 : 3) : 0;
            // Timestamps and sizes that a record at this offset of another log would have, too.
            log.put(nextOffset, new Entry(logId, nextOffset, leaderEpoch, nextOffset / 7, 100, aborted, identities++));
            nextOffset++;
        }
    }

    private void changeLog() {
        switch (random.nextInt(6)) {
            case 0, 1 -> leaderEpoch += leaderEpoch < Integer.MAX_VALUE ? 1 : 0;
            case 2 -> truncate();
            case 3 -> log.values().removeIf(entry -> chance(4));
            case 4 -> log.headMap(anyOffset(), false).clear();
            default -> {
                if (chance(4)) {
                    beginLog();
                }
            }
        }
    }

    private void truncate() {
        if (log.isEmpty() || leaderEpoch == Integer.MAX_VALUE) {
            return;
        }
        nextOffset = anyOffset();
        log.tailMap(nextOffset, true).clear();
        leaderEpoch++;
        append(random.nextInt(200));
    }

    /** Of a record that there is. */
    private long anyOffset() {
        if (log.isEmpty()) {
            return nextOffset;
        }
        Long at = log.ceilingKey(log.firstKey() + (long) (random.nextDouble() * (log.lastKey() - log.firstKey() + 1)));
        return at == null ? log.lastKey() : at;
    }

    // ---- those who read it ----

    private final class Owner {
        private final long readingLogId = logId;
        private final boolean seesAborted = random.nextBoolean();
        private final boolean takesFingerprints = !chance(5);
        private final int unknownEpochs = chance(3) ? 5 : Integer.MAX_VALUE;
        private final int slowness = 1 + random.nextInt(25);
        private final int mostRecords = 1 + random.nextInt(80);
        private final List<Entry> inFlight = new ArrayList<>();
        private final Set<Entry> trackedWithEpoch = new HashSet<>();
        private OffsetTracker tracker;
        private boolean isGone;

        Owner() {
            if (commits.isEmpty()) {
                tracker = OffsetTracker.startingAt(log.isEmpty() ? nextOffset : log.firstKey());
                return;
            }
            Commit commit = chance(2) ? commits.get(commits.size() - 1) : commits.get(random.nextInt(commits.size()));
            if (commit.offset() > nextOffset) {
                tracker = OffsetTracker.startingAt(anyOffset()); // out of range
                return;
            }
            ResumeMap map =
                    ResumeMap.decode(commit.text(), logId, commit.offset()).map();
            tracker = OffsetTracker.resumingAt(map, () -> 0);
            if (chance(2)) {
                tracker.updatePosition(commit.offset(), leaderEpoch);
            }
        }

        void takeTurn() {
            if (chance(40)) {
                isGone = true;
                return;
            }
            if (chance(60)) {
                goOnAt(anyOffset());
            }
            if (tracker.position() > nextOffset) {
                goOnAt(anyOffset()); // truncated below, or made anew: the position moves back
            }
            if (readingLogId != logId || chance(80)) {
                tracker.distrustResumeMap();
            }
            poll();
            work();
            if (chance(3)) {
                commit();
            }
        }

        private void goOnAt(long offset) {
            tracker.end();
            inFlight.forEach(entry -> {
                if (tracker.complete(entry.offset()) != Receipt.IGNORED) {
                    violation = entry + " could be finished after its incarnation's end";
                }
            });
            inFlight.clear();
            trackedWithEpoch.clear();
            tracker = OffsetTracker.startingAt(offset);
        }

        private void poll() {
            int records = random.nextInt(mostRecords);
            for (Entry entry : log.tailMap(tracker.position(), true).values()) {
                if (records-- == 0) {
                    return;
                }
                if (!entry.aborted() || seesAborted) {
                    read(entry);
                }
            }
            if (nextOffset > tracker.position()) {
                if (chance(2)) {
                    tracker.updatePosition(nextOffset, leaderEpoch);
                } else {
                    tracker.updatePosition(nextOffset);
                }
            }
        }

        private void read(Entry entry) {
            if (chance(unknownEpochs)) {
                tracker.track(entry.offset());
                inFlight.add(entry);
                return;
            }
            boolean handedOut = takesFingerprints
                    ? tracker.track(entry.offset(), entry.leaderEpoch(), entry.timestampMillis(), entry.size())
                    : tracker.track(entry.offset(), entry.leaderEpoch());
            if (handedOut) {
                inFlight.add(entry);
                trackedWithEpoch.add(entry);
            } else {
                leftOut++;
                if (!finished.get(entry.identity())) {
                    violation = entry + " was left out, though never finished";
                }
            }
        }

        private void work() {
            inFlight.removeIf(entry -> chance(slowness) && report(entry));
        }

        private boolean report(Entry entry) {
            switch (random.nextInt(12)) {
                case 0 -> {
                    tracker.fail(entry.offset());
                    return false; // incomplete for good
                }
                case 1 -> tracker.tryStart(entry.offset());
                case 2 -> tracker.release(entry.offset());
                default -> {
                    if (tracker.complete(entry.offset()) == Receipt.ACCEPTED) {
                        finished.set(entry.identity());
                        if (trackedWithEpoch.remove(entry)) {
                            mayBeNamed(entry.logId(), entry.leaderEpoch()).set(index(entry.logId(), entry.offset()));
                        }
                        return true;
                    }
                }
            }
            return false;
        }

        private void commit() {
            CommitPoint point = tracker.commitPoint();
            for (Entry entry : inFlight) {
                if (entry.offset() < point.offset()) {
                    violation = entry + " is in flight, below " + point;
                }
            }
            if (chance(3)) {
                work(); // finishes between the point and the map
            }
            if (chance(5)) {
                tracker.advance();
            }
            // Of what was read after the log was made anew nothing is shown.
            long shownBelow = readingLogId == logId && !chance(6) ? Long.MAX_VALUE : 0;
            ResumeMap map = change.apply(tracker.resumeMap(point, shownBelow));
            check(map);
            int limit = LIMITS[random.nextInt(LIMITS.length)];
            EncodedResumeMap encoded = map.encode(readingLogId, limit);
            if (encoded.text().length() > limit) {
                violation = "a text of " + encoded.text().length() + " characters, of " + limit;
            }
            ResumeMap stored = ResumeMap.decode(encoded.text(), readingLogId, point.offset())
                    .map();
            check(stored);
            if (stored.finishedRecords() != encoded.finishedRecords()) {
                violation = "the text tells of " + stored + ", not of " + encoded.finishedRecords();
            }
            commits.add(new Commit(point.offset(), encoded.text(), readingLogId));
        }

        private BitSet mayBeNamed(long logId, int leaderEpoch) {
            return mayBeNamed.computeIfAbsent(new Stretch(logId, leaderEpoch), stretch -> new BitSet());
        }

        private int index(long logId, long offset) {
            return (int) (offset - logStarts.get(logId));
        }

        private void check(ResumeMap map) {
            for (ResumeMap.Run run : map.runs()) {
                int firstNotToBeNamed =
                        mayBeNamed(readingLogId, run.leaderEpoch()).nextClearBit(index(readingLogId, run.start()));
                if (run.start() < map.base() || firstNotToBeNamed < index(readingLogId, run.end())) {
                    violation =
                            "a map of log " + readingLogId + " names " + run + ", not all of which finished: " + map;
                }
            }
        }
    }
}
