package dev.offsets;

import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A worker starts a record at the moment in which the owner refuses starts and counts. A start that was granted is counted:
 * else the owner would take the partition for drained while work begins. One tracker a round, many rounds.
 */
final class RefusalStress {
    private static final int ROUNDS = 2_048;
    private static final int MOST_SPINS_LATE = 24;

    private final StressRun run = new StressRun();
    private final StressRun.Meetings meetings = run.meetings(2, ROUNDS);
    private final StressSubject[] subjects = new StressSubject[ROUNDS];
    private final boolean[] granted = new boolean[ROUNDS];
    private final long[] counted = new long[ROUNDS];
    private final Random random;

    private RefusalStress(Supplier<StressSubject> trackers, long seed) {
        random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            subjects[round] = trackers.get();
            subjects[round].track(0);
        }
    }

    static Optional<String> episode(Supplier<StressSubject> trackers, long seed) {
        return new RefusalStress(trackers, seed).play();
    }

    private Optional<String> play() {
        Random workersOwn = new Random(random.nextLong());
        Random ownersOwn = new Random(random.nextLong());
        run.start("worker", () -> {
            for (int round = 0; round < ROUNDS; round++) {
                meetings.meet(round);
                spin(workersOwn);
                granted[round] = subjects[round].tryStart(0);
            }
        });
        run.start("owner", () -> {
            for (int round = 0; round < ROUNDS; round++) {
                meetings.meet(round);
                spin(ownersOwn);
                subjects[round].refuseStarts();
                counted[round] = subjects[round].started();
            }
        });
        run.join();
        for (int round = 0; round < ROUNDS; round++) {
            if (granted[round] && counted[round] == 0) {
                run.violated("a start was granted and not counted");
            }
            if (!granted[round] && subjects[round].started() != 0) {
                run.violated("a start was refused and stayed counted");
            }
        }
        return run.violation();
    }

    private static void spin(Random own) {
        for (int spins = own.nextInt(MOST_SPINS_LATE); spins > 0; spins--) {
            Thread.onSpinWait();
        }
    }
}
