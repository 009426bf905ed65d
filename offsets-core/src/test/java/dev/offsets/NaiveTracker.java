package dev.offsets;

import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What {@link OffsetTracker} promises, in the most obvious way: a sorted map of all that was ever delivered. */
final class NaiveTracker {
    enum State {
        DELIVERED,
        STARTED,
        FINISHED,
        FAILED
    }

    static final class Delivery {
        final OptionalInt leaderEpoch;
        final long trackedAtNanos;
        /** When the first record was tracked since the last advance: no age is finer than that. */
        final long turnBeganNanos;

        State state = State.DELIVERED;

        private Delivery(OptionalInt leaderEpoch, long trackedAtNanos, long turnBeganNanos) {
            this.leaderEpoch = leaderEpoch;
            this.trackedAtNanos = trackedAtNanos;
            this.turnBeganNanos = turnBeganNanos;
        }
    }

    final TreeMap<Long, Delivery> deliveries = new TreeMap<>();
    long position;
    long published;
    long recordsCovered;
    OptionalLong committed = OptionalLong.empty();
    boolean startsRefused;
    boolean ended;
    private OptionalInt positionEpoch = OptionalInt.empty();
    private OptionalLong turnBeganNanos = OptionalLong.empty();

    NaiveTracker(long position) {
        this.position = position;
        this.published = position;
    }

    void track(long offset, OptionalInt leaderEpoch, long nowNanos) {
        turnBeganNanos = OptionalLong.of(turnBeganNanos.orElse(nowNanos));
        deliveries.put(offset, new Delivery(leaderEpoch, nowNanos, turnBeganNanos.getAsLong()));
        position = offset + 1;
        positionEpoch = leaderEpoch;
    }

    void updatePosition(long newPosition, OptionalInt leaderEpoch) {
        if (newPosition > position || leaderEpoch.isPresent()) {
            positionEpoch = leaderEpoch;
        }
        position = newPosition;
    }

    Receipt report(long offset, State outcome) {
        Delivery delivery = deliveries.get(offset);
        if (ended || delivery == null || !isOpen(delivery)) {
            return Receipt.IGNORED;
        }
        delivery.state = outcome;
        return Receipt.ACCEPTED;
    }

    boolean tryStart(long offset) {
        Delivery delivery = deliveries.get(offset);
        if (ended || startsRefused || delivery == null || delivery.state != State.DELIVERED) {
            return false;
        }
        delivery.state = State.STARTED;
        return true;
    }

    Receipt release(long offset) {
        Delivery delivery = deliveries.get(offset);
        if (ended || delivery == null || delivery.state != State.STARTED) {
            return Receipt.IGNORED;
        }
        delivery.state = State.DELIVERED;
        return Receipt.ACCEPTED;
    }

    long advance() {
        turnBeganNanos = OptionalLong.empty();
        if (!ended) {
            published = lowestIncomplete().orElse(position);
            recordsCovered = count(State.FINISHED, Long.MIN_VALUE, published);
        }
        return published;
    }

    CommitPoint commitPoint() {
        long offset = advance();
        if (offset == position) {
            return new CommitPoint(offset, positionEpoch);
        }
        return new CommitPoint(offset, ended ? OptionalInt.empty() : deliveries.get(offset).leaderEpoch);
    }

    void confirmCommit(long offset) {
        if (!ended && offset > committed.orElse(-1)) {
            committed = OptionalLong.of(offset);
        }
    }

    OptionalLong lowestIncomplete() {
        return deliveries.entrySet().stream()
                .filter(entry -> entry.getValue().state != State.FINISHED)
                .mapToLong(entry -> entry.getKey())
                .findFirst();
    }

    long recordsHeld() {
        return ended ? 0 : deliveries.size() - recordsCovered;
    }

    long incomplete() {
        return count(State.DELIVERED) + count(State.STARTED) + count(State.FAILED);
    }

    long count(State state) {
        return count(state, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    long count(State state, long from, long to) {
        return deliveries.subMap(from, to).values().stream()
                .filter(delivery -> delivery.state == state)
                .count();
    }

    private static boolean isOpen(Delivery delivery) {
        return delivery.state == State.DELIVERED || delivery.state == State.STARTED;
    }
}
