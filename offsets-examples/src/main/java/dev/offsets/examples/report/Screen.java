package dev.offsets.examples.report;

import java.io.PrintStream;

/** Shows one text after another: in place of the last one on a terminal, below it otherwise. */
final class Screen {
    private static final String TO_THE_TOP = "\u001b[H";
    private static final String CLEAR_TO_END_OF_LINE = "\u001b[K";
    private static final String CLEAR_TO_END = "\u001b[J";

    private final PrintStream out;
    private final boolean inPlace;

    Screen(PrintStream out, boolean inPlace) {
        this.out = out;
        this.inPlace = inPlace;
    }

    /** @param text lines, each with its end */
    void show(String text) {
        // Nothing is cleared before it is written over, so that nothing flickers.
        out.print(inPlace ? TO_THE_TOP + text.replace("\n", CLEAR_TO_END_OF_LINE + "\n") + CLEAR_TO_END : text);
        out.flush();
    }
}
