package dev.offsets.kafka.simulation;

import java.util.List;
import java.util.function.Consumer;

/** All checkers of one run. */
final class Checkers {
    final Views views = new Views();
    private final List<Checker> all = List.of(
            views,
            new NothingLost(),
            new LeftOut(),
            new MapsAreTrue(),
            new MapsAreKept(),
            new Fence(),
            new CommitOrder(),
            new LeaderEpochs(),
            new Receipts(),
            new NoLateStart(),
            new WorkInOrder(),
            new Pauses(),
            new Bounds(),
            new Status(),
            new Stuck(),
            new GivenUpCleanly(),
            new Promptness(),
            new Liveness());

    private final boolean on;

    /** @param on whether they look at all: nothing is promised of a client without the library */
    Checkers(Simulation simulation, boolean on) {
        this.on = on;
        all.forEach(checker -> checker.simulation = simulation);
    }

    void all(Consumer<Checker> event) {
        if (!on) {
            return;
        }
        for (Checker checker : all) {
            event.accept(checker);
        }
    }
}
