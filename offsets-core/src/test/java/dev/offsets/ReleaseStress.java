package dev.offsets;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

/**
 * A worker takes back its start of a record at the moment in which others complete the record and try to claim it, one
 * record after another. The completion stays, and nobody claims a start that was not taken back.
 */
final class ReleaseStress {
    private static final int RECORDS = 2_048;

    private final StressRun run = new StressRun();
    private final StressRun.Meetings meetings = run.meetings(3, RECORDS);
    private final AtomicIntegerArray released = new AtomicIntegerArray(RECORDS);
    private final AtomicIntegerArray claimed = new AtomicIntegerArray(RECORDS);
    private final StressSubject subject;

    private ReleaseStress(StressSubject subject) {
        this.subject = subject;
    }

    static Optional<String> episode(Supplier<StressSubject> subjects, long seed) {
        return new ReleaseStress(subjects.get()).play();
    }

    private Optional<String> play() {
        for (int offset = 0; offset < RECORDS; offset++) {
            subject.track(offset);
            subject.tryStart(offset);
        }
        run.start(
                "releasing",
                () -> each(offset -> {
                    if (subject.release(offset) == Receipt.ACCEPTED) {
                        released.incrementAndGet(offset);
                    }
                }));
        run.start(
                "claiming",
                () -> each(offset -> {
                    if (subject.tryStart(offset)) {
                        claimed.incrementAndGet(offset);
                    }
                }));
        run.start(
                "completing",
                () -> each(offset -> {
                    if (subject.complete(offset) != Receipt.ACCEPTED) {
                        run.violated("the completion of " + offset + " was ignored");
                    }
                }));
        run.join();
        long committable = subject.advance();
        if (committable != RECORDS) {
            run.violated("the completion of " + committable + " was taken back");
        }
        for (int offset = 0; offset < RECORDS; offset++) {
            if (claimed.get(offset) > released.get(offset)) {
                run.violated(offset + " was claimed, and its start was not taken back");
            }
        }
        return run.violation();
    }

    private interface Step {
        void at(int offset);
    }

    private void each(Step step) {
        for (int offset = 0; offset < RECORDS && run.goesOn(); offset++) {
            meetings.meet(offset);
            step.at(offset);
        }
    }
}
