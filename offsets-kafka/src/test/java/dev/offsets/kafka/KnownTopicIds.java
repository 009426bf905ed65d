package dev.offsets.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;

/** Topics' ids for tests: as of the moment of the answer, which comes at once unless it is held. */
final class KnownTopicIds implements TopicIds {
    private static final Uuid FIRST = new Uuid(0x1234_5678_9abc_def0L, 0x0fed_cba9_8765_4321L);

    private final Map<String, Uuid> ids = new HashMap<>(Map.of(Rig.TOPIC, FIRST));
    private final List<Runnable> held = new ArrayList<>();
    private boolean hold;
    private Consumer<Runnable> answerer = Runnable::run;

    /** How often it was asked. */
    int questions;

    /** The topic is deleted and created again. */
    void recreate(String topic) {
        ids.compute(topic, (name, id) -> new Uuid(id.getMostSignificantBits() + 1, id.getLeastSignificantBits()));
    }

    /** The id can't be told from now on. */
    void forget(String topic) {
        ids.remove(topic);
    }

    /** From now on, each answer takes so long. */
    void answersTake(Duration delay, VirtualTime time) {
        answerer = answering -> time.after(delay, answering);
    }

    void holdAnswers() {
        hold = true;
    }

    void releaseAnswers() {
        hold = false;
        held.forEach(Runnable::run);
        held.clear();
    }

    @Override
    public CompletableFuture<Map<String, Uuid>> ask(Set<String> topics) {
        questions++;
        CompletableFuture<Map<String, Uuid>> answer = new CompletableFuture<>();
        Runnable answering = () -> {
            Map<String, Uuid> known = new HashMap<>(ids);
            known.keySet().retainAll(topics);
            answer.complete(known);
        };
        if (hold) {
            held.add(answering);
        } else {
            answerer.accept(answering);
        }
        return answer;
    }
}
