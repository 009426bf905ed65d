package dev.offsets.examples;

import java.io.IOException;

/** What standard output is. */
public final class Terminal {
    private Terminal() {}

    /**
     * Whether standard output is a terminal, on which lines can be drawn again. Asked of the system, since
     * {@code System.console()} would want standard input to be one, too.
     */
    public static boolean isStandardOutput() throws InterruptedException {
        try {
            return new ProcessBuilder("test", "-t", "1").inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
