package dev.offsets.examples.demo;

import dev.offsets.examples.Terminal;
import java.io.PrintStream;
import java.util.List;

/** Where the demo tells its story: a terminal, on which lines can be drawn again, or anything else. */
final class Console {
    private static final String CLEAR_TO_END_OF_LINE = "\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private final long startNanos = System.nanoTime();

    Console(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Standard output. */
    static Console standard() throws InterruptedException {
        return new Console(System.out, Terminal.isStandardOutput());
    }

    boolean canRedraw() {
        return terminal;
    }

    /** Prints a step of the story, with the seconds since the beginning. */
    void step(String format, Object... arguments) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        out.printf("%5.1f s  %s%n", seconds, format.formatted(arguments));
    }

    void print(List<String> lines) {
        out.println();
        lines.forEach(out::println);
    }

    /** Draws lines over the last ones that were printed. */
    void redraw(int linesAbove, List<String> lines) {
        StringBuilder text = new StringBuilder();
        if (linesAbove > 0) {
            text.append("\u001b[").append(linesAbove).append('A');
        }
        lines.forEach(line -> text.append(line).append(CLEAR_TO_END_OF_LINE).append('\n'));
        out.print(text);
        out.flush();
    }
}
