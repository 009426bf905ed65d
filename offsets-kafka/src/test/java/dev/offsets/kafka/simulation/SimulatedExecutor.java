package dev.offsets.kafka.simulation;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The executor of one process: tasks run when their time has come, or where they are given; now and then it is full. */
final class SimulatedExecutor implements Executor {
    private final Simulation simulation;
    private final SimulatedClient client;
    private final boolean onCallingThread;
    private final Chance chance;

    SimulatedExecutor(Simulation simulation, SimulatedClient client, boolean onCallingThread) {
        this.simulation = simulation;
        this.client = client;
        this.onCallingThread = onCallingThread;
        this.chance = simulation.chance("executor of " + client.process);
    }

    @Override
    public void execute(Runnable task) {
        if (chance.perMille(50) && simulation.happens(Feature.REJECTING_EXECUTOR)) {
            throw new RejectedExecutionException("full");
        }
        if (onCallingThread) {
            task.run();
        } else {
            in(chance.pick(0, 0, chance.between(0, 30)) * VirtualTime.MILLI, task);
        }
    }

    /** Later, as on a thread of its own, which ends with its process and has no part in the interrupts of others. */
    void in(long nanos, Runnable task) {
        simulation.time.in(nanos, () -> {
            if (client.isCrashed()) {
                return;
            }
            boolean interrupted = Thread.interrupted();
            try {
                task.run();
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        });
    }
}
