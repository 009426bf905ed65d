package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;

/** The worker pool of one process: takes any time, and reports in any order, late, twice, wrongly or not at all. */
final class Workers {
    private final Simulation simulation;
    private final SimulatedUser user;
    private final SimulatedClient client;
    private final Tampering tampering;
    private final Chance chance;

    Workers(Simulation simulation, SimulatedUser user, SimulatedClient client, Tampering tampering) {
        this.simulation = simulation;
        this.user = user;
        this.client = client;
        this.tampering = tampering;
        this.chance = simulation.chance("workers of " + client.process);
    }

    void give(Delivery delivery) {
        tampering.delivered(delivery);
        long queued = chance.pick(0, 0, chance.between(0, 30)) * VirtualTime.MILLI;
        if (!simulation.settings.explicitStarts) {
            work(delivery);
        } else if (queued == 0) {
            start(delivery);
        } else {
            simulation.time.in(queued, () -> start(delivery));
        }
    }

    private void start(Delivery delivery) {
        if (client.isCrashed()) {
            return;
        }
        boolean started = tampering.tryStart(delivery);
        simulation.checkers.all(checker -> checker.started(delivery, started));
        if (started) {
            work(delivery);
        }
    }

    private void work(Delivery delivery) {
        if (happens(Feature.FORGETFUL_WORKERS, 15)) {
            simulation.trace.add(() -> client.process + "  forgets " + delivery);
            delivery.forgotten = true;
            return;
        }
        long duration = duration();
        if (duration == 0) {
            finish(delivery);
        } else {
            simulation.time.in(duration, () -> finish(delivery));
        }
    }

    private long duration() {
        if (simulation.isCalm()) {
            return chance.pick(0, chance.between(1, 20)) * VirtualTime.MILLI;
        }
        if (happens(Feature.LATE_WORKERS, 60)) {
            return chance.millis(500, 5_000);
        }
        return chance.pick(0, chance.between(1, 20), chance.between(1, 20), chance.between(20, 300))
                * VirtualTime.MILLI;
    }

    private boolean happens(Feature feature, int perMille) {
        return chance.perMille(perMille) && simulation.happens(feature);
    }

    private void finish(Delivery delivery) {
        if (client.isCrashed()) {
            return;
        }
        if (happens(Feature.FAILING_WORKERS, 25)) {
            Receipt receipt = tampering.fail(delivery);
            delivery.failed = receipt == Receipt.ACCEPTED;
            user.failed(delivery);
            report(delivery, receipt, false);
            return;
        }
        delivery.entry.finished = true;
        report(delivery, tampering.complete(delivery), true);
        if (chance.perMille(50)) {
            report(delivery, tampering.complete(delivery), true);
        }
    }

    private void report(Delivery delivery, Receipt receipt, boolean finished) {
        simulation.trace.add(
                () -> client.process + (finished ? "  finishes " : "  fails ") + delivery + ": " + receipt);
        simulation.checkers.all(checker -> checker.reported(delivery, receipt, finished));
    }
}
