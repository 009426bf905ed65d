package dev.offsets;

import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/**
 * Workers complete records; the owner advances and ends the incarnation at some moment. What is reported from then on is
 * ignored, and the committable offset stays.
 */
final class EndStress {
    private static final int RECORDS = 1_024;
    private static final int WORKERS = 4;
    private static final int MOST_ADVANCES = 40;

    private final StressRun run = new StressRun();
    private final CountDownLatch ready = new CountDownLatch(WORKERS + 1);
    private final byte[] finished = new byte[RECORDS];
    private final StressSubject subject;
    private final Random random;
    private volatile boolean ended;

    private EndStress(StressSubject subject, long seed) {
        this.subject = subject;
        this.random = new Random(seed);
    }

    static Optional<String> episode(Supplier<StressSubject> subjects, long seed) {
        return new EndStress(subjects.get(), seed).play();
    }

    private Optional<String> play() {
        for (int offset = 0; offset < RECORDS; offset++) {
            subject.track(offset);
        }
        for (int i = 0; i < WORKERS; i++) {
            int remainder = i;
            run.start("worker " + i, () -> work(remainder));
        }
        run.guarded("owner", this::advanceAndEnd);
        run.join();
        return run.violation();
    }

    private void advanceAndEnd() throws InterruptedException {
        ready.countDown();
        ready.await();
        long last = 0;
        for (int advances = random.nextInt(MOST_ADVANCES); advances > 0; advances--) {
            last = subject.advance();
        }
        subject.end();
        ended = true;
        for (int i = 0; i < MOST_ADVANCES; i++) {
            long committable = subject.advance();
            if (committable != last || subject.committableOffset() != last) {
                run.violated("the committable offset moved from " + last + " to " + committable + " after the end");
            }
        }
        for (int offset = 0; offset < last; offset++) {
            if (finished[offset] == 0) {
                run.violated("the committable offset " + last + " covers " + offset + ", which is not finished");
            }
        }
    }

    private void work(int remainder) throws InterruptedException {
        ready.countDown();
        ready.await();
        for (int offset = remainder; offset < RECORDS; offset += WORKERS) {
            boolean late = ended;
            finished[offset] = 1;
            if (subject.complete(offset) == Receipt.ACCEPTED && late) {
                run.violated("the completion of " + offset + " was accepted after the end");
            }
        }
    }
}
