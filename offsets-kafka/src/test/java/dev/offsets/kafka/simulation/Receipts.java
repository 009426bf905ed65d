package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;

/** The first report of a record counts, as long as its partition is here, and no other does. */
final class Receipts extends Checker {
    @Override
    void reported(Delivery delivery, Receipt receipt, boolean finished) {
        if (receipt == Receipt.ACCEPTED) {
            delivery.accepted++;
            if (delivery.accepted > 1) {
                violated("a second report of " + delivery + " was accepted");
            }
            if (delivery.view.over) {
                violated("a report of " + delivery + " was accepted after " + delivery.process + " had lost it");
            }
        } else if (delivery.accepted == 0 && !delivery.view.over && !simulation.isClosing(delivery.process)) {
            violated("the first report of " + delivery + " by " + delivery.process + " was ignored");
        }
    }

    @Override
    void started(Delivery delivery, boolean answer) {
        if (answer && delivery.view.over) {
            violated(delivery + " was started after " + delivery.process + " had lost it");
        }
        if (answer && delivery.started) {
            violated(delivery + " was started twice");
        }
        boolean startable = !delivery.view.over && !delivery.view.leaving && !simulation.isClosing(delivery.process);
        if (!answer && startable && !delivery.started && delivery.accepted == 0) {
            violated(delivery + " was not started although " + delivery.process + " has it");
        }
        delivery.started |= answer;
    }
}
