package dev.offsets.kafka.simulation;

/** What one script needs of a topic and of its consumers. */
record Setup(int partitions, String resetPolicy, boolean readCommitted, int maxPollRecords, boolean expelsSoon) {
    static Setup partitions(int partitions) {
        return new Setup(partitions, "earliest", true, 500, false);
    }

    Setup resettingTo(String policy) {
        return new Setup(partitions, policy, readCommitted, maxPollRecords, expelsSoon);
    }

    Setup readUncommitted() {
        return new Setup(partitions, resetPolicy, false, maxPollRecords, expelsSoon);
    }

    Setup polling(int records) {
        return new Setup(partitions, resetPolicy, readCommitted, records, expelsSoon);
    }

    /** Members whose loop stands still are expelled after a moment; otherwise not while a script lasts. */
    Setup expellingSoon() {
        return new Setup(partitions, resetPolicy, readCommitted, maxPollRecords, true);
    }
}
