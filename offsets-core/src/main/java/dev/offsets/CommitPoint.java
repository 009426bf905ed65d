package dev.offsets;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * What to store for a partition: the next offset to read, with the leader epoch that belongs to it. Every record below
 * the offset that was delivered is finished.
 *
 * <p>The leader epoch lets the broker and the client notice that a log was truncated below the offset (<a
 * href="https://cwiki.apache.org/confluence/x/fQtnBQ">KIP-320</a>). It is the epoch of the record that stands at the
 * offset when a delivered record does, and the epoch of the position otherwise; never the epoch of an earlier record
 * across a hole, which a consumer would take for a truncation.
 *
 * @param offset the next offset to read; zero or more
 * @param leaderEpoch the leader epoch that belongs to the offset; empty when it is not known
 */
public record CommitPoint(long offset, OptionalInt leaderEpoch) {
    public CommitPoint {
        Objects.requireNonNull(leaderEpoch, "leaderEpoch");
        if (offset < 0) {
            throw new IllegalArgumentException("offset is " + offset + ": it must be zero or more");
        }
        if (leaderEpoch.isPresent() && leaderEpoch.getAsInt() < 0) {
            throw new IllegalArgumentException("leaderEpoch is " + leaderEpoch.getAsInt()
                    + ": it must be zero or more; use an empty leader epoch when it is not known");
        }
    }
}
