package dev.offsets.examples.demo;

import java.util.OptionalLong;

/**
 * What the broker says of a group on a partition.
 *
 * @param committed the next offset to read after a restart; empty when nothing was ever committed
 * @param end the end of what a consumer of committed records can read
 */
record GroupOffset(OptionalLong committed, long end) {
    boolean isAtEnd() {
        return committed.isPresent() && committed.getAsLong() == end;
    }

    /** How many offsets are left to read; empty when that is unknown, since nothing or more than there is was committed. */
    OptionalLong lag() {
        return committed.isEmpty() || committed.getAsLong() > end
                ? OptionalLong.empty()
                : OptionalLong.of(end - committed.getAsLong());
    }

    /** Whether the record at this offset would be read again after a restart. */
    boolean readsAgain(long offset) {
        return committed.isEmpty() || offset >= committed.getAsLong();
    }
}
