package dev.offsets.benchmarks.pools;

import java.util.ArrayList;
import java.util.List;

/** As many threads as may work at once, each calling the handler again and again. */
final class ThreadsAlonePool implements Pool {
    private final RecordHandler handler;
    private final List<Thread> threads = new ArrayList<>();

    ThreadsAlonePool(Job job, RecordHandler handler) {
        this.handler = handler;
        for (int i = 0; i < job.scenario().atOnce(job.concurrency()); i++) {
            Thread thread = new Thread(this::work, "worker-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void work() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                handler.handle(null);
            }
        } catch (InterruptedException e) {
            // That was all
        }
    }

    @Override
    public void stop() throws InterruptedException {
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
