package dev.offsets.kafka.simulation;

import java.util.List;

/**
 * How a run went.
 *
 * @param violation the first promise that was broken; null when all were kept
 * @param trace what happened, if that was asked for
 * @param events how long the run was, in events
 */
record Outcome(Scenario scenario, String settings, Violation violation, List<String> trace, int events) {
    boolean failed() {
        return violation != null;
    }
}
