package dev.offsets.kafka.simulation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.Uuid;

/** Tells one process which ids topics have: as of some moment between the question and the answer, which may not come. */
final class SimulatedTopicIds {
    private final Simulation simulation;
    private final Chance chance;

    SimulatedTopicIds(Simulation simulation, String process) {
        this.simulation = simulation;
        this.chance = simulation.chance("topic ids for " + process);
    }

    CompletableFuture<Map<String, Uuid>> ask(Set<String> topics) {
        CompletableFuture<Map<String, Uuid>> answer = new CompletableFuture<>();
        boolean trouble = chance.perMille(150) && simulation.happens(Feature.TOPIC_ID_TROUBLE);
        if (trouble && chance.perMille(300)) {
            return answer;
        }
        long most = trouble ? 1_500 : 8;
        simulation.time.in(chance.millis(0, most), () -> {
            Map<String, Uuid> ids = present(topics);
            simulation.time.in(chance.millis(0, most), () -> answer.complete(ids));
            replaceSoon(topics);
        });
        return answer;
    }

    /** The worst moment: what was told is no longer so. */
    private void replaceSoon(Set<String> topics) {
        if (chance.perMille(30) && simulation.happens(Feature.RECREATION)) {
            topics.forEach(topic -> simulation.time.in(chance.millis(0, 30), () -> simulation.replace(topic)));
        }
    }

    private Map<String, Uuid> present(Set<String> topics) {
        Map<String, Uuid> ids = new LinkedHashMap<>();
        for (SimulatedLog log : simulation.logs()) {
            if (topics.contains(log.topicPartition.topic()) && !log.isMissing()) {
                ids.put(log.topicPartition.topic(), log.topicId());
            }
        }
        return ids;
    }
}
