package dev.offsets.benchmarks.tracker;

/**
 * Something that says which offset of one partition may be committed, after records have been completed in any order. The
 * calls are those of one loop: a poll's records are tracked, completed, and passed.
 */
public interface Subject {
    /**
     * Tracks the records of a poll.
     *
     * @param first the offset of the first one
     * @param distances how far each stands from the first, in ascending order
     */
    void track(long first, int[] distances);

    /**
     * Completes a record.
     *
     * @param index which one it is of its poll, for those whose users keep a handle for each record
     */
    void complete(long offset, int index);

    /**
     * Moves on over what has been completed.
     *
     * @param position the next offset to read
     * @return the next offset to commit, or the last one that may be, as it is called there
     */
    long advance(long position);
}
