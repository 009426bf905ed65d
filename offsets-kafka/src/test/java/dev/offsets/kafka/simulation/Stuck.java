package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Where there is a limit, a record in a user's hands for longer ends the poll, and none ends it sooner. */
final class Stuck extends Checker {
    /** Ages are exact to some milliseconds. */
    private static final long SLACK_NANOS = 20 * VirtualTime.MILLI;

    /** What each incarnation has handed out, and when. */
    private final Map<View, Map<Long, Delivery>> handedOut = new HashMap<>();

    /** Since when a poll should not have returned. */
    private final Map<SimulatedUser, Delivery> due = new HashMap<>();

    private final Map<SimulatedUser, Long> pollBegan = new HashMap<>();
    private final Map<Delivery, Long> finished = new HashMap<>();

    @Override
    void handedOut(Delivery delivery) {
        handedOut.computeIfAbsent(delivery.view, key -> new HashMap<>()).put(delivery.entry.offset, delivery);
    }

    @Override
    void reported(Delivery delivery, Receipt receipt, boolean done) {
        if (receipt == Receipt.ACCEPTED) {
            finished.put(delivery, simulation.time.now());
        }
    }

    @Override
    void pollBegins(SimulatedUser user) {
        due.remove(user);
        pollBegan.put(user, simulation.time.now());
        for (Assigned one : user.client().positions.assigned.values()) {
            View view = view(user.process(), one.topicPartition);
            Delivery lowest = view.records.isEmpty() ? null : delivery(view, view.committable());
            if (lowest != null && !lowest.failed && age(lowest) > limit() + SLACK_NANOS) {
                due.put(user, lowest);
            }
        }
    }

    @Override
    void pollReturned(SimulatedUser user) {
        Delivery stuck = due.remove(user);
        if (stuck != null && !stuck.view.over && stuck.accepted == 0) {
            violated(user.process() + " polled on with " + stuck + " incomplete for " + age(stuck) / VirtualTime.MILLI
                    + " ms");
        }
    }

    @Override
    void saidStuck(SimulatedUser user, TopicPartition partition, long offset) {
        Delivery delivery = delivery(view(user.process(), partition), offset);
        // It may finish in the last moment, while the library commits what has
        boolean finishedBefore =
                delivery != null && finished.getOrDefault(delivery, Long.MAX_VALUE) < pollBegan.get(user);
        if (delivery == null || finishedBefore || age(delivery) < limit() - SLACK_NANOS) {
            violated(user.process() + " says that " + partition + "@" + offset + " is stuck, which "
                    + (delivery == null ? "nobody has" : "began " + age(delivery) / VirtualTime.MILLI + " ms ago"));
        }
    }

    private Delivery delivery(View view, long offset) {
        return handedOut.getOrDefault(view, Map.of()).get(offset);
    }

    private long age(Delivery delivery) {
        return simulation.time.now() - delivery.givenAt;
    }

    private long limit() {
        return simulation.settings.stuckLimit == null ? Long.MAX_VALUE / 2 : simulation.settings.stuckLimit.toNanos();
    }
}
