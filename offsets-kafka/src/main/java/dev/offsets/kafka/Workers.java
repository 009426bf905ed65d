package dev.offsets.kafka;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets workers onto the user's executor. A worker takes one piece of work after another from the queue until there is none;
 * one that has worked for a while goes back to the end of the executor's own queue, so that others get their turn.
 */
/*
 * Executors differ. One may run what it is given on the calling thread, always or only when it is full: that is fine in the
 * loop thread's own turn, which has to go on polling: it leaves after a while where others work. A worker that finds itself
 * inside the submission by another thread, which has work of its own to go on with, leaves at once. One may reject: then there are fewer workers until the loop thread tries again in its next
 * turn.
 */
final class Workers {
    private static final Logger log = LoggerFactory.getLogger(Workers.class);
    private static final long TURN_NANOS = 10_000_000;

    /** Does one piece of work. */
    interface Attempt {
        /** Answers whether the work has been done; otherwise it completes elsewhere. */
        boolean at(Work work);
    }

    private final Executor executor;
    private final WorkQueue queue;
    private final Attempt attempt;
    private final Time time;

    /** Why the executor has not taken a worker, since the loop thread has last tried. */
    private volatile Throwable rejection;

    private boolean warned;

    Workers(Executor executor, WorkQueue queue, Attempt attempt, Time time) {
        this.executor = executor;
        this.queue = queue;
        this.attempt = attempt;
        this.time = time;
    }

    /** Loop thread: sends for workers, as many as are wanted and come. They may work here. */
    void sendFromLoop() {
        rejection = null;
        while (!Thread.currentThread().isInterrupted() && send(true)) {}
        Throwable rejected = rejection;
        if (rejected == null) {
            warned = false;
        } else if (!warned && queue.abandoned().isPresent()) {
            warned = true;
            log.warn("The executor takes no work: records wait, and it is tried again", rejected);
        }
    }

    /** Any thread: sends for a worker, if one is wanted. It does not work here. */
    void send() {
        if (rejection == null) {
            send(false);
        }
    }

    private boolean send(boolean mayWorkHere) {
        return queue.reserveWorker() && submit(mayWorkHere);
    }

    /** Answers whether a worker comes, or has come and found nothing more to do; if none comes, its place is given up. */
    private boolean submit(boolean mayWorkHere) {
        Worker worker = new Worker(mayWorkHere);
        boolean comes = worker.submit();
        if (!comes) {
            queue.workerWillNotCome();
        }
        return comes && !worker.hasLeftToOthers;
    }

    /** Why nobody will ever work again; null as long as somebody may. */
    RejectedExecutionException shutDown() {
        if (!(executor instanceof ExecutorService service) || !service.isShutdown()) {
            return null;
        }
        Throwable rejected = rejection;
        if (rejected instanceof RejectedExecutionException exception) {
            return exception;
        }
        return rejected != null || service.isTerminated()
                ? new RejectedExecutionException("the executor was shut down before the consumer was closed", rejected)
                : null;
    }

    private final class Worker implements Runnable {
        private final boolean mayWorkHere;
        private final Thread submitter = Thread.currentThread();
        /** Whether it has come, or is not to come any more. */
        private final AtomicBoolean decided = new AtomicBoolean();

        // The submitter's own.
        private boolean submitting;
        private boolean sentAway;
        private boolean hasLeftToOthers;

        Worker(boolean mayWorkHere) {
            this.mayWorkHere = mayWorkHere;
        }

        boolean submit() {
            submitting = true;
            try {
                executor.execute(this);
            } catch (Throwable e) {
                if (decided.compareAndSet(false, true)) {
                    rejection = e;
                    return false;
                }
                log.warn("The executor ran what it rejected", e);
            } finally {
                submitting = false;
            }
            return !sentAway;
        }

        @Override
        public void run() {
            if (!decided.compareAndSet(false, true)) {
                return;
            }
            boolean insideSubmission = Thread.currentThread() == submitter && submitting;
            if (insideSubmission && !mayWorkHere) {
                sentAway = true;
                return;
            }
            long now = time.nanoTime();
            work(queue.workerHasCome(now), now, insideSubmission);
        }

        private void work(Work first, long beganNanos, boolean onLoopThread) {
            Work work = first;
            long turnBeganNanos = beganNanos;
            while (work != null) {
                if (!onLoopThread && work.moreWorkersWanted) {
                    send();
                }
                Work done = attempt.at(work) ? work : null;
                long now = time.nanoTime();
                if (Thread.currentThread().isInterrupted()) {
                    // Not ours to clear, and the next piece of work is not to suffer for it.
                    queue.leave(done, false, now);
                    return;
                }
                if (now - turnBeganNanos < TURN_NANOS) {
                    work = done == null ? queue.nextAfterDetaching(now) : queue.next(done, now);
                } else if (onLoopThread && queue.othersWork()) {
                    queue.leave(done, false, now);
                    hasLeftToOthers = true;
                    return;
                } else {
                    queue.leave(done, true, now);
                    if (new Worker(false).submit()) {
                        return;
                    }
                    turnBeganNanos = now;
                    work = queue.workerHasCome(now);
                }
            }
        }
    }
}
