package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a call finds no memory for is not done by halves: the tracker goes on when there is some again. In a JVM of its own. */
class OutOfMemoryTest {
    @Test
    void noMemoryToLetSegmentsGo_nothingIsPassedThatIsIncomplete() throws Exception {
        Process jvm = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:+UseSerialGC",
                        "-Xmx32m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FullHeap.class.getName())
                .inheritIO()
                .start();

        assertThat(jvm.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(jvm.exitValue()).isZero();
    }

    @Test
    void segmentWithoutMemoryToTrackItsFirstRecord_isEmptyAndTakesItLater() {
        Segment segment = Segment.dense(5_000, 512);
        ResumeMapBuilder map = new ResumeMapBuilder(0);

        assertThat(segment.pass(1)).isZero();
        segment.addFinished(map);
        segment.mark(5_010, 1, OffsetTracker.NO_FINGERPRINT, 0, 1);
        segment.deliver(5_010);

        assertThat(segment.pass(5_011)).isZero();
        assertThat(segment.blockedAt()).isEqualTo(5_010);
        assertThat(segment.report(5_010, Segment.FINISHED)).isTrue();
        assertThat(segment.pass(5_011)).isEqualTo(1);
        assertThat(segment.isBlocked()).isFalse();
        assertThat(map.build().isEmpty()).isTrue();
    }

    static final class FullHeap {
        /** Each stands alone: the array of their segments does not fit into what filling the heap leaves. */
        private static final int RECORDS = 200_000;

        private static final long STRIDE = 1_000;
        /** Enough for their segments to be dropped. */
        private static final int FIRST_DONE = 50_000;

        private static List<byte[]> ballast = new ArrayList<>(100_000);

        public static void main(String[] args) {
            OffsetTracker tracker = OffsetTracker.startingAt(0, () -> 0);
            for (int i = 0; i < RECORDS; i++) {
                tracker.track(i * STRIDE);
            }
            for (int i = 0; i < FIRST_DONE; i++) {
                tracker.complete(i * STRIDE);
            }
            fill(1 << 20);
            fill(1 << 14);
            try {
                tracker.advance();
                throw new AssertionError("there was memory");
            } catch (OutOfMemoryError e) {
                ballast = null;
            }
            same(tracker.advance(), FIRST_DONE * STRIDE);
            same(tracker.recordsCovered(), FIRST_DONE);
            same(tracker.recordsHeld(), RECORDS - FIRST_DONE);
            for (int i = RECORDS - 1; i >= FIRST_DONE; i--) {
                if (tracker.complete(i * STRIDE) != Receipt.ACCEPTED) {
                    throw new AssertionError(i + " is not found");
                }
                if (i % 10_000 == 0 && i > FIRST_DONE) {
                    same(tracker.advance(), FIRST_DONE * STRIDE);
                }
            }
            same(tracker.advance(), tracker.position());
            same(tracker.recordsHeld(), 0);
        }

        private static void fill(int bytes) {
            try {
                while (true) {
                    ballast.add(new byte[bytes]);
                }
            } catch (OutOfMemoryError e) {
                // Full.
            }
        }

        private static void same(long is, long expected) {
            if (is != expected) {
                throw new AssertionError(is + ", not " + expected);
            }
        }
    }
}
