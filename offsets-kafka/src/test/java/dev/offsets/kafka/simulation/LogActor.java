package dev.offsets.kafka.simulation;

import dev.offsets.kafka.simulation.Entry.Kind;
import java.util.ArrayList;
import java.util.List;

/** Writes to the logs of one topic, and does to them what happens to logs. */
final class LogActor {
    private final Simulation simulation;
    private final List<SimulatedLog> logs = new ArrayList<>();
    private final Chance chance;

    LogActor(Simulation simulation, String topic) {
        this.simulation = simulation;
        this.chance = simulation.chance("producer of " + topic);
        simulation.logs().stream()
                .filter(log -> log.topicPartition.topic().equals(topic))
                .forEach(logs::add);
        next();
    }

    private void next() {
        simulation.time.in(chance.millis(5, 120), () -> {
            if (!simulation.isCalm()) {
                act(chance.pick(logs));
                next();
            }
        });
    }

    private void act(SimulatedLog log) {
        if (log.isMissing()) {
            return;
        }
        append(log, chance.between(0, 6), Kind.RECORD);
        if (happens(Feature.TRANSACTIONS, 300)) {
            if (log.hasOpenTransaction()) {
                boolean commit = chance.perMille(500);
                log.endTransaction(commit);
                simulation.trace.add(
                        () -> "  " + log.topicPartition + (commit ? " commits" : " aborts") + ", ends at " + log.end());
            } else {
                append(log, chance.between(1, 5), Kind.OPEN);
            }
        }
        if (happens(Feature.COMPACTION, 100)) {
            long from = chance.nanos(log.start(), log.end());
            for (long offset = from; offset < from + 8; offset++) {
                if (chance.perMille(600)) {
                    log.remove(offset);
                }
            }
        }
        if (happens(Feature.LEADER_CHANGE, 50)) {
            electLeader(log, log.end());
        }
        if (happens(Feature.TRUNCATION, 30)) {
            electLeader(log, Math.max(log.start(), log.end() - chance.between(1, 12)));
        }
        if (happens(Feature.RETENTION, 30)) {
            log.deleteBelow(chance.nanos(log.start(), log.end()));
            simulation.trace.add(() -> "  " + log.topicPartition + " starts at " + log.start());
        }
        if (happens(Feature.DENIED_TOPIC, 15)) {
            deny();
        }
        if (happens(Feature.RECREATION, 6)) {
            recreate();
        }
    }

    private boolean happens(Feature feature, int perMille) {
        return chance.perMille(perMille) && simulation.happens(feature);
    }

    private void append(SimulatedLog log, int count, Kind kind) {
        for (int i = 0; i < count; i++) {
            log.append(kind);
        }
        if (count > 0) {
            simulation.trace.add(
                    () -> "  " + log.topicPartition + " gets " + count + " " + kind + ", ends at " + log.end());
        }
    }

    private void electLeader(SimulatedLog log, long keptEnd) {
        log.electLeader(keptEnd);
        simulation.trace.add(
                () -> "  " + log.topicPartition + " has leader epoch " + log.epoch() + " from " + log.end());
        simulation.checkers.all(checker -> checker.logChanged(log));
    }

    /** An unclean election: what is above an offset is lost, and as many other records take its place. */
    void rewriteFrom(SimulatedLog log, long offset) {
        long lost = log.end() - offset;
        if (!log.isMissing() && lost > 0) {
            electLeader(log, offset);
            append(log, (int) lost, Kind.RECORD);
        }
    }

    private void deny() {
        simulation.trace.add(() -> "  " + logs.get(0).topicPartition.topic() + " is denied");
        logs.forEach(log -> log.deny(true));
        simulation.time.in(chance.millis(50, 3_000), () -> {
            simulation.trace.add(() -> "  " + logs.get(0).topicPartition.topic() + " is allowed");
            logs.forEach(log -> log.deny(false));
        });
    }

    /** The topic is made anew, and gets so many records at once that who reads on does not notice. */
    void replace() {
        if (logs.get(0).isMissing()) {
            return;
        }
        simulation.trace.add(() -> "  " + logs.get(0).topicPartition.topic() + " is replaced");
        for (SimulatedLog log : logs) {
            long end = log.end();
            log.delete();
            simulation.group.forget(log.topicPartition);
            log.create();
            append(log, (int) end + chance.between(0, 20), Kind.RECORD);
        }
    }

    private void recreate() {
        simulation.trace.add(() -> "  " + logs.get(0).topicPartition.topic() + " is deleted");
        for (SimulatedLog log : logs) {
            log.delete();
            simulation.group.forget(log.topicPartition);
        }
        simulation.time.in(chance.millis(0, 1_500), () -> {
            simulation.trace.add(() -> "  " + logs.get(0).topicPartition.topic() + " is created");
            logs.forEach(SimulatedLog::create);
        });
    }
}
