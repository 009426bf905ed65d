package dev.offsets.kafka;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Decides who deals with the outcome of a stage: the worker that began the work, if it is there by the time the worker would
 * go on to something else; otherwise whoever completes the stage.
 */
final class AsyncOutcome {
    private enum State {
        WORKER_IS_HERE,
        COMPLETED,
        WORKER_HAS_LEFT
    }

    /** What somebody else is to do with the outcome; the error is null when the work is done. */
    interface Elsewhere {
        void completed(Throwable error);
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.WORKER_IS_HERE);
    /** Written before the state. */
    private Throwable error;

    /**
     * Answers whether the outcome is there: it is the caller's to deal with. Otherwise it will be given to the other.
     *
     * @throws RuntimeException whatever the stage throws instead of taking the callback
     */
    boolean isThere(CompletionStage<?> stage, Elsewhere elsewhere) {
        stage.whenComplete((value, thrown) -> completed(thrown, elsewhere));
        return !state.compareAndSet(State.WORKER_IS_HERE, State.WORKER_HAS_LEFT);
    }

    private void completed(Throwable thrown, Elsewhere elsewhere) {
        error = thrown;
        if (!state.compareAndSet(State.WORKER_IS_HERE, State.COMPLETED)
                && state.compareAndSet(State.WORKER_HAS_LEFT, State.COMPLETED)) {
            elsewhere.completed(thrown);
        }
    }

    /** The outcome that {@link #isThere}; null when the work is done. */
    Throwable error() {
        return error;
    }
}
