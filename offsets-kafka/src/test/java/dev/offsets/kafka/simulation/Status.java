package dev.offsets.kafka.simulation;

/** What the consumer says of itself agrees with what can be seen. */
final class Status extends Checker {
    @Override
    void turnEnded(SimulatedUser user) {
        user.consumer().status().forEach((partition, status) -> {
            View view = view(user.process(), partition);
            if (view == null || view.over || view.position == View.UNKNOWN) {
                return;
            }
            String said = user.process() + " says of " + partition + " " + status;
            if (status.position() != view.position) {
                violated(said + ": the position is " + view.position);
            }
            if (status.committableOffset() > view.committable()) {
                violated(said + ": committable is " + view.committable());
            }
            if (status.committableOffset() < view.lastCommittable) {
                violated(said + ": committable was " + view.lastCommittable);
            }
            view.lastCommittable = status.committableOffset();
            if (status.incomplete() != view.unfinished()) {
                violated(said + ": unfinished are " + view.unfinished());
            }
            if (status.committedOffset().isPresent()
                    && !view.stored.contains(status.committedOffset().getAsLong())) {
                violated(said + ": it has stored only " + view.stored);
            }
        });
    }
}
