package dev.offsets.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Topics whose commits failed while others' may succeed. Each is committed in requests of its own, after a backoff of its
 * own, until one succeeds. For the loop thread.
 */
final class TroubledTopics {
    private final Time time;
    private final Map<String, Backoff> backoffs = new HashMap<>();

    TroubledTopics(Time time) {
        this.time = time;
    }

    boolean isEmpty() {
        return backoffs.isEmpty();
    }

    boolean containsAll(Collection<String> topics) {
        return backoffs.keySet().containsAll(topics);
    }

    boolean contains(String topic) {
        return backoffs.containsKey(topic);
    }

    void failed(Collection<String> topics) {
        topics.forEach(topic ->
                backoffs.computeIfAbsent(topic, name -> new Backoff(time)).failed());
    }

    /** Answers whether any of the topics was troubled until now. */
    boolean succeeded(Collection<String> topics) {
        return backoffs.keySet().removeAll(topics);
    }

    /** Forgets topics of which this consumer owns nothing any more. */
    void retain(Set<String> owned) {
        backoffs.keySet().retainAll(owned);
    }

    /** Of the given topics the one whose backoff ends first; null if none is troubled. */
    String next(Set<String> topics) {
        String next = null;
        for (String topic : new TreeSet<>(topics)) {
            if (contains(topic) && (next == null || nanosLeft(topic) < nanosLeft(next))) {
                next = topic;
            }
        }
        return next;
    }

    long nanosLeft(String topic) {
        return backoffs.get(topic).nanosLeft();
    }
}
