package dev.offsets.examples.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;

/** Partitions on the command line: {@code orders} for all of a topic, {@code orders:0,2} for some. */
final class Partitions {
    private Partitions() {}

    static List<TopicPartition> of(Admin admin, List<String> texts) throws ExecutionException, InterruptedException {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String text : texts) {
            int colon = text.indexOf(':');
            String topic = colon < 0 ? text : text.substring(0, colon);
            IntStream numbers = colon < 0
                    ? IntStream.range(0, partitionsOf(admin, topic))
                    : Arrays.stream(text.substring(colon + 1).split(",")).mapToInt(Integer::parseInt);
            numbers.forEach(number -> partitions.add(new TopicPartition(topic, number)));
        }
        return partitions;
    }

    private static int partitionsOf(Admin admin, String topic) throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(topic))
                .topicNameValues()
                .get(topic)
                .get()
                .partitions()
                .size();
    }
}
