package dev.offsets.examples.report;

import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Shows a text anew after each pause, until the thread is interrupted. Once it could be made, one that can't be is told of, and
 * the next one tried: brokers restart while somebody watches.
 */
final class Watch {
    /** What is between two texts. */
    interface Pause {
        void pause() throws InterruptedException;
    }

    private final Callable<String> text;
    private final Screen screen;
    private final PrintStream errors;
    private final Function<Exception, String> wording;
    private final Pause pause;

    /** @param wording what is said of a text that could not be made */
    Watch(Callable<String> text, Screen screen, PrintStream errors, Function<Exception, String> wording, Pause pause) {
        this.text = text;
        this.screen = screen;
        this.errors = errors;
        this.wording = wording;
        this.pause = pause;
    }

    void run() throws Exception {
        screen.show(text.call());
        while (true) {
            pause.pause();
            try {
                screen.show(text.call());
            } catch (ExecutionException | TimeoutException e) {
                errors.println(wording.apply(e));
            }
        }
    }
}
