package dev.offsets.kafka.simulation;

/** A kind of trouble. A scenario has some of them; a failing one is tried again without each. */
enum Feature {
    /** Commits that are lost, refused, half done, unanswered or answered late. */
    COMMIT_FAILURES,
    /** The coordinator is unknown for a while: the client keeps commits back and sends them later. */
    PARKED_COMMITS,
    /** Several members. */
    GROUP,
    /** A loop that stands still for longer than the group allows. */
    EXPULSION,
    /** A process that vanishes with its workers and all that it knew. */
    CRASH,
    /** A log that loses its end to an unclean election. */
    TRUNCATION,
    /** A new leader that has everything. */
    LEADER_CHANGE,
    /** Transactions, committed, aborted and left open for a while. */
    TRANSACTIONS,
    COMPACTION,
    RETENTION,
    /** The coordinator forgets offsets that nobody commits again. */
    OFFSET_EXPIRY,
    /** A topic that is deleted, and made anew a while later. */
    RECREATION,
    /** A topic of which the group may not commit anything for a while. */
    DENIED_TOPIC,
    /** A consumer interceptor that removes records, and drops the next offsets of each result. */
    INTERCEPTOR,
    USER_PAUSE,
    USER_SEEK,
    USER_COMMIT,
    USER_CLOSE,
    /** Another set of partitions, or no subscription for a while. */
    REASSIGNMENT,
    WAKEUP,
    INTERRUPT,
    /** The loop's body throws, and the consumer is closed. */
    LOOP_EXCEPTION,
    /** The user's rebalance listener calls the consumer, or throws. */
    LISTENER,
    /** A result whose iteration ends in the middle. */
    HALF_ITERATED,
    /** Work that outlives the patience of whoever waits for it. */
    LATE_WORKERS,
    FORGETFUL_WORKERS,
    FAILING_WORKERS,
    /** A limit to how long a record may be incomplete. */
    STUCK_LIMIT,
    /** An executor that is full now and then. */
    REJECTING_EXECUTOR,
    /** Topics' ids that are told late, or not at all. */
    TOPIC_ID_TROUBLE,
    /** A coordinator that takes only short metadata. */
    METADATA_LIMIT,
    /** While nobody is in the group, stored offsets are reset, or copied with their metadata beside another offset. */
    OFFSET_TOOLS
}
