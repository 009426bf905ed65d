package dev.offsets.kafka.simulation;

import java.util.List;

/** A processor begins no work on a partition that is being given up, is gone or was stopped, nor while its consumer closes. */
final class NoLateStart extends Checker {
    @Override
    void workBegins(List<Delivery> work) {
        for (Delivery delivery : work) {
            View view = delivery.view;
            String why = null;
            if (view.over) {
                why = "which it does not have any more";
            } else if (view.leaving || view.lost) {
                why = "which is being taken away";
            } else if (view.stopped) {
                why = "whose partition has been stopped";
            } else if (simulation.isClosing(delivery.process)) {
                why = "while closing";
            }
            if (why != null) {
                violated(delivery.process + " works on " + delivery + ", " + why);
            }
        }
    }
}
