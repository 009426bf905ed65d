package dev.offsets.kafka;

import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.apache.kafka.common.errors.InterruptException;

/** Tells errors that say something of the record from those that don't. */
final class Errors {
    /** Chains may have no end. */
    private static final int DEEPEST = 100;

    private Errors() {}

    /** What a stage completed with, without what futures wrap around it. */
    static Throwable unwrapped(Throwable error) {
        Throwable unwrapped = error;
        for (int depth = 0; depth < DEEPEST && isWrapper(unwrapped); depth++) {
            unwrapped = unwrapped.getCause();
        }
        return unwrapped;
    }

    private static boolean isWrapper(Throwable error) {
        return (error instanceof CompletionException || error instanceof ExecutionException)
                && error.getCause() != null;
    }

    /** Whether it is, or was caused by, an interrupt. */
    static boolean isInterrupt(Throwable error) {
        return anyInChain(
                error,
                cause -> cause instanceof InterruptedException
                        || cause instanceof InterruptException
                        || cause instanceof ClosedByInterruptException);
    }

    /** Whether it is, or was caused by, a failure of the virtual machine itself. */
    static boolean isOfTheMachine(Throwable error) {
        return anyInChain(
                error, cause -> cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError));
    }

    private static boolean anyInChain(Throwable error, Predicate<Throwable> condition) {
        Throwable cause = error;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (condition.test(cause)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
