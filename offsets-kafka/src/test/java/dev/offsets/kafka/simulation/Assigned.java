package dev.offsets.kafka.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.kafka.common.TopicPartition;

/** What a client holds of one assigned partition. */
final class Assigned {
    static final long UNKNOWN = -1;

    /** An entry as it was when it was fetched. */
    record Fetched(Entry entry, boolean visible) {}

    final TopicPartition topicPartition;
    final Deque<Fetched> buffer = new ArrayDeque<>();
    long position = UNKNOWN;
    Integer epoch;
    boolean paused;

    /** Where the log started when it was last fetched from. */
    long logStart;

    /** Where to reset to, earliest or latest; null when the stored offset is to be used. */
    String reset;

    /** When the answer to what the client has asked the broker is there. */
    long answerAt;

    /** Up to which leader the position is known to be right. */
    int validatedEpoch = -1;

    long noticeDelay;

    Assigned(TopicPartition topicPartition) {
        this.topicPartition = topicPartition;
    }

    void moveTo(long newPosition, Integer newEpoch) {
        position = newPosition;
        epoch = newEpoch;
        validatedEpoch = -1;
        reset = null;
        buffer.clear();
    }

    void resetTo(String where) {
        position = UNKNOWN;
        epoch = null;
        reset = where;
        buffer.clear();
    }
}
