package dev.offsets;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;

/** The threads of one episode of a stress test, and the first violation that any of them saw. */
final class StressRun {
    private static final long STUCK_SECONDS = 60;

    private final AtomicReference<String> violation = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private final long stuckAtNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(STUCK_SECONDS);

    interface Body {
        void run() throws Exception;
    }

    void start(String name, Body body) {
        Thread thread = new Thread(() -> guarded(name, body), name);
        threads.add(thread);
        thread.start();
    }

    void guarded(String name, Body body) {
        try {
            body.run();
        } catch (Throwable t) {
            violated(name + " threw " + t);
        }
    }

    void violated(String what) {
        violation.compareAndSet(null, what);
    }

    /** Whether loops should go on: nothing was violated, and the episode is not stuck. */
    boolean goesOn() {
        if (System.nanoTime() - stuckAtNanos > 0) {
            violated("stuck for " + STUCK_SECONDS + " s");
        }
        return violation.get() == null;
    }

    void join() {
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            violated("interrupted");
        }
        threads.clear();
    }

    Optional<String> violation() {
        return Optional.ofNullable(violation.get());
    }

    /** So many rounds for so many threads. */
    Meetings meetings(int parties, int rounds) {
        return new Meetings(parties, rounds);
    }

    /** Lets threads meet round after round by spinning, so that they leave as nearly at once as processors can. */
    final class Meetings {
        private static final int SPINS_BEFORE_YIELD = 1_000;

        private final int parties;
        private final AtomicIntegerArray arrived;

        private Meetings(int parties, int rounds) {
            this.parties = parties;
            this.arrived = new AtomicIntegerArray(rounds);
        }

        void meet(int round) {
            arrived.incrementAndGet(round);
            for (int spins = 1; arrived.get(round) < parties; spins++) {
                if (spins % SPINS_BEFORE_YIELD != 0) {
                    Thread.onSpinWait();
                } else if (goesOn()) {
                    Thread.yield();
                } else {
                    return;
                }
            }
        }
    }
}
