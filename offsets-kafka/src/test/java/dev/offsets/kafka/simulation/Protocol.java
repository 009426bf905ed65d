package dev.offsets.kafka.simulation;

/** How partitions are shared out. */
enum Protocol {
    /** Partitions assigned by the user: one consumer, no members. */
    MANUAL,
    CLASSIC_EAGER,
    CLASSIC_COOPERATIVE,
    /** KIP-848, {@code group.protocol=consumer}. */
    CONSUMER;

    boolean isClassic() {
        return this == CLASSIC_EAGER || this == CLASSIC_COOPERATIVE;
    }
}
