package dev.offsets.kafka;

import dev.offsets.Receipt;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Watches what a tracked consumer does to the simulated Kafka, and says which promise it breaks. It keeps books of its
 * own, in the plainest way: which records were delivered in which incarnation, and which of them finished.
 */
final class Promises {
    static final class Broken extends AssertionError {
        private static final long serialVersionUID = 1L;

        Broken(String what) {
            super(what);
        }
    }

    private enum Outcome {
        NONE,
        FINISHED,
        FAILED
    }

    private static final class Incarnation {
        final NavigableMap<Long, Outcome> delivered = new TreeMap<>();
        final Set<Long> handedOut = new HashSet<>();
        long newestSent = -1;

        Long lowestUnfinished() {
            return delivered.entrySet().stream()
                    .filter(record -> record.getValue() != Outcome.FINISHED)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(null);
        }

        long held() {
            Long lowest = lowestUnfinished();
            return lowest == null ? 0 : delivered.tailMap(lowest, true).size();
        }
    }

    /** A record as it was handed out. */
    record Held(TrackedRecord<String, String> record, TopicPartition partition, Object incarnation) {}

    private final SimulatedConsumer kafka;
    private final int bound;
    private final Duration answerWait;
    private final Map<TopicPartition, Incarnation> owned = new HashMap<>();
    private final Set<TopicPartition> pausedByUser = new HashSet<>();
    private final Map<TopicPartition, OptionalLong> positionsAtClose = new HashMap<>();
    private Duration newestAsyncAt = Duration.ZERO;
    private boolean closed;
    private Broken firstBroken;

    Promises(SimulatedConsumer kafka, int bound, Duration answerWait) {
        this.kafka = kafka;
        this.bound = bound;
        this.answerWait = answerWait;
    }

    // ---- What happens ----

    void came(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> owned.put(partition, new Incarnation()));
    }

    void gone(Collection<TopicPartition> partitions) {
        partitions.forEach(owned::remove);
        pausedByUser.removeAll(partitions);
        positionsAtClose.keySet().removeAll(partitions);
    }

    void sought(TopicPartition partition) {
        owned.put(partition, new Incarnation());
    }

    /** Close begins: what it may commit is up to positions that were known by then. */
    void closing() {
        owned.keySet().forEach(partition -> positionsAtClose.put(partition, kafka.knownPosition(partition)));
    }

    /** The library has done all it will; the Kafka consumer closes. */
    void closed() {
        checkStored();
        closed = true;
    }

    void paused(TopicPartition partition) {
        pausedByUser.add(partition);
    }

    void resumed(TopicPartition partition) {
        pausedByUser.remove(partition);
    }

    // ---- What is promised ----

    void sending(SimulatedConsumer.Kind kind, Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (kind == SimulatedConsumer.Kind.ASYNC) {
            boolean tooSoon = kafka.time.elapsed().minus(newestAsyncAt).compareTo(answerWait) < 0;
            check(!(kafka.hasUnansweredCommit() && tooSoon), "a second asynchronous commit in flight: " + offsets);
            newestAsyncAt = kafka.time.elapsed();
        }
        offsets.forEach(this::sending);
    }

    private void sending(TopicPartition partition, OffsetAndMetadata offset) {
        String what = "commit of " + partition + "@" + offset.offset();
        Incarnation incarnation = owned.get(partition);
        check(!closed && incarnation != null, what + ", which is not owned any more");
        Long lowest = incarnation.lowestUnfinished();
        check(lowest == null || offset.offset() <= lowest, what + " passes " + lowest + ", which is unfinished");
        long position = kafka.knownPosition(partition).orElse(-1);
        check(offset.offset() <= position, what + " is above the position " + position);
        check(offset.offset() >= incarnation.newestSent, what + " after " + incarnation.newestSent);
        incarnation.newestSent = offset.offset();
    }

    void polled(ConsumerRecords<String, String> records) {
        for (ConsumerRecord<String, String> record : records) {
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            check(!pausedByUser.contains(partition), partition + " was fetched although the user had paused it");
            owned.get(partition).delivered.put(record.offset(), Outcome.NONE);
        }
    }

    Held handedOut(TrackedRecord<String, String> record) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        Incarnation incarnation = owned.get(partition);
        check(!pausedByUser.contains(partition), record + " was handed out although the user had paused its partition");
        check(incarnation.delivered.containsKey(record.offset()), record + " was handed out and not delivered");
        check(incarnation.handedOut.add(record.offset()), record + " was handed out twice");
        return new Held(record, partition, incarnation);
    }

    void reported(Held held, Receipt receipt, boolean finished) {
        Incarnation incarnation = owned.get(held.partition);
        long offset = held.record.offset();
        boolean first = !closed && incarnation == held.incarnation && incarnation.delivered.get(offset) == Outcome.NONE;
        check(receipt == (first ? Receipt.ACCEPTED : Receipt.IGNORED), "report for " + held.record + " was " + receipt);
        if (first) {
            incarnation.delivered.put(offset, finished ? Outcome.FINISHED : Outcome.FAILED);
        }
    }

    boolean hasFailedRecord() {
        return owned.values().stream().anyMatch(incarnation -> incarnation.delivered.containsValue(Outcome.FAILED));
    }

    /** To be called after each poll that returned. */
    void checkPauses(int mostRecordsOfAPoll) {
        owned.forEach((partition, incarnation) -> {
            boolean paused = kafka.paused().contains(partition);
            check(
                    paused || !pausedByUser.contains(partition),
                    partition + " is not paused, although the user paused it");
            check(
                    !paused || pausedByUser.contains(partition) || incarnation.held() > 0,
                    partition + " is paused with nothing in flight");
            check(
                    incarnation.held() <= bound + mostRecordsOfAPoll,
                    partition + " holds " + incarnation.held() + " records, beyond its bound");
        });
    }

    /** When commits succeed, all that finished without a gap is stored in the end. */
    void checkStored() {
        owned.forEach((partition, incarnation) -> {
            Long lowest = incarnation.lowestUnfinished();
            OptionalLong position = positionsAtClose.getOrDefault(partition, kafka.knownPosition(partition));
            long expected = lowest != null ? lowest : position.orElse(-1);
            OffsetAndMetadata stored = kafka.stored.get(partition);
            check(
                    expected == -1 || stored != null && stored.offset() == expected,
                    partition + ": " + stored + " is stored, " + expected + " could be");
        });
    }

    /** When all was handed out and finished and the log is read to its end. */
    void checkNothingIsLeft(List<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            Incarnation incarnation = owned.get(partition);
            check(
                    incarnation.handedOut.containsAll(incarnation.delivered.keySet()),
                    partition + " has records that were never handed out");
            check(incarnation.lowestUnfinished() == null, partition + " has unfinished records");
            check(
                    kafka.knownPosition(partition).orElse(-1) == kafka.logEnd(partition),
                    partition + " was not read to its end");
        }
    }

    /** What was broken inside a callback may have been kept by others. */
    void throwIfBroken() {
        if (firstBroken != null) {
            throw firstBroken;
        }
    }

    private void check(boolean kept, String otherwise) {
        if (!kept) {
            Broken broken = new Broken(otherwise);
            firstBroken = firstBroken == null ? broken : firstBroken;
            throw broken;
        }
    }
}
