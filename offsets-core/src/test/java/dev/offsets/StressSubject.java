package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

/** What the stress checkers need of a tracker, so that known-wrong ones go through the same checkers. */
interface StressSubject {
    void track(long offset);

    Receipt complete(long offset);

    Receipt fail(long offset);

    boolean tryStart(long offset);

    Receipt release(long offset);

    void refuseStarts();

    /** Records that were started and have no outcome. */
    long started();

    long advance();

    void end();

    long committableOffset();

    /** The committable offset read in another way, where there is one. */
    default long committableOffsetByStatus() {
        return committableOffset();
    }

    static StressSubject of(OffsetTracker tracker) {
        return new StressSubject() {
            @Override
            public void track(long offset) {
                tracker.track(offset);
            }

            @Override
            public Receipt complete(long offset) {
                return tracker.complete(offset);
            }

            @Override
            public Receipt fail(long offset) {
                return tracker.fail(offset);
            }

            @Override
            public boolean tryStart(long offset) {
                return tracker.tryStart(offset);
            }

            @Override
            public Receipt release(long offset) {
                return tracker.release(offset);
            }

            @Override
            public void refuseStarts() {
                tracker.refuseStarts();
            }

            @Override
            public long started() {
                return tracker.status().started();
            }

            @Override
            public long advance() {
                return tracker.advance();
            }

            @Override
            public void end() {
                tracker.end();
            }

            @Override
            public long committableOffset() {
                return tracker.committableOffset();
            }

            @Override
            public long committableOffsetByStatus() {
                TrackerStatus status = tracker.status();
                assertThat(status.committableOffset()).isLessThanOrEqualTo(status.position());
                status.lowestIncompleteOffset()
                        .ifPresent(lowest -> assertThat(lowest).isGreaterThanOrEqualTo(status.committableOffset()));
                assertThat(status.lowestIncompleteOffset().isPresent()).isEqualTo(status.incomplete() > 0);
                return status.committableOffset();
            }
        };
    }
}
