package dev.offsets.kafka.simulation;

/** What one script needs of a topic and of its consumers. */
record Setup(int partitions, String resetPolicy, boolean readCommitted, int maxPollRecords) {
    static Setup partitions(int partitions) {
        return new Setup(partitions, "earliest", true, 500);
    }

    Setup resettingTo(String policy) {
        return new Setup(partitions, policy, readCommitted, maxPollRecords);
    }

    Setup readUncommitted() {
        return new Setup(partitions, resetPolicy, false, maxPollRecords);
    }

    Setup polling(int records) {
        return new Setup(partitions, resetPolicy, readCommitted, records);
    }
}
