package dev.offsets.kafka.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** What happened in a run, with virtual times. Off unless somebody is going to read it. */
final class Trace {
    private final List<String> lines = new ArrayList<>();
    private final boolean on;
    private VirtualTime time;

    Trace(boolean on) {
        this.on = on;
    }

    void useTime(VirtualTime time) {
        this.time = time;
    }

    void add(Supplier<String> line) {
        if (on) {
            lines.add(String.format("%10.3f ms  %s", (time.now() - VirtualTime.SECOND) / 1e6, line.get()));
        }
    }

    List<String> lines() {
        return lines;
    }

    static String answer(Throwable failure) {
        return failure == null ? "confirmed" : failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }

    static String show(OffsetAndMetadata offset) {
        return offset == null
                ? "nothing"
                : offset.offset()
                        + offset.leaderEpoch().map(epoch -> "/" + epoch).orElse("/-");
    }

    static String show(Map<TopicPartition, OffsetAndMetadata> offsets) {
        StringBuilder text = new StringBuilder();
        offsets.forEach((partition, offset) -> text.append(text.isEmpty() ? "" : ", ")
                .append(partition)
                .append(' ')
                .append(show(offset)));
        return text.toString();
    }
}
