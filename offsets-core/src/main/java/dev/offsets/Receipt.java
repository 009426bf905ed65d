package dev.offsets;

/**
 * The answer to a report that a record was completed, failed or skipped: whether this report was the one that counted; or
 * that its start was taken back: whether there was one.
 */
public enum Receipt {
    /** The first report of an outcome for a record of a live incarnation. Exactly one report per record gets this answer. */
    ACCEPTED,

    /**
     * The report changed nothing: the record's outcome was reported before, the tracker never delivered this offset, or
     * its incarnation has ended (the partition was revoked, lost or sought, or the consumer was closed). After the end
     * of an incarnation this is the normal answer to a worker that finishes late; the record will be delivered again.
     */
    IGNORED
}
