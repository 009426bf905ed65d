package dev.offsets.kafka.simulation;

import java.util.function.Supplier;

/** Makes a failing scenario simpler as long as the same checker fails: without kinds of trouble, and shorter. */
final class Shrinker {
    private final Supplier<Tampering> tamperings;
    private Outcome simplest;

    private Shrinker(Outcome failed, Supplier<Tampering> tamperings) {
        this.simplest = failed;
        this.tamperings = tamperings;
    }

    /** The simplest scenario found, with its trace. */
    static Outcome shrink(Outcome failed, Supplier<Tampering> tamperings) {
        Shrinker shrinker = new Shrinker(failed, tamperings);
        shrinker.shorten();
        while (shrinker.simplify()) {
            shrinker.shorten();
        }
        return Simulation.run(shrinker.simplest.scenario(), tamperings, true);
    }

    /** Answers whether a kind of trouble could be left out. */
    private boolean simplify() {
        boolean simpler = false;
        for (Feature feature : Feature.values()) {
            if (simplest.scenario().has(feature)) {
                simpler |= stillFails(simplest.scenario().without(feature));
            }
        }
        return simpler;
    }

    private void shorten() {
        long step = simplest.scenario().troubleNanos() / 2;
        while (step > 10 * VirtualTime.MILLI) {
            if (!stillFails(simplest.scenario().lasting(simplest.scenario().troubleNanos() - step))) {
                step /= 2;
            } else {
                step = Math.min(step, simplest.scenario().troubleNanos() / 2);
            }
        }
    }

    private boolean stillFails(Scenario scenario) {
        Outcome outcome = Simulation.run(scenario, tamperings, false);
        boolean fails = outcome.failed()
                && outcome.violation().checker().equals(simplest.violation().checker());
        if (fails) {
            simplest = outcome;
        }
        return fails;
    }
}
