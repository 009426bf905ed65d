package dev.offsets.stress;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * The tracker with one thing broken, and the test that has to notice. A twin is the library's own source with one text
 * replaced, or a few, compiled for the run: it can't fall behind the class that it is a twin of.
 *
 * @param test the test, without its package
 * @param why what is broken
 * @param outcome what comes of it: the outcomes, forbidden by the test, that match this
 * @param file the source file
 * @param replacements texts that stand in it once, and what takes their place
 */
record Twin(String test, String why, Pattern outcome, String file, Map<String, String> replacements) {
    /** The source with these places broken. */
    String breakSource(String source) {
        String broken = source;
        for (Map.Entry<String, String> replacement : replacements.entrySet()) {
            String original = replacement.getKey();
            int at = source.indexOf(original);
            if (at < 0 || source.indexOf(original, at + 1) >= 0) {
                throw new IllegalStateException(file + " must have this once, for a twin of " + test + ": " + original);
            }
            broken = broken.replace(original, replacement.getValue());
        }
        return broken;
    }
}
