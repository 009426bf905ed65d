package dev.offsets.kafka.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * Of the records that a processor is to work on one after another, it works on one, or one batch, at a time, and not before
 * all older ones have finished: across retries, and across seeks and rebalances as far as what is still being worked on
 * goes. It works on no record twice at once, nor after its outcome, nor before it is due, and not on more than
 * it may.
 */
final class WorkInOrder extends Checker {
    /** What each process works on now: a list for each call of its handler. */
    private final Map<String, List<List<Delivery>>> running = new HashMap<>();

    @Override
    void workBegins(List<Delivery> work) {
        List<List<Delivery>> ofProcess = running.computeIfAbsent(work.get(0).process, key -> new ArrayList<>());
        work.forEach(delivery -> {
            if (delivery.accepted > 0) {
                violated(delivery + " is worked on after its outcome");
            }
            if (delivery.dueAt > simulation.time.now()) {
                violated(delivery + " is tried again too early");
            }
            ofProcess.forEach(other -> checkNotBeside(delivery, other));
            checkAfterOlder(delivery, work);
        });
        if (work.stream().map(one -> one.topicPartition).distinct().count() > 1) {
            violated("one batch is of several partitions: " + work);
        }
        ofProcess.add(work);
        if (ofProcess.size() > processing().maxConcurrency()) {
            violated(work.get(0).process + " works on too much at once: " + ofProcess);
        }
    }

    @Override
    void workEnds(List<Delivery> work) {
        running.get(work.get(0).process).removeIf(one -> one == work);
    }

    @Override
    void crashed(SimulatedClient client) {
        running.remove(client.process);
    }

    private void checkNotBeside(Delivery delivery, List<Delivery> other) {
        Object order = processing().orderOf(delivery.entry);
        for (Delivery one : other) {
            boolean alike = isOf(delivery.topicPartition, order, one);
            if (one == delivery || alike) {
                violated(delivery + " is worked on beside " + one + ", ordered by " + order);
            }
        }
    }

    private void checkAfterOlder(Delivery delivery, List<Delivery> sameWork) {
        Object order = processing().orderOf(delivery.entry);
        for (Delivery older :
                delivery.view.deliveries.headMap(delivery.entry.offset).values()) {
            boolean waits =
                    isOf(delivery.topicPartition, order, older) && !delivery.view.finished.contains(older.entry.offset);
            if (waits && !isBefore(older, delivery, sameWork)) {
                violated(delivery + " is worked on before " + older + ", ordered by " + order);
            }
        }
    }

    private static boolean isBefore(Delivery older, Delivery newer, List<Delivery> work) {
        int place = work.indexOf(older);
        return place >= 0 && place < work.indexOf(newer);
    }

    private boolean isOf(TopicPartition partition, Object order, Delivery other) {
        return order != null
                && other.topicPartition.equals(partition)
                && Objects.equals(order, processing().orderOf(other.entry));
    }

    private Processing processing() {
        return simulation.settings.processing;
    }
}
