package dev.offsets;

import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

/**
 * Two workers report an outcome for the same record at the same moment, one record after another. Exactly one of them is
 * accepted, and the committable offset passes the record if and only if that was a completion.
 */
final class ReportStress {
    private static final int RECORDS = 2_048;

    private final StressRun run = new StressRun();
    private final StressRun.Meetings meetings = run.meetings(2, RECORDS);
    private final AtomicIntegerArray accepted = new AtomicIntegerArray(RECORDS);
    private final StressSubject subject;
    private final int failsAt;
    private volatile boolean failureAccepted;

    private ReportStress(StressSubject subject, long seed) {
        this.subject = subject;
        failsAt = new Random(seed).nextInt(RECORDS);
    }

    static Optional<String> episode(Supplier<StressSubject> subjects, long seed) {
        return new ReportStress(subjects.get(), seed).play();
    }

    private Optional<String> play() {
        for (int offset = 0; offset < RECORDS; offset++) {
            subject.track(offset);
        }
        run.start("one", () -> report(false));
        run.start("other", () -> report(true));
        run.join();
        for (int offset = 0; offset < RECORDS; offset++) {
            if (accepted.get(offset) != 1) {
                run.violated(accepted.get(offset) + " outcomes of " + offset + " were accepted");
            }
        }
        long expected = failureAccepted ? failsAt : RECORDS;
        long committable = subject.advance();
        if (committable != expected) {
            run.violated("the committable offset is " + committable + ", not " + expected);
        }
        return run.violation();
    }

    private void report(boolean fails) {
        for (int offset = 0; offset < RECORDS && run.goesOn(); offset++) {
            meetings.meet(offset);
            boolean failure = fails && offset == failsAt;
            Receipt receipt = failure ? subject.fail(offset) : subject.complete(offset);
            if (receipt == Receipt.ACCEPTED) {
                accepted.incrementAndGet(offset);
                failureAccepted |= failure;
            }
        }
    }
}
