package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntToLongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** I9: what a tracker holds grows with the records in flight and completed ahead, and with nothing else. */
class MemoryTest {
    private static final int IDLE_BYTES = 1_024;

    @Test
    void millionRecordsThroughInRandomOrder_nothingIsRetainedAndThePeakIsBounded() {
        int batch = 1_000;
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        Random random = new Random(1);
        long peakBytes = 0;
        for (long first = 0; first < 1_000_000; first += batch) {
            List<Long> offsets = new ArrayList<>(
                    LongStream.range(first, first + batch).boxed().toList());
            offsets.forEach(tracker::track);
            Collections.shuffle(offsets, random);
            offsets.forEach(tracker::complete);
            assertThat(tracker.recordsHeld()).isEqualTo(batch);
            if (first % 50_000 == 0) {
                peakBytes = Math.max(peakBytes, RetainedBytes.of(tracker));
            }
            tracker.confirmCommit(tracker.commitPoint().offset());
            assertThat(tracker.recordsHeld()).isZero();
        }

        assertThat(tracker.committedOffset()).hasValue(1_000_000);
        assertThat(RetainedBytes.of(tracker)).isLessThan(IDLE_BYTES);
        assertThat(peakBytes).isLessThan(8_192);
    }

    @Test
    void slidingWindowThatNeverDrains_holdsTheWindowAlone() {
        int window = 10_000;
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        ArrayDeque<Long> inFlight = new ArrayDeque<>();
        for (long offset = 0; offset < 500_000; offset++) {
            tracker.track(offset);
            inFlight.add(offset);
            if (inFlight.size() > window) {
                tracker.complete(inFlight.remove());
            }
            if (offset % 500 == 0) {
                tracker.advance();
            }
        }

        assertThat(RetainedBytes.of(tracker)).isLessThan(3 * window);
    }

    /** Segments that have been passed may wait to be dropped until they are one in eight. */
    @Test
    void slidingWindowOfAMillion_holdsLittleMoreThanTheWindow() {
        int window = 1_000_000;
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        long mostBytes = 0;
        for (long offset = 0; offset < 3 * window; offset++) {
            tracker.track(offset);
            if (offset >= window) {
                tracker.complete(offset - window);
            }
            if (offset % 500 == 0) {
                tracker.advance();
            }
            if (offset % 100_000 == 0) {
                mostBytes = Math.max(mostBytes, RetainedBytes.of(tracker));
            }
        }

        assertThat(mostBytes).isLessThan(window * 120L / 100);
    }

    @Test
    void denseRecordsInFlight_takeLittleMoreThanOneByteEach() {
        assertThat(bytesPerRecord(1_000_000, i -> i)).isLessThan(1.05);
    }

    @Test
    void everyTenthOffsetAHole_takesLittleMoreThanOneByteForEachRecord() {
        assertThat(bytesPerRecord(1_000_000, i -> i / 9 * 10 + i % 9)).isLessThan(1.25);
    }

    @Test
    void everySixteenthOffsetDelivered_takesNoMoreThanLoneRecords() {
        assertThat(bytesPerRecord(100_000, i -> 16L * i)).isLessThan(20);
    }

    @Test
    void hugeHoles_takeNoMemory() {
        assertThat(bytesPerRecord(100_000, i -> i * (1L << 45))).isLessThan(20);
    }

    /** Runs of records and gaps between them that make segments of both kinds, most of them hardly filled. */
    @Test
    void worstOfAllPatterns_staysWithinItsBound() {
        double most = 0;
        for (long stride : new long[] {1, 15, 16, 17, 33, 512, 513, 1L << 40}) {
            for (int run : new int[] {1, 2, 31, 32, 33, 64, 65, 513}) {
                for (long gap : new long[] {0, 511, 8_200, 1L << 40}) {
                    most = Math.max(most, bytesPerRecord(10_000, i -> i * stride + i / run * gap));
                }
            }
        }

        assertThat(most).isLessThan(48);
    }

    @Test
    void denseThenLoneRecords_largeSegmentsAreNotSpentOnLoneOnes() {
        int dense = 100_000;
        assertThat(bytesPerRecord(2 * dense, i -> i < dense ? i : dense + (i - dense) * 10_000L))
                .isLessThan(60);
    }

    @Test
    void headStuck_completedAheadTakesWhatInFlightTakes() {
        int count = 1_000_000;
        OffsetTracker tracker = tracking(count, i -> i);
        for (long offset = 1; offset < count; offset++) {
            tracker.complete(offset);
        }
        tracker.advance();
        assertThat(RetainedBytes.of(tracker)).isLessThan(count * 11L / 10);

        tracker.complete(0);
        tracker.advance();
        assertThat(RetainedBytes.of(tracker)).isLessThan(IDLE_BYTES);
    }

    /** Each record has a time of its own to be noted, and a small segment is kept until it is full. */
    @Test
    void recordsFarApartInTime_leaveAnIdlePartitionSmall() {
        AtomicLong nowNanos = new AtomicLong();
        OffsetTracker tracker = OffsetTracker.startingAt(0, nowNanos::get);
        long mostBytes = 0;
        for (long offset = 0; offset < 2_000; offset++) {
            nowNanos.addAndGet(1_000_000_000);
            tracker.track(offset, 1);
            tracker.complete(offset);
            tracker.advance();
            mostBytes = Math.max(mostBytes, RetainedBytes.of(tracker));
        }

        assertThat(mostBytes).isLessThan(IDLE_BYTES);
    }

    /** What the notes of the time take, 32 bytes each, comes on top of what the offsets take. */
    @Test
    void recordsFarApartInTime_takeTheirNoteOfTheTimeInFlight() {
        assertThat(bytesPerSlowRecord(i -> i)).isLessThan(34);
        assertThat(bytesPerSlowRecord(i -> i * (1L << 45))).isLessThan(52);
    }

    private static double bytesPerSlowRecord(IntToLongFunction offsets) {
        int count = 10_000;
        AtomicLong nowNanos = new AtomicLong();
        OffsetTracker tracker = OffsetTracker.startingAt(0, nowNanos::get);
        for (int i = 0; i < count; i++) {
            nowNanos.addAndGet(1_000_000);
            tracker.track(offsets.applyAsLong(i));
            tracker.advance();
        }
        return RetainedBytes.of(tracker) / (double) count;
    }

    @Test
    void onlyHolesRead_nothingIsHeld() {
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        for (long position = 0; position < 100_000_000L; position += 1_000) {
            tracker.updatePosition(position);
            tracker.advance();
        }

        assertThat(RetainedBytes.of(tracker)).isLessThan(IDLE_BYTES);
    }

    @Test
    void resumeMapThatHasBeenPassed_isLetGo() {
        int count = 10_000;
        OffsetTracker tracker = OffsetTracker.startingAt(0);
        for (long offset = 0; offset < count; offset++) {
            tracker.track(offset, 1);
            if (offset % 2 == 1) {
                tracker.complete(offset);
            }
        }
        OffsetTracker resumed = OffsetTracker.resumingAt(tracker.resumeMap(tracker.commitPoint()), () -> 0);
        assertThat(RetainedBytes.of(resumed)).isGreaterThan(count);

        resumed.updatePosition(count);
        resumed.advance();

        assertThat(RetainedBytes.of(resumed)).isLessThan(IDLE_BYTES);
    }

    @Test
    void ended_letsEverythingGo() {
        OffsetTracker tracker = tracking(100_000, i -> i);

        tracker.end();

        assertThat(RetainedBytes.of(tracker)).isLessThan(IDLE_BYTES);
    }

    @Test
    void trackingAndCompleting_allocateNothingPerRecord() {
        int count = 200_000;
        // The first round is for what the JVM itself allocates. The segments come to one byte a record.
        allocatedBytes(() -> trackStartAndCompleteTwice(count));

        assertThat(allocatedBytes(() -> trackStartAndCompleteTwice(count))).isLessThan(count * 3L / 2);
    }

    @Test
    void trackingLoneRecords_allocatesNoMoreForEachHoweverManyAreInFlight() {
        int count = 100_000;
        allocatedBytes(() -> tracking(count, i -> i * 1_000L));

        assertThat(allocatedBytes(() -> tracking(count, i -> i * 1_000L))).isLessThan(count * 150L);
    }

    private static void trackStartAndCompleteTwice(int count) {
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        for (long offset = 0; offset < count; offset++) {
            tracker.track(offset);
        }
        for (long offset = count - 1; offset >= 0; offset--) {
            tracker.tryStart(offset);
            tracker.complete(offset);
            tracker.complete(offset);
        }
    }

    private static long allocatedBytes(Runnable action) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        action.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static double bytesPerRecord(int count, IntToLongFunction offsets) {
        return RetainedBytes.of(tracking(count, offsets)) / (double) count;
    }

    private static OffsetTracker tracking(int count, IntToLongFunction offsets) {
        OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
        for (int i = 0; i < count; i++) {
            tracker.track(offsets.applyAsLong(i));
            if (i % 500 == 0) {
                tracker.advance();
            }
        }
        return tracker;
    }
}
