package dev.offsets.stress;

import java.util.List;

/** What is broken, and who has to notice. */
final class Twins {
    private static final String TRACKER = "OffsetTracker.java";
    private static final String SEGMENT = "Segment.java";
    private static final String SEGMENTS = "Segments.java";

    private static final String REPORT =
            "byte seen = (byte) STATE.compareAndExchange(states, index, expected, outcome);";

    /** Looks, and writes afterwards. */
    private static final String REPORT_IN_TWO_STEPS = """
            byte seen = (byte) STATE.getVolatile(states, index);
            if (seen == expected) {
                STATE.setVolatile(states, index, outcome);
            }
            """;

    /** Writes, and takes it back if it must not have. */
    private static final String REPORT_AND_TAKE_BACK = """
            byte seen = (byte) STATE.getAndSet(states, index, outcome);
            if (seen != expected) {
                Thread.onSpinWait();
                STATE.setVolatile(states, index, seen);
            }
            """;

    private static final String REPORT_OVER_A_HOLE = """
            byte seen = (byte) STATE.compareAndExchange(states, index, expected, outcome);
            if (seen == expected) {
                STATE.setVolatile(states, index, HOLE);
                STATE.setVolatile(states, index, outcome);
            }
            """;

    private Twins() {}

    static List<Twin> all() {
        return List.of(
                new Twin(
                        "Reports.CompleteAndComplete",
                        "a report looks at the state, and writes it afterwards",
                        SEGMENT,
                        REPORT,
                        REPORT_IN_TWO_STEPS),
                new Twin(
                        "Reports.CompleteAndFail",
                        "a report looks at the state, and writes it afterwards",
                        SEGMENT,
                        REPORT,
                        REPORT_IN_TWO_STEPS),
                new Twin(
                        "Reports.CompleteAndRelease",
                        "a release looks at the state, and writes it afterwards",
                        SEGMENT,
                        "return index != NONE && STATE.compareAndSet(states, index, STARTED, DELIVERED);",
                        """
                        if (index == NONE || (byte) STATE.getVolatile(states, index) != STARTED) {
                            return false;
                        }
                        STATE.setVolatile(states, index, DELIVERED);
                        return true;
                        """),
                new Twin(
                        "Reports.StartAndRelease",
                        "a release writes twice",
                        SEGMENT,
                        "return index != NONE && STATE.compareAndSet(states, index, STARTED, DELIVERED);",
                        """
                        if (index == NONE || !STATE.compareAndSet(states, index, STARTED, DELIVERED)) {
                            return false;
                        }
                        STATE.setVolatile(states, index, DELIVERED);
                        return true;
                        """),
                new Twin(
                        "Advances.CompleteAndAdvance",
                        "the owner writes back the eight states that it has read",
                        "EightStates.java",
                        "return (long) VIEW.get(states, index);",
                        """
                        long read = (long) VIEW.get(states, index);
                        Thread.onSpinWait(); // or else the compiler knows that nothing changes
                        VIEW.set(states, index, read);
                        return read;
                        """),
                new Twin(
                        "Advances.AdvanceAndRead",
                        "the committable offset is one too far for a moment",
                        TRACKER,
                        "            COMMITTABLE.setRelease(this, next);",
                        """
                                    COMMITTABLE.setRelease(this, next + 1);
                                    COMMITTABLE.setRelease(this, next);
                        """),
                new Twin(
                        "Advances.CompleteFailedAndAdvance",
                        "a report writes first, and takes it back if it must not have",
                        SEGMENT,
                        REPORT,
                        REPORT_AND_TAKE_BACK),
                new Twin(
                        "Advances.CompleteAndCount",
                        "the flag is cleared after the count",
                        SEGMENT,
                        "            finishedAtCount = (short) finished;",
                        """
                                    finishedAtCount = (short) finished;
                                    finishedSinceCount = false;
                        """),
                new Twin(
                        "Edges.TrackInNewSegmentAndComplete",
                        "a record is delivered twice, a moment apart",
                        SEGMENT,
                        "STATE.setRelease(states, index, DELIVERED);",
                        """
                        STATE.setRelease(states, index, DELIVERED);
                        Thread.onSpinWait();
                        STATE.setRelease(states, index, DELIVERED);
                        """),
                new Twin(
                        "Edges.TrackInLargerArrayAndComplete",
                        "the larger array is published before it is filled",
                        SEGMENTS,
                        "SLOTS.setRelease(this, Arrays.copyOf(slots, wanted));",
                        """
                        Segment[] filled = slots;
                        SLOTS.setRelease(this, new Segment[wanted]);
                        System.arraycopy(filled, 0, slots, 0, slotsTaken);
                        """),
                new Twin(
                        "Edges.DropAndComplete",
                        "segments are moved within the array that others read",
                        SEGMENTS,
                        "Segment[] left = Arrays.copyOfRange(slots, slotsDropped, slotsDropped + slotsTaken);",
                        """
                        Segment[] left = slots;
                        for (int i = 0; i < slotsTaken; i++) {
                            SLOT.setRelease(left, i, null);
                            SLOT.setRelease(left, i, left[i + slotsDropped]);
                        }
                        """),
                new Twin(
                        "Snapshots.CompleteAndStatus",
                        "a report makes a hole for a moment",
                        SEGMENT,
                        REPORT,
                        REPORT_OVER_A_HOLE),
                new Twin(
                        "Snapshots.AdvanceAndStatus",
                        "the segments that are left are published after a moment without any",
                        SEGMENTS,
                        "        base = left[0].firstOffset;",
                        "        SLOTS.setRelease(this, NONE);\n        base = left[0].firstOffset;"),
                new Twin(
                        "Snapshots.CompleteAndCommitPoint",
                        "a report writes first, and takes it back if it must not have",
                        SEGMENT,
                        REPORT,
                        REPORT_AND_TAKE_BACK),
                new Twin(
                        "Ends.CompleteAndEnd",
                        "the end is told before the segments are let go: as soon as starts are refused",
                        TRACKER,
                        "return segments.haveEnded();",
                        "return startsRefused;"),
                new Twin(
                        "Ends.StartAndRefuseStarts",
                        "the refusal is not volatile",
                        TRACKER,
                        "private volatile boolean startsRefused;",
                        "private boolean startsRefused;"));
    }
}
