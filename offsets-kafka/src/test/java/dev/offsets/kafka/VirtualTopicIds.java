package dev.offsets.kafka;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;

/** Lets tests of other packages turn resume maps on, say what topics' ids are, and ask what maps depend on. */
public final class VirtualTopicIds {
    private VirtualTopicIds() {}

    public static <K, V> TrackedConsumerBuilder<K, V> use(
            TrackedConsumerBuilder<K, V> builder, Function<Set<String>, CompletableFuture<Map<String, Uuid>>> ids) {
        return builder.topicIds(ids::apply).resumeMaps();
    }

    /** What the log of a partition is known by in resume maps. */
    public static long logId(Uuid topicId, int partition) {
        return Resumption.logId(topicId, partition);
    }

    /** How long each map may be in a request with so many partitions. */
    public static int mapCharactersEach(int most, int partitions) {
        return new MapRoom(most).charactersEach(partitions);
    }
}
