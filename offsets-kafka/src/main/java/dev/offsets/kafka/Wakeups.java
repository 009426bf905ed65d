package dev.offsets.kafka;

/**
 * Remembers a wakeup that was meant for poll and reached another call of the Kafka consumer instead, so that the next poll
 * throws it. For the loop thread.
 */
final class Wakeups {
    private boolean missed;

    void missed() {
        missed = true;
    }

    /** Whether one was missed; asking hands it over. */
    boolean takeMissed() {
        boolean taken = missed;
        missed = false;
        return taken;
    }
}
