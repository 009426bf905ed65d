package dev.offsets.kafka;

import java.util.ConcurrentModificationException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Lets one thread in at a time, and that thread as often as it likes: a listener may call the consumer that calls it. */
final class LoopThread {
    private final AtomicReference<Thread> inside = new AtomicReference<>();

    <T> T call(Supplier<T> action) {
        Thread current = Thread.currentThread();
        if (inside.get() == current) {
            return action.get();
        }
        if (!inside.compareAndSet(null, current)) {
            Thread other = inside.get();
            throw new ConcurrentModificationException(
                    "a TrackedConsumer is for one thread: "
                            + (other == null ? "another thread" : other.getName()) + " is using it, and "
                            + current.getName()
                            + " called it. Workers report through records; only wakeup(), requestCommit(), status() and report() are for any thread");
        }
        try {
            return action.get();
        } finally {
            inside.set(null);
        }
    }
}
