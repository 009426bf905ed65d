package dev.offsets.kafka;

import java.util.OptionalLong;

/** What is known of the offset that the group has stored for one partition. For the loop thread. */
/*
 * It is known after it has been read, and after the newest commit that was sent has been confirmed. While a commit is in
 * flight, and after one of which the outcome is not known, it is not: it may be what that commit carried, or what was there
 * before. An older commit's answer tells nothing then. Not known means that whatever is committable is worth a commit: one
 * too many does no harm, one too few may leave a wrong offset for ever.
 */
final class StoredOffset {
    private OptionalLong known = OptionalLong.empty();
    private boolean nothingStored;
    /** What is known is only where consuming began, while nothing is stored. */
    private boolean assumed;

    private boolean urgent;
    private long newestSent;
    private boolean newestHasMap;
    /** What is stored, or may be, tells of records that were finished before the position was set, if it has been. */
    private boolean mayHaveMap;

    private long newestSentBeforeSet;
    private long knownSinceNanos;

    StoredOffset(long nowNanos) {
        this.knownSinceNanos = nowNanos;
    }

    /**
     * The group has stored this offset.
     *
     * @param mayHaveMap whether there is metadata with it
     */
    void wasRead(long offset, boolean mayHaveMap) {
        known = OptionalLong.of(offset);
        this.mayHaveMap = mayHaveMap;
    }

    /**
     * The group has stored nothing.
     *
     * @param resetPassesOverRecords whether a reset begins later the later it is applied: then where consuming begins has to
     *     be stored at once, or the next owner would pass over what came in between. Otherwise where consuming begins is as
     *     good as stored
     */
    void nothingIsStored(boolean resetPassesOverRecords) {
        nothingStored = !resetPassesOverRecords;
        urgent = resetPassesOverRecords;
    }

    /** Consuming begins here, without a seek. */
    void consumingBeginsAt(long offset) {
        if (nothingStored) {
            known = OptionalLong.of(offset);
            assumed = true;
        }
    }

    /**
     * The position was set, or has moved back: the same number may stand for something else from now on, and the map of what
     * was finished before is void.
     */
    void positionWasSet(boolean bySeek) {
        nothingStored = false;
        if (mayHaveMap) {
            newestSentBeforeSet = newestSent;
        }
        if (!bySeek || assumed || mayHaveMap) {
            isUnknown();
        }
    }

    /** A commit is being sent. */
    void sent(long commitNumber, boolean hasMap) {
        newestSent = commitNumber;
        newestHasMap = hasMap;
        mayHaveMap |= hasMap;
        isUnknown();
    }

    /** Something else may have been stored. */
    void isUnknown() {
        known = OptionalLong.empty();
        assumed = false;
    }

    /** A commit was confirmed. Answers whether it is the newest that was sent, so that it decides what is stored. */
    boolean confirmed(long commitNumber, long offset, long nowNanos) {
        urgent = false;
        knownSinceNanos = nowNanos;
        boolean newest = commitNumber == newestSent;
        mayHaveMap &= !newest || newestHasMap;
        boolean isVoid = mayHaveMap && commitNumber <= newestSentBeforeSet;
        known = newest && !isVoid ? OptionalLong.of(offset) : OptionalLong.empty();
        return newest;
    }

    /** Whether committing this offset would change what is stored, as far as that is known. */
    boolean differsFrom(long offset) {
        return known.isEmpty() || known.getAsLong() != offset;
    }

    /** Whether a commit is due whatever the policy says. */
    boolean isUrgent() {
        return urgent;
    }

    /** When the broker last confirmed a commit; before the first, when the partition was assigned. */
    long knownSinceNanos() {
        return knownSinceNanos;
    }
}
