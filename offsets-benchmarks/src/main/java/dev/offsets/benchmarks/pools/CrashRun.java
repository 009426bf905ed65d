package dev.offsets.benchmarks.pools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Kills a child in mid-run, starts another, and counts what was handled twice, or never. */
final class CrashRun {
    /**
     * What has become of the records.
     *
     * @param again how often one was handled that had been handled before
     * @param lost how many have not been handled at all, when nothing was handled any more for half a minute
     */
    record Outcome(long again, int lost) {}

    private static final long NO_PROGRESS_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long LOOK_NANOS = Duration.ofMillis(1).toNanos();

    private final List<String> jobArguments;
    private final int records;
    private final int killedAt;

    /**
     * @param jobArguments those of the {@link Job}
     * @param records how many are in the topic
     * @param killedAt after how many the child is killed
     */
    CrashRun(List<String> jobArguments, int records, int killedAt) {
        this.jobArguments = jobArguments;
        this.records = records;
        this.killedAt = killedAt;
    }

    Outcome outcome() throws IOException, InterruptedException {
        Path file = Files.createTempFile("tally-", ".counts");
        try {
            Tally tally = Tally.open(file, records);
            List<String> arguments = new ArrayList<>(jobArguments);
            arguments.add(file.toString());
            arguments.add(Integer.toString(records));
            try (Child child = new Child(TallyingMain.class, arguments)) {
                awaitMissing(records - killedAt, child, tally);
                child.kill();
            }
            try (Child child = new Child(TallyingMain.class, arguments)) {
                awaitMissing(0, child, tally);
                child.stop();
            }
            return new Outcome(tally.again(), tally.missing());
        } finally {
            Files.delete(file);
        }
    }

    /** Waits until no more are missing, or for as long as nothing at all is handled. */
    private void awaitMissing(int most, Child child, Tally tally) {
        long progress = System.nanoTime();
        int before = records;
        for (int missing = tally.missing(); missing > most; missing = tally.missing()) {
            if (!child.isAlive()) {
                throw new IllegalStateException("a child process has ended by itself: its errors are above");
            }
            if (missing != before) {
                before = missing;
                progress = System.nanoTime();
            } else if (System.nanoTime() - progress > NO_PROGRESS_NANOS) {
                return;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
