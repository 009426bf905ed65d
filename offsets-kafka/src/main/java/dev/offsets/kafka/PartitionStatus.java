package dev.offsets.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is wrong with one partition, with the evidence; of several things that are, the worst. Which times and windows count
 * is in {@link StatusThresholds}.
 *
 * <pre>{@code
 * if (partition.status() instanceof PartitionStatus.Blocked blocked) {
 *     alert(partition.topicPartition() + "@" + blocked.offset() + " since " + blocked.age());
 * }
 * }</pre>
 */
public sealed interface PartitionStatus {
    /** The kinds of status, worst first. */
    enum Kind {
        /** Records were deleted, or passed over by the reset policy, before they were read. */
        DATA_LOSS(110),
        /** The committed offset is beyond the end of the log: a restart would apply the reset policy. */
        INVALID_COMMIT(100),
        /** Commits have been failing for some time. */
        COMMIT_FAILING(90),
        /** One record has been incomplete for long, and holds back others that have finished. */
        BLOCKED(80),
        /** Work is in flight, and nothing has finished for some time. */
        STALLED(70),
        /** More remains to be done than some time ago, and it has kept growing. */
        FALLING_BEHIND(60),
        /**
         * There is something to read, nothing is in flight, and nothing has been read for some time; or the loop has not
         * polled for that time.
         */
        STARVED(50),
        /** All that a {@code read_committed} consumer can read was read; what follows is held back by an open transaction. */
        LSO_BLOCKED(40),
        /** The user has paused the partition. */
        PAUSED(30),
        /** Too little is known to tell. */
        UNKNOWN(20),
        /** There is something left to do, and it goes on. */
        OK(10),
        /** Nothing is left to do. */
        CAUGHT_UP(0);

        private final int severity;

        Kind(int severity) {
            this.severity = severity;
        }

        /**
         * The kind as a number, for metrics: 0 for {@code CAUGHT_UP}, the more the worse, 50 or more when it is not
         * {@linkplain #isHealthy healthy}. It stays the same in later versions.
         */
        public int severity() {
            return severity;
        }

        /** Whether nobody has to look after it: {@code LSO_BLOCKED} and all below it. */
        public boolean isHealthy() {
            return compareTo(LSO_BLOCKED) >= 0;
        }

        /** Whether this is worse than another. */
        public boolean isWorseThan(Kind other) {
            return compareTo(other) < 0;
        }
    }

    /** Which status it is. */
    Kind kind();

    /** What it was concluded from, in words. */
    String evidence();

    /**
     * {@link Kind#DATA_LOSS}.
     *
     * @param from the first offset that is lost
     * @param to the offset after the last one that is lost
     */
    record DataLoss(long from, long to) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.DATA_LOSS;
        }

        @Override
        public String evidence() {
            String what = to - from == 1
                    ? "offset " + from + " was deleted or passed over before it was read"
                    : "offsets " + from + " to " + (to - 1) + " were deleted or passed over before they were read";
            return what + ": at most " + Words.count(to - from, "record");
        }
    }

    /**
     * {@link Kind#INVALID_COMMIT}.
     *
     * @param offset the committed offset, or the position where the consumer's own is beyond the end
     * @param end the high watermark
     */
    record InvalidCommit(long offset, long end) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.INVALID_COMMIT;
        }

        @Override
        public String evidence() {
            return "offset " + offset + " is beyond the end of the log, " + end
                    + ": the log was truncated or made anew, or something else was committed";
        }
    }

    /**
     * {@link Kind#COMMIT_FAILING}.
     *
     * @param since how long ago the first of the failures was
     * @param failures how many commits have failed since then
     * @param cause why the last one did
     */
    record CommitFailing(Duration since, long failures, String cause) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.COMMIT_FAILING;
        }

        @Override
        public String evidence() {
            return "commits have failed for " + Words.of(since) + ", " + failures + " in a row, the last one with "
                    + cause;
        }
    }

    /**
     * {@link Kind#BLOCKED}.
     *
     * @param offset the record that holds the others back
     * @param age how long ago it was delivered
     * @param completedBeyond how many records above it have finished, and can't be committed before it
     * @param worker who works on it, where that was started by {@link TrackedRecord#tryStart}
     */
    record Blocked(long offset, Duration age, long completedBeyond, Optional<Worker> worker)
            implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.BLOCKED;
        }

        @Override
        public String evidence() {
            return "the record at offset " + offset + " has been incomplete for " + Words.of(age) + ", and holds back "
                    + Words.count(completedBeyond, "finished record") + " beyond it";
        }
    }

    /**
     * {@link Kind#STALLED}.
     *
     * @param incomplete how many records are in flight
     * @param since how long nothing has finished
     * @param offset the lowest record in flight
     * @param worker who works on that one, where it was started by {@link TrackedRecord#tryStart}
     */
    record Stalled(long incomplete, Duration since, long offset, Optional<Worker> worker) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.STALLED;
        }

        @Override
        public String evidence() {
            return "nothing has finished for " + Words.of(since) + ", with " + Words.count(incomplete, "record")
                    + " in flight, the lowest at offset " + offset;
        }
    }

    /**
     * {@link Kind#FALLING_BEHIND}.
     *
     * @param before the work that remained at the beginning of the window
     * @param now the work that remains
     * @param window the time in between
     */
    record FallingBehind(long before, long now, Duration window) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.FALLING_BEHIND;
        }

        @Override
        public String evidence() {
            return "the work that remains has grown from " + before + " to " + now + " offsets in " + Words.of(window);
        }
    }

    /**
     * {@link Kind#STARVED}.
     *
     * @param position the next offset to fetch
     * @param end how far can be read; empty where it is not known, and the loop does not poll or the next record could not
     *     be deserialized
     * @param since how long the position has not moved
     * @param sincePoll how long ago the loop was last in poll
     */
    record Starved(long position, OptionalLong end, Duration since, Duration sincePoll) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.STARVED;
        }

        @Override
        public String evidence() {
            return (end.isPresent() ? Words.count(end.getAsLong() - position, "offset") + " can be read, " : "")
                    + "nothing is in flight, and the position " + position + " has not moved for " + Words.of(since)
                    + (sincePoll.isZero() ? "" : "; the loop last polled " + Words.of(sincePoll) + " ago");
        }
    }

    /**
     * {@link Kind#LSO_BLOCKED}.
     *
     * @param lastStableOffset the first offset of the first open transaction
     * @param highWatermark where the log's readable part ends apart from transactions
     */
    record LsoBlocked(long lastStableOffset, long highWatermark) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.LSO_BLOCKED;
        }

        @Override
        public String evidence() {
            return "a transaction is open from offset " + lastStableOffset + " on, and holds back "
                    + Words.count(highWatermark - lastStableOffset, "offset");
        }
    }

    /** {@link Kind#PAUSED}. */
    record Paused() implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.PAUSED;
        }

        @Override
        public String evidence() {
            return "paused by pause()";
        }
    }

    /**
     * {@link Kind#UNKNOWN}.
     *
     * @param evidence what is not known, and why
     */
    record Unknown(String evidence) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.UNKNOWN;
        }
    }

    /**
     * {@link Kind#OK}.
     *
     * @param remaining the work that remains, in offsets; empty where it is not known
     */
    record Ok(OptionalLong remaining) implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.OK;
        }

        @Override
        public String evidence() {
            return remaining.isPresent()
                    ? Words.count(remaining.getAsLong(), "offset") + " to go"
                    : "nothing is known to be wrong";
        }
    }

    /** {@link Kind#CAUGHT_UP}. */
    record CaughtUp() implements PartitionStatus {
        @Override
        public Kind kind() {
            return Kind.CAUGHT_UP;
        }

        @Override
        public String evidence() {
            return "nothing is left to do";
        }
    }

    /**
     * The thread that started the work on a record. Where that went on elsewhere, it may have other things to do by now.
     *
     * @param thread its name
     * @param stack where it is now, the innermost call first; empty when it has ended
     */
    record Worker(String thread, List<StackTraceElement> stack) {
        public Worker {
            stack = List.copyOf(stack);
        }
    }
}
