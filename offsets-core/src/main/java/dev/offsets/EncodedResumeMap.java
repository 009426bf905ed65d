package dev.offsets;

import java.util.Objects;

/**
 * A {@link ResumeMap} as a string, and how much of it the string tells.
 *
 * @param text printable ASCII characters; empty when there is nothing to tell, or nothing of it fits
 * @param finishedRecords how many finished records the string tells of
 * @param leftOut how many finished records it does not tell of, since they did not fit: they would be delivered again
 */
public record EncodedResumeMap(String text, long finishedRecords, long leftOut) {
    /** No string is longer than this, whatever limit was given. */
    public static final int MOST_CHARACTERS = 32_000;

    public EncodedResumeMap {
        Objects.requireNonNull(text, "text");
    }
}
