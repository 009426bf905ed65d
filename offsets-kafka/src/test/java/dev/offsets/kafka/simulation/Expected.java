package dev.offsets.kafka.simulation;

/** The wakeups and interrupts that a user has asked for, and that poll may or must throw. */
final class Expected {
    /** Several wakeups may be thrown as one, or one by one. */
    private int wakeupsNotThrown;

    private boolean wakeupDue;
    private boolean dueWhenPollBegan;
    private int pollsSinceWakeup;
    private int interruptsNotThrown;
    private boolean interruptPending;

    void wakeup() {
        wakeupsNotThrown++;
        wakeupDue = true;
        pollsSinceWakeup = 0;
    }

    void pollBegins() {
        dueWhenPollBegan = wakeupDue;
    }

    /** Answers whether poll should have thrown a wakeup by now: one that it met elsewhere may wait for the next poll. */
    boolean pollShouldHaveThrown() {
        return dueWhenPollBegan && wakeupDue && ++pollsSinceWakeup > 1;
    }

    /** Answers whether there was a wakeup to throw. */
    boolean wakeupThrown() {
        wakeupDue = false;
        return --wakeupsNotThrown >= 0;
    }

    /** The thread is interrupted, or will be when its user runs again. */
    void interrupt(boolean running) {
        interruptsNotThrown++;
        if (running) {
            Thread.currentThread().interrupt();
        } else {
            interruptPending = true;
        }
    }

    /** Answers whether there was an interrupt to throw. */
    boolean interruptThrown() {
        Thread.interrupted();
        return --interruptsNotThrown >= 0;
    }

    void turnBegins() {
        if (interruptPending) {
            interruptPending = false;
            Thread.currentThread().interrupt();
        }
    }

    void turnEnds() {
        interruptPending |= Thread.interrupted();
    }
}
