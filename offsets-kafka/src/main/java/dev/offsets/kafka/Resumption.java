package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.ResumeMap;
import org.apache.kafka.common.Uuid;

/**
 * Which log one partition is read from, as far as that is shown, and what of it was put into the last resume map. For the
 * loop thread.
 */
/*
 * The topic's id is learned before reading begins. A topic that has that id later has had it all the time, since ids are
 * never given twice: what was polled until then is of this log. What was polled since is not shown to be yet.
 */
final class Resumption {
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private Uuid topicId;
    private boolean isSeveralLogs;
    private OffsetTracker shownOf;
    private long shownBelow;
    private OffsetTracker sentOf;
    private long sentAtNanos;
    private long toldWhenSent;
    private long passedWhenSent;
    private long finishedWhenConsidered;
    private long shownWhenConsidered;
    private boolean leavesOutNextMap;
    private boolean saidThatThereIsNoRoom;
    private boolean saidThatItIsRefuted;

    Resumption(long nowNanos) {
        this.sentAtNanos = nowNanos;
    }

    /** Reading begins, after the topic had this id. */
    void readingBegins(Uuid id) {
        topicId = id;
    }

    /** Whether it is known which log reading began in, and nothing has shown since that it is another one by now. */
    boolean isKnown() {
        return topicId != null && !isSeveralLogs;
    }

    long logId(int partition) {
        return logId(topicId, partition);
    }

    /** What the log of a partition is known by, and no other. */
    static long logId(Uuid topicId, int partition) {
        return topicId.getMostSignificantBits()
                ^ Long.rotateLeft(topicId.getLeastSignificantBits(), Integer.SIZE)
                ^ MIX * (partition + 1);
    }

    /**
     * The topic has this id now, or had it since a position was noted.
     *
     * @return whether all that was read below the position is of the one log
     */
    boolean hasId(Uuid id, OffsetTracker incarnation, long position) {
        if (!isKnown()) {
            return false;
        }
        if (!topicId.equals(id)) {
            isSeveralLogs = true;
            return false;
        }
        shownBelow = shownOf == incarnation ? Math.max(shownBelow, position) : position;
        shownOf = incarnation;
        return true;
    }

    /** Below this offset, what an incarnation has read is shown to be of the log. */
    long shownBelow(OffsetTracker incarnation) {
        return shownOf == incarnation ? shownBelow : 0;
    }

    /** Whether an incarnation has finished something that is not yet shown to be of the log. */
    boolean hasToBeShown(OffsetTracker incarnation) {
        return isKnown()
                && !incarnation.hasEnded()
                && shownBelow(incarnation) < incarnation.position()
                && incarnation.recordsCompletedAhead() > 0;
    }

    /** Whether a map may name what the last one that was sent does not. */
    boolean mayHaveNews(OffsetTracker incarnation) {
        if (!isKnown() || incarnation.hasEnded() || incarnation.recordsCompletedAhead() == 0) {
            return false;
        }
        long shown = shownBelow(incarnation);
        return shown > incarnation.committableOffset()
                && (sentOf != incarnation
                        || finished(incarnation) > finishedWhenConsidered
                        || shown > shownWhenConsidered);
    }

    /** Whether a commit with a map of all that is finished and shown tells of more records than the last one that was sent. */
    boolean isNews(ResumeMap map, OffsetTracker incarnation) {
        return sentOf == incarnation
                ? map.finishedRecords() + passed(incarnation) - passedWhenSent > toldWhenSent
                : map.finishedRecords() + incarnation.recordsCovered() > incarnation.recordsResumed();
    }

    /** What has finished until now can't be told, or has been. */
    void noNews(OffsetTracker incarnation) {
        if (sentOf != incarnation) {
            told(incarnation, incarnation.recordsResumed());
        }
        considered(incarnation);
    }

    /** A commit is being sent with a map of what was finished and shown. */
    void sent(OffsetTracker incarnation, long recordsTold, long nowNanos) {
        sentAtNanos = nowNanos;
        told(incarnation, recordsTold);
        considered(incarnation);
    }

    /** A commit is being sent without a map, although there may be something to tell. */
    void sentWithoutMap(OffsetTracker incarnation, long nowNanos) {
        sent(incarnation, 0, nowNanos);
        shownWhenConsidered = 0;
    }

    private void told(OffsetTracker incarnation, long records) {
        sentOf = incarnation;
        toldWhenSent = records;
        passedWhenSent = passed(incarnation);
    }

    private void considered(OffsetTracker incarnation) {
        finishedWhenConsidered = finished(incarnation);
        shownWhenConsidered = shownBelow(incarnation);
    }

    /** Grows with each record that a map does not name any more, since the committable offset has passed it. */
    private static long passed(OffsetTracker incarnation) {
        return incarnation.recordsCovered() - incarnation.recordsResumed();
    }

    private static long finished(OffsetTracker incarnation) {
        return incarnation.recordsCompletedAhead() + incarnation.recordsCovered();
    }

    long sinceSentNanos(long nowNanos) {
        return nowNanos - sentAtNanos;
    }

    /** The broker has refused a map: the offset is to be sent without one. */
    void leaveOutNextMap() {
        leavesOutNextMap = true;
    }

    boolean takeLeavesOutNextMap() {
        boolean taken = leavesOutNextMap;
        leavesOutNextMap = false;
        return taken;
    }

    /** Answers whether this is the first time. */
    boolean thereIsNoRoom() {
        boolean first = !saidThatThereIsNoRoom;
        saidThatThereIsNoRoom = true;
        return first;
    }

    /** The map that was stored speaks of another log. Answers whether this is the first time. */
    boolean isRefutedForTheFirstTime() {
        boolean first = !saidThatItIsRefuted;
        saidThatItIsRefuted = true;
        return first;
    }
}
