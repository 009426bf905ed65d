package dev.offsets.benchmarks.pools;

/** The thread of a poll loop. */
abstract class LoopThread implements Pool {
    private final Thread thread = new Thread(this::loop, "loop");
    private volatile boolean stopped;

    final void start() {
        thread.start();
    }

    final boolean isRunning() {
        return !stopped;
    }

    /** Polls as long as it {@linkplain #isRunning is running}, and closes what it has opened. */
    abstract void run() throws Exception;

    private void loop() {
        try {
            run();
        } catch (Exception e) {
            throw new IllegalStateException("the loop has failed", e);
        }
    }

    @Override
    public final void stop() throws InterruptedException {
        stopped = true;
        thread.join();
    }
}
