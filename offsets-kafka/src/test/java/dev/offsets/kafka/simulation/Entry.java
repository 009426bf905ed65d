package dev.offsets.kafka.simulation;

/** What stands at one offset of a log. Its identity is its own: what later stands at the same offset is another entry. */
final class Entry {
    enum Kind {
        RECORD,
        /** Of a transaction that is still open. */
        OPEN,
        ABORTED,
        MARKER,
        /** Compacted away. */
        REMOVED
    }

    final long offset;
    final int epoch;
    Kind kind;

    /** Some worker has finished it, or given it up on purpose. */
    boolean finished;

    /** Why nobody has to finish it; null when somebody has. */
    String excuse;

    Entry(long offset, int epoch, Kind kind) {
        this.offset = offset;
        this.epoch = epoch;
        this.kind = kind;
    }

    /** One of a few, so that many records have the same; null for some. */
    Long key() {
        long key = offset % 5;
        return key == 4 ? null : key;
    }

    boolean isVisible(boolean readCommitted) {
        return kind == Kind.RECORD || (!readCommitted && (kind == Kind.OPEN || kind == Kind.ABORTED));
    }

    void excuse(String why) {
        if (excuse == null) {
            excuse = why;
        }
    }

    @Override
    public String toString() {
        return offset + "/" + epoch + (kind == Kind.RECORD ? "" : " " + kind) + (finished ? " finished" : "")
                + (excuse == null ? "" : " excused: " + excuse);
    }
}
