package dev.offsets;

import java.util.Objects;

/**
 * What became of a string that was committed along with an offset.
 *
 * @param map the resume map; empty for every outcome but {@link Outcome#INTACT}
 * @param outcome what the string was found to be
 */
public record DecodedResumeMap(ResumeMap map, Outcome outcome) {
    /** What a string was found to be. */
    public enum Outcome {
        /** A resume map for this log and offset. */
        INTACT,

        /** There was none: it was null or empty. Nothing is wrong. */
        ABSENT,

        /** Not made by this library. */
        FOREIGN,

        /** Made by a version of this library that writes another format. */
        OTHER_VERSION,

        /** Made for another log or for another offset. */
        OTHER_LOG_OR_OFFSET,

        /** Longer than any that this library makes. */
        TOO_LONG,

        /** Not as it was made. */
        DAMAGED
    }

    public DecodedResumeMap {
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(outcome, "outcome");
    }
}
