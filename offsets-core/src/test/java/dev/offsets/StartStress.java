package dev.offsets;

import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

/**
 * Workers start and finish records; the owner refuses starts at some moment and waits until none is started any more.
 * From then on nobody may hold a start.
 */
final class StartStress {
    private static final int RECORDS = 256;
    private static final int WORKERS = 4;
    private static final int LONGEST_PAUSE_SPINS = 4_000;

    private final StressRun run = new StressRun();
    private final CountDownLatch ready = new CountDownLatch(WORKERS + 1);
    private final AtomicIntegerArray starts = new AtomicIntegerArray(RECORDS);
    private final StressSubject subject;
    private final Random random;
    private volatile boolean drained;

    private StartStress(StressSubject subject, long seed) {
        this.subject = subject;
        this.random = new Random(seed);
    }

    static Optional<String> episode(Supplier<StressSubject> subjects, long seed) {
        return new StartStress(subjects.get(), seed).play();
    }

    private Optional<String> play() {
        for (int offset = 0; offset < RECORDS; offset++) {
            subject.track(offset);
        }
        for (int i = 0; i < WORKERS; i++) {
            int first = random.nextInt(RECORDS);
            run.start("worker " + i, () -> work(first));
        }
        run.guarded("owner", this::refuseAndDrain);
        run.join();
        return run.violation();
    }

    private void refuseAndDrain() throws InterruptedException {
        ready.countDown();
        ready.await();
        for (int spins = random.nextInt(LONGEST_PAUSE_SPINS); spins > 0; spins--) {
            Thread.onSpinWait();
        }
        subject.refuseStarts();
        while (subject.started() > 0 && run.goesOn()) {
            Thread.onSpinWait();
        }
        drained = true;
    }

    private void work(int first) throws InterruptedException {
        ready.countDown();
        ready.await();
        for (int i = 0; i < RECORDS && run.goesOn(); i++) {
            int offset = (first + i) % RECORDS;
            if (!subject.tryStart(offset)) {
                continue;
            }
            if (drained) {
                run.violated(offset + " is started after the drain");
            }
            if (starts.incrementAndGet(offset) > 1) {
                run.violated(offset + " was started twice");
            }
            if (subject.complete(offset) != Receipt.ACCEPTED) {
                run.violated("the completion of " + offset + " was ignored for the one who started it");
            }
        }
    }
}
