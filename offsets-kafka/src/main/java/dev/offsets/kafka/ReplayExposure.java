package dev.offsets.kafka;

/**
 * How many finished records of one partition would be done again if this process ended now: those at and above the stored
 * offset that the map stored with it does not name. The loop thread writes, any thread reads.
 */
final class ReplayExposure {
    private long coveredWhenStored;
    private long named;

    /** Records that the committable offset has passed since what is stored, without those that the stored map names. */
    private volatile long passed;

    /** A new incarnation begins: it has finished nothing. */
    void beginAnew() {
        coveredWhenStored = 0;
        named = 0;
        passed = 0;
    }

    /**
     * A commit is stored.
     *
     * @param recordsCovered of the incarnation, when the commit was taken
     * @param recordsNamed how many of its records the map names, less those that it resumed with and the map does not name
     */
    void stored(long recordsCovered, long recordsNamed) {
        coveredWhenStored = recordsCovered;
        named = recordsNamed;
    }

    void covered(long recordsCovered) {
        long now = recordsCovered - coveredWhenStored - named;
        if (now != passed) {
            passed = now;
        }
    }

    /** Any thread. */
    long records(long completedAhead) {
        return Math.max(0, passed + completedAhead);
    }
}
