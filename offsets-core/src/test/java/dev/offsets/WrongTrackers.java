package dev.offsets;

/** Trackers with one mistake each, of the kind that is made by hand. */
final class WrongTrackers {
    private WrongTrackers() {}

    /** Remembers only the highest record that finished. */
    static final class CommitsTheHighestFinished extends LockedTracker {
        private long highest = -1;

        @Override
        public synchronized Receipt complete(long offset) {
            Receipt receipt = super.complete(offset);
            highest = receipt == Receipt.ACCEPTED ? Math.max(highest, offset) : highest;
            return receipt;
        }

        @Override
        public synchronized long committableOffset() {
            return highest + 1;
        }

        @Override
        public synchronized long advance() {
            return committableOffset();
        }
    }

    /** Looks whether a record is open, and closes it in a second step. */
    static final class CompletesInTwoSteps extends LockedTracker {
        @Override
        public Receipt complete(long offset) {
            boolean wasOpen = isOpen(offset);
            Thread.yield();
            super.complete(offset);
            return wasOpen ? Receipt.ACCEPTED : Receipt.IGNORED;
        }
    }

    /** Lets a completion overrule a failure. */
    static final class CompletesWhatFailed extends LockedTracker {
        @Override
        public Receipt fail(long offset) {
            return isOpen(offset) ? Receipt.ACCEPTED : Receipt.IGNORED;
        }
    }

    /** Publishes the position before it has registered the record, and advances meanwhile. */
    static final class RegistersLate extends LockedTracker {
        @Override
        public void track(long offset) {
            movePosition(offset + 1);
            super.advance();
            super.track(offset);
        }
    }

    /** Sets bits of a shared word without an atomic operation, so that a neighbour's bit is lost now and then. */
    static final class LosesUpdates extends LockedTracker {
        private final long[] finishedWords = new long[1 << 12];
        private volatile long published;

        @Override
        public Receipt complete(long offset) {
            Receipt receipt = super.complete(offset);
            if (receipt == Receipt.ACCEPTED) {
                int word = (int) (offset >>> 6);
                long bits = finishedWords[word];
                if (offset % 64 == 0) {
                    Thread.yield();
                }
                finishedWords[word] = bits | 1L << offset;
            }
            return receipt;
        }

        @Override
        public long advance() {
            long committable = committableOffset();
            long end = super.advance();
            while (committable < end && hasFinished(committable)) {
                committable++;
            }
            published = committable;
            return committable;
        }

        private boolean hasFinished(long offset) {
            return !isTracked(offset) || (finishedWords[(int) (offset >>> 6)] & 1L << offset) != 0;
        }

        @Override
        public long committableOffset() {
            return published;
        }
    }

    /** Answers a reader with an older committable offset now and then. */
    static final class GoesBack extends LockedTracker {
        private long older;
        private long reads;

        @Override
        public synchronized long committableOffset() {
            if (reads++ % 1_000 == 999) {
                return older;
            }
            older = reads % 1_000 == 1 ? super.committableOffset() : older;
            return super.committableOffset();
        }
    }

    /** Accepts the completion of what it was never given. */
    static final class AcceptsHoles extends LockedTracker {
        @Override
        public Receipt complete(long offset) {
            return isTracked(offset) ? super.complete(offset) : Receipt.ACCEPTED;
        }
    }

    /** Looks whether starts are refused, and starts in a second step. */
    static final class StartsInTwoSteps extends LockedTracker {
        @Override
        public boolean tryStart(long offset) {
            if (startsRefused()) {
                return false;
            }
            Thread.yield();
            return start(offset);
        }
    }

    /** Looks whether a record is started, and opens it again in a second step. */
    static final class ReleasesInTwoSteps extends LockedTracker {
        @Override
        public Receipt release(long offset) {
            if (!isStarted(offset)) {
                return Receipt.IGNORED;
            }
            Thread.yield();
            reopen(offset);
            return Receipt.ACCEPTED;
        }
    }

    /** Does not end. */
    static final class NeverEnds extends LockedTracker {
        @Override
        public void end() {}
    }
}
