package dev.offsets.kafka.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * What could be observed of a script's run. Partitions are named by what has happened to them, not by their numbers: which
 * of several that are alike goes to whom is nobody's promise.
 */
final class Transcript {
    private record Line(String what, Map<TopicPartition, String> partitions) {}

    private final List<Line> lines = new ArrayList<>();

    void add(String what) {
        add(what, Map.of());
    }

    /** Adds something that concerns partitions, and what it is for each. */
    void add(String what, Map<TopicPartition, String> partitions) {
        lines.add(new Line(what, Map.copyOf(partitions)));
    }

    List<String> lines() {
        Map<TopicPartition, String> names = names();
        return lines.stream()
                .map(line -> line.what + shown(line.partitions, names))
                .toList();
    }

    private static String shown(Map<TopicPartition, String> partitions, Map<TopicPartition, String> names) {
        Map<String, String> named = new TreeMap<>();
        partitions.forEach((partition, detail) -> named.put(names.get(partition), detail));
        return named.entrySet().stream()
                .map(one -> " " + one.getKey() + one.getValue())
                .collect(Collectors.joining(","));
    }

    /** Those with the same history are alike, and in whatever order. */
    private Map<TopicPartition, String> names() {
        Map<TopicPartition, StringBuilder> histories = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            int number = 1_000 + i;
            lines.get(i)
                    .partitions
                    .forEach((partition, detail) -> histories
                            .computeIfAbsent(partition, key -> new StringBuilder())
                            .append(number)
                            .append(detail));
        }
        Function<TopicPartition, String> history = partition -> histories.get(partition) + " " + partition;
        Map<String, TopicPartition> inOrder = new TreeMap<>();
        histories.keySet().forEach(partition -> inOrder.put(history.apply(partition), partition));
        Map<TopicPartition, String> names = new LinkedHashMap<>();
        for (String one : new TreeSet<>(inOrder.keySet())) {
            names.put(inOrder.get(one), String.valueOf((char) ('p' + names.size())));
        }
        return names;
    }
}
