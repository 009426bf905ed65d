package dev.offsets.kafka.simulation;

import java.util.List;
import java.util.function.Consumer;

/** All checkers of one run. */
final class Checkers {
    final Views views = new Views();
    private final List<Checker> all = List.of(
            views,
            new NothingLost(),
            new Fence(),
            new CommitOrder(),
            new LeaderEpochs(),
            new Receipts(),
            new Pauses(),
            new Bounds(),
            new Status(),
            new GivenUpCleanly(),
            new Promptness(),
            new Liveness());

    Checkers(Simulation simulation) {
        all.forEach(checker -> checker.simulation = simulation);
    }

    void all(Consumer<Checker> event) {
        for (Checker checker : all) {
            event.accept(checker);
        }
    }
}
