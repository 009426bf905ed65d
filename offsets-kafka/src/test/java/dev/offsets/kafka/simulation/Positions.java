package dev.offsets.kafka.simulation;

import dev.offsets.kafka.simulation.Assigned.Fetched;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Where a client stands in each assigned partition, and what it has fetched ahead. */
final class Positions {
    final Map<TopicPartition, Assigned> assigned = new LinkedHashMap<>();
    private final Simulation simulation;
    private final Settings settings;
    private final VirtualTime time;
    private final Chance chance;

    Positions(Simulation simulation, Chance chance) {
        this.simulation = simulation;
        this.settings = simulation.settings;
        this.time = simulation.time;
        this.chance = chance;
    }

    void add(TopicPartition topicPartition) {
        Assigned one = new Assigned(topicPartition);
        one.noticeDelay = chance.millis(0, 100);
        ask(one);
        assigned.put(topicPartition, one);
    }

    void ask(Assigned one) {
        one.answerAt = time.now() + chance.millis(0, 8);
    }

    /** Moves on with what the client needs to know before it can fetch. Throws what the real client throws. */
    void update() {
        for (Assigned one : assigned.values()) {
            SimulatedLog log = simulation.log(one.topicPartition);
            if (log.isMissing() || time.now() < one.answerAt) {
                continue;
            }
            if (one.position == Assigned.UNKNOWN) {
                find(one, log);
            } else if (one.validatedEpoch != log.epoch() && time.now() >= log.epochChangedAt() + one.noticeDelay) {
                validate(one, log);
            } else if (one.buffer.isEmpty() && (one.position < log.start() || one.position > log.end())) {
                resetOr(one, new OffsetOutOfRangeException(Map.of(one.topicPartition, one.position)));
            }
        }
    }

    private void find(Assigned one, SimulatedLog log) {
        if (one.reset != null) {
            boolean toEnd = one.reset.equals("latest");
            long offset = toEnd ? log.readableEnd(settings.readCommitted) : log.start();
            if (toEnd) {
                log.excuseAllBelow(offset, "reset to the end");
            }
            one.moveTo(offset, log.epochAt(offset));
            return;
        }
        OffsetAndMetadata stored = simulation.group.stored(one.topicPartition);
        if (stored == null) {
            resetOr(one, new NoOffsetForPartitionException(one.topicPartition));
        } else {
            moveTo(one, stored);
        }
    }

    void moveTo(Assigned one, OffsetAndMetadata offset) {
        one.moveTo(offset.offset(), offset.leaderEpoch().orElse(null));
    }

    private void validate(Assigned one, SimulatedLog log) {
        if (one.epoch != null) {
            OptionalLong end = log.endOfEpoch(one.epoch);
            if (end.isEmpty()) {
                resetOr(one, truncated(one, one.position));
                return;
            }
            if (end.getAsLong() < one.position) {
                if (settings.resetPolicy.equals("none")) {
                    throw truncated(one, end.getAsLong());
                }
                simulation.trace.add(
                        () -> "  truncated: " + one.topicPartition + " from " + one.position + " to " + end);
                one.moveTo(end.getAsLong(), log.epochUpTo(one.epoch));
            }
        }
        one.validatedEpoch = log.epoch();
        one.buffer.clear(); // a partition that is being validated gives nothing of what was fetched before
    }

    private static LogTruncationException truncated(Assigned one, long end) {
        return new LogTruncationException(
                Map.of(one.topicPartition, one.position), Map.of(one.topicPartition, new OffsetAndMetadata(end)));
    }

    private void resetOr(Assigned one, RuntimeException otherwise) {
        if (settings.resetPolicy.equals("none")) {
            throw otherwise;
        }
        simulation.trace.add(() -> "  reset " + one.topicPartition + " at " + one.position);
        one.resetTo(settings.resetPolicy);
        ask(one);
    }

    private boolean canFetch(Assigned one) {
        SimulatedLog log = simulation.log(one.topicPartition);
        return one.position != Assigned.UNKNOWN
                && one.validatedEpoch == log.epoch()
                && one.buffer.isEmpty()
                && !one.paused
                && !log.isMissing()
                && one.position >= log.start()
                && one.position < log.readableEnd(settings.readCommitted);
    }

    private void fetch(Assigned one) {
        SimulatedLog log = simulation.log(one.topicPartition);
        long end = Math.min(log.readableEnd(settings.readCommitted), one.position + chance.between(1, 20));
        for (long offset = one.position; offset < end; offset++) {
            Entry entry = log.entry(offset);
            one.buffer.add(new Fetched(entry, entry.isVisible(settings.readCommitted)));
        }
        one.logStart = log.start();
        one.answerAt = time.now() + chance.millis(0, 5);
    }

    /** When there may be something to do, other than by what happens meanwhile. */
    long nextMoment() {
        long next = Long.MAX_VALUE;
        for (Assigned one : assigned.values()) {
            SimulatedLog log = simulation.log(one.topicPartition);
            if (log.isMissing()) {
                continue;
            }
            if (one.position == Assigned.UNKNOWN || canFetch(one)) {
                next = Math.min(next, one.answerAt);
            } else if (one.validatedEpoch != log.epoch()) {
                next = Math.min(next, Math.max(one.answerAt, log.epochChangedAt() + one.noticeDelay));
            }
        }
        return next;
    }

    /** What a poll returns; null when it has nothing to return, not even a position that has moved. */
    ConsumerRecords<Long, Entry> collect() {
        Map<TopicPartition, List<ConsumerRecord<Long, Entry>>> records = new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> nextOffsets = new LinkedHashMap<>();
        int left = settings.maxPollRecords;
        for (Assigned one : inTurn()) {
            if (canFetch(one) && time.now() >= one.answerAt) {
                fetch(one);
            }
            if (one.paused || one.buffer.isEmpty() || left == 0) {
                continue;
            }
            List<ConsumerRecord<Long, Entry>> taken = take(one, left);
            left -= taken.size();
            if (!taken.isEmpty()) {
                records.put(one.topicPartition, taken);
            }
            nextOffsets.put(
                    one.topicPartition, new OffsetAndMetadata(one.position, Optional.ofNullable(one.epoch), ""));
        }
        return nextOffsets.isEmpty() ? null : new ConsumerRecords<>(records, nextOffsets);
    }

    private List<Assigned> inTurn() {
        List<Assigned> inTurn = new ArrayList<>(assigned.values());
        java.util.Collections.rotate(inTurn, chance.between(0, 3));
        return inTurn;
    }

    private List<ConsumerRecord<Long, Entry>> take(Assigned one, int most) {
        List<ConsumerRecord<Long, Entry>> taken = new ArrayList<>();
        while (!one.buffer.isEmpty() && taken.size() < most) {
            Fetched fetched = one.buffer.poll();
            Entry entry = fetched.entry();
            one.position = entry.offset + 1;
            one.epoch = entry.epoch;
            if (fetched.visible()) {
                taken.add(record(one.topicPartition, entry));
            }
        }
        return taken;
    }

    private static ConsumerRecord<Long, Entry> record(TopicPartition topicPartition, Entry entry) {
        return new ConsumerRecord<>(
                topicPartition.topic(),
                topicPartition.partition(),
                entry.offset,
                0,
                TimestampType.CREATE_TIME,
                8,
                8,
                entry.key(),
                entry,
                new RecordHeaders(),
                Optional.of(entry.epoch));
    }
}
