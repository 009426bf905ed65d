package dev.offsets.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.StringJoiner;

/** Writes one JSON object: members in the order in which they are added. */
final class Json {
    private final StringJoiner members = new StringJoiner(",", "{", "}");

    Json text(String name, String value) {
        return raw(name, quoted(value));
    }

    Json text(String name, Optional<String> value) {
        return raw(name, value.map(Json::quoted).orElse("null"));
    }

    Json number(String name, long value) {
        return raw(name, Long.toString(value));
    }

    Json number(String name, OptionalLong value) {
        return raw(name, value.isPresent() ? Long.toString(value.getAsLong()) : "null");
    }

    Json millis(String name, Optional<Duration> value) {
        return raw(
                name, value.map(duration -> Long.toString(duration.toMillis())).orElse("null"));
    }

    Json flag(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    Json object(String name, Json value) {
        return raw(name, value.toString());
    }

    /** An array of what are JSON values already. */
    Json array(String name, Collection<?> values) {
        StringJoiner array = new StringJoiner(",", "[", "]");
        values.forEach(value -> array.add(value.toString()));
        return raw(name, array.toString());
    }

    private Json raw(String name, String value) {
        members.add(quoted(name) + ":" + value);
        return this;
    }

    /** RFC 8259: quotes, backslashes and control characters are escaped; so is half of a pair of surrogates. */
    static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int index = 0; index < text.length(); index++) {
            char c = text.charAt(index);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || isLoneSurrogate(text, index)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }

    private static boolean isLoneSurrogate(String text, int index) {
        char c = text.charAt(index);
        boolean paired = Character.isHighSurrogate(c)
                ? index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1))
                : index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
        return Character.isSurrogate(c) && !paired;
    }

    @Override
    public String toString() {
        return members.toString();
    }
}
