package dev.offsets.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Uuid;

/**
 * Asks which topics stand behind names now. A topic that is deleted and created again has another id (KIP-516), and no id is
 * ever given twice.
 */
interface TopicIds {
    /**
     * Does not block. The answer comes on any thread and never fails: topics whose ids can't be told are missing from it.
     */
    CompletableFuture<Map<String, Uuid>> ask(Set<String> topics);

    static TopicIds of(Admin admin) {
        return topics -> {
            Map<String, Uuid> ids = new HashMap<>();
            try {
                DescribeTopicsOptions options = new DescribeTopicsOptions().timeoutMs(LogLookUp.TIMEOUT_MILLIS);
                DescribeTopicsResult result = admin.describeTopics((Collection<String>) topics, options);
                CompletableFuture<?>[] all = result.topicNameValues().values().stream()
                        .map(each -> each.toCompletionStage()
                                .thenAccept(topic -> note(topic, ids))
                                .toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new);
                return CompletableFuture.allOf(all).handle((nothing, failure) -> ids(ids));
            } catch (RuntimeException e) {
                // An Admin that has been closed, for one.
                return CompletableFuture.completedFuture(Map.of());
            }
        };
    }

    private static void note(TopicDescription topic, Map<String, Uuid> ids) {
        // A broker from before there were ids says zero.
        if (!Uuid.ZERO_UUID.equals(topic.topicId())) {
            synchronized (ids) {
                ids.put(topic.name(), topic.topicId());
            }
        }
    }

    private static Map<String, Uuid> ids(Map<String, Uuid> ids) {
        synchronized (ids) {
            return Map.copyOf(ids);
        }
    }
}
