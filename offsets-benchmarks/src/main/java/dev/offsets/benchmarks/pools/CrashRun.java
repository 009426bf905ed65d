package dev.offsets.benchmarks.pools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Kills a child in mid-run, starts another, and counts what was handled twice. */
final class CrashRun {
    private static final long NO_PROGRESS_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long LOOK_NANOS = Duration.ofMillis(1).toNanos();

    private final Job job;
    private final int records;
    private final int killedAt;

    /**
     * @param records how many are in the topic
     * @param killedAt after how many the child is killed
     */
    CrashRun(Job job, int records, int killedAt) {
        this.job = job;
        this.records = records;
        this.killedAt = killedAt;
    }

    /**
     * Answers how often a record was handled that had been handled before.
     *
     * @throws IllegalStateException if records were lost: some are not handled, and nothing is for half a minute
     */
    long duplicates() throws IOException, InterruptedException {
        Path file = Files.createTempFile("tally-", ".counts");
        try {
            Tally tally = Tally.open(file, records);
            List<String> arguments = new ArrayList<>(job.toArguments());
            arguments.add(file.toString());
            arguments.add(Integer.toString(records));
            try (Child child = new Child(TallyingMain.class, arguments)) {
                await(() -> records - tally.missing() >= killedAt, child, tally);
                child.kill();
            }
            try (Child child = new Child(TallyingMain.class, arguments)) {
                await(() -> tally.missing() == 0, child, tally);
                child.stop();
            }
            return tally.again();
        } finally {
            Files.delete(file);
        }
    }

    private void await(BooleanSupplier condition, Child child, Tally tally) {
        long progress = System.nanoTime();
        int missingBefore = records;
        while (!condition.getAsBoolean()) {
            int missing = tally.missing();
            if (missing != missingBefore) {
                missingBefore = missing;
                progress = System.nanoTime();
            }
            if (!child.isAlive() || System.nanoTime() - progress > NO_PROGRESS_NANOS) {
                throw new IllegalStateException(
                        job.contender() + ": " + missing + " of " + records + " records have not been handled");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
