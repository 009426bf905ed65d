package dev.offsets.stress;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What is broken, who has to notice, and what it has to see. */
final class Twins {
    private static final String TRACKER = "OffsetTracker.java";
    private static final String SEGMENT = "Segment.java";
    private static final String SEGMENTS = "Segments.java";

    /**
     * Between two steps that should be one, so that another thread comes between them: on another processor, or now and then
     * on this one.
     */
    private static final String PAUSE = "for (int pause = 0; pause < 20; pause++) { Thread.onSpinWait(); }\n"
            + "if (System.nanoTime() % 32 == 0) { Thread.yield(); }\n";

    private static final String REPORT =
            "byte seen = (byte) STATE.compareAndExchange(states, index, expected, outcome);";

    /** Looks, and writes afterwards. */
    private static final String REPORT_IN_TWO_STEPS = """
            byte seen = (byte) STATE.getVolatile(states, index);
            if (seen == expected) {
                PAUSE
                STATE.setVolatile(states, index, outcome);
            }
            """;

    /** Writes, and takes it back if it must not have. */
    private static final String REPORT_AND_TAKE_BACK = """
            byte seen = (byte) STATE.getAndSet(states, index, outcome);
            if (seen != expected) {
                PAUSE
                STATE.setVolatile(states, index, seen);
            }
            """;

    private static final String REPORT_OVER_A_HOLE = """
            byte seen = (byte) STATE.compareAndExchange(states, index, expected, outcome);
            if (seen == expected) {
                STATE.setVolatile(states, index, HOLE);
                PAUSE
                STATE.setVolatile(states, index, outcome);
            }
            """;

    private static final String TAKE_BACK_START =
            "return index != NONE && STATE.compareAndSet(states, index, STARTED, DELIVERED);";

    private static final String START =
            "return index != NONE && STATE.compareAndSet(states, index, DELIVERED, STARTED);";

    private static final String START_IN_TWO_STEPS = """
            if (index == NONE || (byte) STATE.getVolatile(states, index) != DELIVERED) {
                return false;
            }
            PAUSE
            STATE.setVolatile(states, index, STARTED);
            return true;
            """;

    private Twins() {}

    static List<Twin> all() {
        return List.of(
                twin(
                        "Reports.CompleteAndComplete",
                        "a report looks at the state, and writes it afterwards",
                        "true, true, 1",
                        SEGMENT,
                        REPORT,
                        REPORT_IN_TWO_STEPS),
                twin(
                        "Reports.CompleteAndFail",
                        "a report looks at the state, and writes it afterwards",
                        "true, true, .",
                        SEGMENT,
                        REPORT,
                        REPORT_IN_TWO_STEPS),
                twin(
                        "Reports.CompleteAndRelease",
                        "a release looks at the state, and writes it afterwards",
                        "true, true, 0",
                        SEGMENT,
                        TAKE_BACK_START,
                        """
                        if (index == NONE || (byte) STATE.getVolatile(states, index) != STARTED) {
                            return false;
                        }
                        PAUSE
                        STATE.setVolatile(states, index, DELIVERED);
                        return true;
                        """),
                twin(
                        "Reports.StartAndStart",
                        "a start looks at the state, and writes it afterwards",
                        "true, true, 1",
                        SEGMENT,
                        START,
                        START_IN_TWO_STEPS),
                twin(
                        "Reports.CompleteAndStart",
                        "a start looks at the state, and writes it afterwards",
                        "true, true, 0",
                        SEGMENT,
                        START,
                        START_IN_TWO_STEPS),
                twin(
                        "Reports.StartAndRelease",
                        "a release writes twice",
                        "true, true, 0",
                        SEGMENT,
                        TAKE_BACK_START,
                        """
                        if (index == NONE || !STATE.compareAndSet(states, index, STARTED, DELIVERED)) {
                            return false;
                        }
                        PAUSE
                        STATE.setVolatile(states, index, DELIVERED);
                        return true;
                        """),
                twin(
                        "Advances.CompleteAndAdvance",
                        "the owner writes back the eight states that it has read",
                        "0, 1, 0",
                        "EightStates.java",
                        "return (long) VIEW.get(states, index);",
                        """
                        long read = (long) VIEW.get(states, index);
                        PAUSE
                        VIEW.set(states, index, read);
                        return read;
                        """),
                twin(
                        "Advances.AdvanceAndRead",
                        "the committable offset is one too far for a moment",
                        "2, 2",
                        TRACKER,
                        "            COMMITTABLE.setRelease(this, next);",
                        """
                        COMMITTABLE.setRelease(this, next + 1);
                        PAUSE
                        COMMITTABLE.setRelease(this, next);
                        """),
                twin(
                        "Advances.CompleteFailedAndAdvance",
                        "a report writes first, and takes it back if it must not have",
                        "false, 1, 1",
                        SEGMENT,
                        REPORT,
                        REPORT_AND_TAKE_BACK),
                twin(
                        "Advances.CompleteAndCount",
                        "the flag is cleared after the count",
                        "1",
                        SEGMENT,
                        "            finishedAtCount = (short) finished;",
                        """
                        finishedAtCount = (short) finished;
                        PAUSE
                        finishedSinceCount = false;
                        """),
                twin(
                        "Edges.TrackInNewSegmentAndComplete",
                        "a record is delivered twice, a moment apart",
                        "true, true, 1048577",
                        SEGMENT,
                        "STATE.setRelease(states, index, DELIVERED);",
                        """
                        STATE.setRelease(states, index, DELIVERED);
                        PAUSE
                        STATE.setRelease(states, index, DELIVERED);
                        """),
                twin(
                        "Edges.TrackInLargerArrayAndComplete",
                        "the larger array is published before it is filled",
                        "false, true",
                        SEGMENTS,
                        "SLOTS.setRelease(this, Arrays.copyOf(slots, withRoom(slotsThen)));",
                        """
                        Segment[] filled = slots;
                        SLOTS.setRelease(this, new Segment[withRoom(slotsThen)]);
                        PAUSE
                        System.arraycopy(filled, 0, slots, 0, slotsTaken);
                        """),
                twin(
                        "Edges.DropAndComplete",
                        "segments are moved within the array that others read",
                        "false, false, 1048576",
                        SEGMENTS,
                        "Segment[] left = Arrays.copyOfRange(slots, firstLive, firstLive + withRoom(slotsLeft));",
                        """
                        Segment[] left = slots;
                        for (int i = 0; i < slotsLeft; i++) {
                            SLOT.setRelease(left, i, null);
                            PAUSE
                            SLOT.setRelease(left, i, left[i + firstLive]);
                        }
                        """),
                twin(
                        "Edges.TrackInNextDenseSegmentAndComplete",
                        "a record is delivered twice, a moment apart",
                        "true, true, 513",
                        SEGMENT,
                        "STATE.setRelease(states, index, DELIVERED);",
                        """
                        STATE.setRelease(states, index, DELIVERED);
                        PAUSE
                        STATE.setRelease(states, index, DELIVERED);
                        """),
                new Twin(
                        "Edges.DropDenseAndComplete",
                        "a guess is believed, though the base may be that of another array",
                        Pattern.compile("false, 512"),
                        SEGMENTS,
                        Map.of(
                                "segment != null && segment.index(offset) >= 0",
                                "segment != null",
                                "            base = left[0].firstOffset;",
                                "base = left[0].firstOffset;\n" + PAUSE)),
                twin(
                        "Snapshots.CompleteAndStatus",
                        "a report makes a hole for a moment",
                        "2, 0",
                        SEGMENT,
                        REPORT,
                        REPORT_OVER_A_HOLE),
                twin(
                        "Snapshots.AdvanceAndStatus",
                        "the segments that are left are published after a moment without any",
                        "0, 0, 0",
                        SEGMENTS,
                        "            base = left[0].firstOffset;",
                        """
                        SLOTS.setRelease(this, NONE);
                        PAUSE
                        base = left[0].firstOffset;
                        """),
                twin(
                        "Snapshots.TrackAndStatus",
                        "a record is delivered before its offset is noted",
                        Long.toString(Long.MAX_VALUE),
                        SEGMENT,
                        "            offsets[index] = offset;",
                        """
                        STATE.setRelease(states, index, DELIVERED);
                        PAUSE
                        offsets[index] = offset;
                        """),
                twin("Snapshots.TrackAndAge", "a record is delivered before it is noted when", "5", TRACKER, """
                                segment.mark(offset, leaderEpoch, fingerprint, nowNanos, AGE_RESOLUTION_NANOS);
                                segment.deliver(offset);
                        """, """
                        segment.deliver(offset);
                        PAUSE
                        segment.mark(offset, leaderEpoch, fingerprint, nowNanos, AGE_RESOLUTION_NANOS);
                        """),
                twin(
                        "Snapshots.CompleteAndCommitPoint",
                        "a report writes first, and takes it back if it must not have",
                        "3, .|., [4-7]",
                        SEGMENT,
                        REPORT,
                        REPORT_AND_TAKE_BACK),
                new Twin(
                        "Ends.CompleteAndEnd",
                        "the end is told before the segments are let go: as soon as starts are refused",
                        Pattern.compile("true, true, 0"),
                        TRACKER,
                        Map.of(
                                "return segments.haveEnded();",
                                "return startsRefused;",
                                "        segments.end();",
                                PAUSE + "segments.end();")),
                twin(
                        "Ends.StartAndRefuseStarts",
                        "the refusal is not volatile",
                        "true, 0",
                        TRACKER,
                        "private volatile boolean startsRefused;",
                        "private boolean startsRefused;"));
    }

    private static Twin twin(String test, String why, String outcome, String file, String original, String broken) {
        return new Twin(test, why, Pattern.compile(outcome), file, Map.of(original, broken.replace("PAUSE\n", PAUSE)));
    }
}
