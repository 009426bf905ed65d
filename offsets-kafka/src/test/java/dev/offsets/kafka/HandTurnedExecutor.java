package dev.offsets.kafka;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** An executor whose tasks run when the test says so, on the test's own thread. */
final class HandTurnedExecutor implements Executor {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    boolean rejects;
    int submitted;

    @Override
    public void execute(Runnable task) {
        if (rejects) {
            throw new RejectedExecutionException("full");
        }
        submitted++;
        tasks.add(task);
    }

    int waiting() {
        return tasks.size();
    }

    void runOne() {
        tasks.remove().run();
    }

    /** Runs what waits, and what that adds, until nothing waits. */
    void runAll() {
        while (!tasks.isEmpty()) {
            runOne();
        }
    }
}
