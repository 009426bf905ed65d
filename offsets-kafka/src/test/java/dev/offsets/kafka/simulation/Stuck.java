package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Where there is a limit, a record that holds others back for longer ends the poll, and none ends it sooner. */
final class Stuck extends Checker {
    /** Ages are exact to some milliseconds. */
    private static final long SLACK_NANOS = 20 * VirtualTime.MILLI;

    /** What each incarnation has handed out, and when. */
    private final Map<View, Map<Long, Delivery>> handedOut = new HashMap<>();

    /** Since when a poll should not have returned. */
    private final Map<SimulatedUser, Delivery> due = new HashMap<>();

    /** The lowest incomplete offset of each incarnation, and since when it is that. */
    private final Map<View, Lowest> lowest = new HashMap<>();

    /** The same, as of polls that have returned: the library can't have noticed later. */
    private final Map<View, Lowest> noticed = new HashMap<>();

    /** What was lowest when a poll began: if it returns, the library has noticed. */
    private final Map<View, Long> lowestAtPoll = new HashMap<>();

    private record Lowest(long offset, long sinceNanos) {}

    private final Map<SimulatedUser, Long> pollBegan = new HashMap<>();
    private final Map<Delivery, Long> finished = new HashMap<>();

    @Override
    void handedOut(Delivery delivery) {
        handedOut.computeIfAbsent(delivery.view, key -> new HashMap<>()).put(delivery.entry.offset, delivery);
        lowest(delivery.view, lowest);
    }

    @Override
    void reported(Delivery delivery, Receipt receipt, boolean done) {
        if (receipt == Receipt.ACCEPTED) {
            finished.put(delivery, simulation.time.now());
            lowest(delivery.view, lowest);
        }
    }

    @Override
    void pollBegins(SimulatedUser user) {
        due.remove(user);
        pollBegan.put(user, simulation.time.now());
        for (Assigned one : user.client().positions.assigned.values()) {
            View view = view(user.process(), one.topicPartition);
            if (view.records.isEmpty()) {
                continue;
            }
            lowestAtPoll.put(view, view.committable());
            Lowest known = noticed.get(view);
            if (known == null || known.offset != view.committable()) {
                continue;
            }
            Delivery delivery = delivery(view, known.offset);
            if (delivery != null && !delivery.failed && heldBack(delivery, known) > limit() + SLACK_NANOS) {
                due.put(user, delivery);
            }
        }
    }

    @Override
    void pollReturned(SimulatedUser user) {
        for (Assigned one : user.client().positions.assigned.values()) {
            View view = view(user.process(), one.topicPartition);
            Long offset = lowestAtPoll.get(view);
            if (offset != null) {
                noticed.merge(
                        view,
                        new Lowest(offset, simulation.time.now()),
                        (known, now) -> known.offset == offset ? known : now);
            }
        }
        Delivery stuck = due.remove(user);
        if (stuck != null && !stuck.view.over && !stuck.view.stopped && stuck.accepted == 0) {
            violated(user.process() + " polled on with " + stuck + ", handed out " + age(stuck) / VirtualTime.MILLI
                    + " ms ago, stuck");
        }
    }

    @Override
    void saidStuck(SimulatedUser user, TopicPartition partition, long offset) {
        Delivery delivery = delivery(view(user.process(), partition), offset);
        // It may finish in the last moment, while the library commits what has
        boolean finishedBefore =
                delivery != null && finished.getOrDefault(delivery, Long.MAX_VALUE) < pollBegan.get(user);
        if (delivery == null || finishedBefore) {
            violated(user.process() + " says that " + partition + "@" + offset + " is stuck, which nobody has");
            return;
        }
        long heldBack =
                finished.containsKey(delivery) ? age(delivery) : heldBack(delivery, lowest(delivery.view, lowest));
        if (heldBack < limit() - SLACK_NANOS) {
            violated(user.process() + " says that " + delivery + " is stuck, which has held others back for "
                    + heldBack / VirtualTime.MILLI + " ms");
        }
    }

    private Lowest lowest(View view, Map<View, Lowest> known) {
        long offset = view.committable();
        Lowest before = known.get(view);
        if (before == null || before.offset != offset) {
            known.put(view, new Lowest(offset, simulation.time.now()));
        }
        return known.get(view);
    }

    private long heldBack(Delivery delivery, Lowest since) {
        return Math.min(age(delivery), simulation.time.now() - since.sinceNanos);
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
