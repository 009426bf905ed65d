package dev.offsets.kafka.simulation;

import java.util.EnumSet;
import java.util.Set;

/**
 * What one run is made of: a seed, the kinds of trouble that may happen, and for how long. The seed alone decides all
 * three; a shrunk scenario has fewer kinds or less time.
 */
record Scenario(long seed, Set<Feature> features, long troubleNanos) {
    static Scenario of(long seed) {
        Chance chance = new Chance(seed, "scenario");
        EnumSet<Feature> features = EnumSet.noneOf(Feature.class);
        int perMille = chance.pick(150, 400, 700, 1_000);
        for (Feature feature : Feature.values()) {
            if (chance.perMille(perMille)) {
                features.add(feature);
            }
        }
        return new Scenario(seed, features, chance.millis(1_000, 8_000));
    }

    Scenario without(Feature feature) {
        EnumSet<Feature> fewer = features.isEmpty() ? EnumSet.noneOf(Feature.class) : EnumSet.copyOf(features);
        fewer.remove(feature);
        return new Scenario(seed, fewer, troubleNanos);
    }

    Scenario lasting(long nanos) {
        return new Scenario(seed, features, nanos);
    }

    boolean has(Feature feature) {
        return features.contains(feature);
    }
}
