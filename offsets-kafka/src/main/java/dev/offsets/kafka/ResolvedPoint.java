package dev.offsets.kafka;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * A {@link ReplayPoint} in one partition's log, as it was when the plan was made. Immutable.
 *
 * @param requested what was asked for
 * @param offset the offset that it is, always one within the log; empty when it could not be told
 * @param clamped whether what was asked for lies outside of the log, and this is the nearest within
 * @param reason why it was clamped, or could not be told, or is not what one would expect; otherwise empty
 */
public record ResolvedPoint(ReplayPoint requested, OptionalLong offset, boolean clamped, String reason) {
    public ResolvedPoint {
        Objects.requireNonNull(requested, "requested");
        Objects.requireNonNull(offset, "offset");
        Objects.requireNonNull(reason, "reason");
    }

    static ResolvedPoint at(ReplayPoint requested, long offset) {
        return at(requested, offset, "");
    }

    static ResolvedPoint at(ReplayPoint requested, long offset, String reason) {
        return new ResolvedPoint(requested, OptionalLong.of(offset), false, reason);
    }

    static ResolvedPoint clamped(ReplayPoint requested, long offset, String reason) {
        return new ResolvedPoint(requested, OptionalLong.of(offset), true, reason);
    }

    static ResolvedPoint unknown(ReplayPoint requested, String reason) {
        return new ResolvedPoint(requested, OptionalLong.empty(), false, reason);
    }
}
