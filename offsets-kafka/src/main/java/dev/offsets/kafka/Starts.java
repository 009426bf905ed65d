package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Which record each thread has started last, so that a report can say who works on the record that holds others back. Any
 * thread; nothing is allocated but once for each thread, and nothing waits.
 */
/*
 * A slot belongs to one thread, which alone writes it. A thread finds its slot by its number, and takes the place of one
 * that has ended; where all places that it may have are taken by others, it takes the first, and that thread is not known
 * until it starts something again.
 */
final class Starts {
    private static final int PLACES = 256;
    private static final int TRIES = 8;
    private static final long NOTHING = -1;
    private static final VarHandle OFFSET;

    static {
        try {
            OFFSET = MethodHandles.lookup().findVarHandle(Slot.class, "offset", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final class Slot {
        final Thread thread;
        /** Written before the offset, read after it. */
        volatile OffsetTracker incarnation;
        /** Written by the thread (setRelease), read by any (getAcquire). */
        @SuppressWarnings("unused")
        private long offset = NOTHING;

        Slot(Thread thread) {
            this.thread = thread;
        }

        long offset() {
            return (long) OFFSET.getAcquire(this);
        }
    }

    private final AtomicReferenceArray<Slot> slots = new AtomicReferenceArray<>(PLACES);

    /** The calling thread begins to work on a record. */
    void started(OffsetTracker incarnation, long offset) {
        Slot slot = slotOf(Thread.currentThread());
        if (slot.incarnation != incarnation) {
            OFFSET.setRelease(slot, NOTHING);
            slot.incarnation = incarnation;
        }
        OFFSET.setRelease(slot, offset);
    }

    @SuppressWarnings("deprecation") // threadId() is not there before Java 19
    private Slot slotOf(Thread thread) {
        int first = (int) thread.getId();
        int free = -1;
        for (int i = 0; i < TRIES; i++) {
            int place = (first + i) & (PLACES - 1);
            Slot slot = slots.getAcquire(place);
            if (slot != null && slot.thread == thread) {
                return slot;
            }
            if (free < 0 && (slot == null || !slot.thread.isAlive())) {
                free = place;
            }
        }
        Slot slot = new Slot(thread);
        slots.setRelease(free < 0 ? first & (PLACES - 1) : free, slot);
        return slot;
    }

    /** The thread that has started a record and nothing else since; empty when none is known to. */
    Optional<Thread> startedBy(OffsetTracker incarnation, long offset) {
        for (int place = 0; place < PLACES; place++) {
            Slot slot = slots.getAcquire(place);
            // The offset once more, in case the slot has just passed to another incarnation.
            if (slot != null && slot.offset() == offset && slot.incarnation == incarnation && slot.offset() == offset) {
                return Optional.of(slot.thread);
            }
        }
        return Optional.empty();
    }
}
