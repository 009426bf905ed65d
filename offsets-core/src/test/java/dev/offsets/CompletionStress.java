package dev.offsets;

import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

/**
 * One owner tracks records, with holes, and advances; workers complete them in random order, many twice; readers look at
 * the committable offset all the time. Each worker writes down that a record is finished before it says so to the
 * tracker, in a plain array: the reader that sees the record covered must see the note, so the tracker's memory ordering
 * is checked along with its arithmetic.
 */
final class CompletionStress {
    private static final int RECORDS = 50_000;
    private static final int WORKERS = 16;
    private static final int READERS = 2;
    /** Workers take records out of order within blocks of so many. */
    private static final int SHUFFLED = 2_048;

    private static final int MOST_IN_FLIGHT = 3 * SHUFFLED;
    private static final int LARGEST_POLL = 200;

    private final StressRun run = new StressRun();
    private final StressSubject subject;
    private final long[] offsets = new long[RECORDS];
    private final int[] order = new int[RECORDS];
    private final byte[] finished = new byte[RECORDS];
    private final AtomicIntegerArray accepted = new AtomicIntegerArray(RECORDS);
    private final AtomicInteger nextInOrder = new AtomicInteger();
    private final AtomicInteger workersLeft = new AtomicInteger(WORKERS);
    private final Random random;
    private volatile int handedOut;
    private volatile boolean over;

    private CompletionStress(StressSubject subject, long seed) {
        this.subject = subject;
        random = new Random(seed);
        long offset = 0;
        for (int i = 0; i < RECORDS; i++) {
            offset += random.nextInt(10) == 0 ? 1 + random.nextInt(3) : 0;
            offsets[i] = offset++;
            order[i] = i;
        }
        for (int i = 0; i < RECORDS; i++) {
            int blockEnd = Math.min(RECORDS, (i / SHUFFLED + 1) * SHUFFLED);
            int other = i + random.nextInt(blockEnd - i);
            int record = order[i];
            order[i] = order[other];
            order[other] = record;
        }
    }

    /** One episode from start offset 0. Answers what was violated, if anything. */
    static Optional<String> episode(Supplier<StressSubject> subjects, long seed) {
        return new CompletionStress(subjects.get(), seed).play();
    }

    private Optional<String> play() {
        for (int i = 0; i < WORKERS; i++) {
            Random own = new Random(random.nextLong());
            run.start("worker " + i, () -> work(own));
        }
        StressRun readers = new StressRun();
        for (int i = 0; i < READERS; i++) {
            readers.start("reader " + i, () -> run.guarded("reader", this::read));
        }
        run.guarded("owner", this::own);
        run.join();
        long end = subject.advance();
        over = true;
        readers.join();
        if (run.violation().isEmpty()) {
            checkEnd(end);
        }
        return run.violation();
    }

    private void own() {
        long last = 0;
        int tracked = 0;
        while (workersLeft.get() > 0 && run.goesOn()) {
            if (tracked < RECORDS && tracked - nextInOrder.get() < MOST_IN_FLIGHT) {
                int pollEnd = Math.min(RECORDS, tracked + 1 + random.nextInt(LARGEST_POLL));
                while (tracked < pollEnd) {
                    subject.track(offsets[tracked++]);
                }
                handedOut = tracked;
            } else {
                Thread.yield();
            }
            long committable = subject.advance();
            if (committable < last) {
                run.violated("advance went back from " + last + " to " + committable);
            }
            last = committable;
        }
    }

    private void work(Random own) {
        for (int i = nextInOrder.getAndIncrement(); i < RECORDS; i = nextInOrder.getAndIncrement()) {
            int record = order[i];
            while (record >= handedOut) {
                if (!run.goesOn()) {
                    return;
                }
                Thread.yield();
            }
            if (own.nextInt(4) == 0) {
                complete(Math.max(0, record - own.nextInt(64)));
            }
            complete(record);
            if (own.nextInt(4) == 0) {
                complete(record);
            }
            completeIfHole(offsets[record] + 1);
        }
        workersLeft.decrementAndGet();
    }

    private void complete(int record) {
        finished[record] = 1;
        if (subject.complete(offsets[record]) == Receipt.ACCEPTED && accepted.incrementAndGet(record) > 1) {
            run.violated("two completions of " + offsets[record] + " were accepted");
        }
    }

    private void completeIfHole(long offset) {
        if (Arrays.binarySearch(offsets, offset) < 0 && subject.complete(offset) == Receipt.ACCEPTED) {
            run.violated("a completion of " + offset + " was accepted, which is a hole");
        }
    }

    private void read() {
        long last = 0;
        int verified = 0;
        int turns = 0;
        boolean wasOver;
        do {
            wasOver = over;
            long committable = turns++ % 8 == 0 ? subject.committableOffsetByStatus() : subject.committableOffset();
            if (committable < last) {
                run.violated("committable offset went back from " + last + " to " + committable);
            }
            last = committable;
            for (; verified < RECORDS && offsets[verified] < committable; verified++) {
                if (finished[verified] == 0) {
                    run.violated("committable offset " + committable + " covers " + offsets[verified]
                            + ", which is not finished");
                }
            }
        } while (!wasOver && run.goesOn());
    }

    private void checkEnd(long end) {
        for (int i = 0; i < RECORDS; i++) {
            if (accepted.get(i) == 0) {
                run.violated("no completion of " + offsets[i] + " was accepted");
            }
        }
        long position = offsets[RECORDS - 1] + 1;
        if (end != position) {
            run.violated("all is finished, and the committable offset is " + end + ", not the position " + position);
        }
    }
}
