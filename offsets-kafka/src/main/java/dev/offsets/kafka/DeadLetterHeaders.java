package dev.offsets.kafka;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.header.Header;

/**
 * The headers of a dead letter: the record's own as they are, then those for its origin and its error. Their names and
 * encodings are the ones that Spring for Apache Kafka gives to dead letters, since many tools know those.
 */
/*
 * A record that is a dead letter already has such headers. Those of its origin stay, below the new ones, so that its way can
 * be followed; those of its error go, or it would grow by a stack trace each time.
 */
final class DeadLetterHeaders {
    private static final String PREFIX = "kafka_dlt-";
    private static final String ORIGINAL = PREFIX + "original-";
    private static final String ERROR = PREFIX + "exception-";
    private static final String KEY_ERROR = PREFIX + "key-exception-";
    private static final String TYPE = "fqcn";
    private static final String CAUSE_TYPE = ERROR + "cause-" + TYPE;
    private static final String MESSAGE = "message";
    private static final String STACK_TRACE = "stacktrace";

    private static final Set<String> OF_THE_ERROR = Set.of(
            ERROR + TYPE,
            CAUSE_TYPE,
            ERROR + MESSAGE,
            ERROR + STACK_TRACE,
            KEY_ERROR + TYPE,
            KEY_ERROR + MESSAGE,
            KEY_ERROR + STACK_TRACE);

    /** What is longer is cut, so that a record which the broker took is not refused for what explains it. */
    private static final int LONGEST_MESSAGE = 1_000;

    private static final int LONGEST_STACK_TRACE = 16_000;

    private record NamedValue(String key, byte[] value) implements Header {}

    private final List<Header> headers = new ArrayList<>();

    private DeadLetterHeaders() {}

    static List<Header> of(DeadLetter letter) {
        DeadLetterHeaders all = new DeadLetterHeaders();
        for (Header header : letter.original().headers()) {
            if (!OF_THE_ERROR.contains(header.key())) {
                all.headers.add(header);
            }
        }
        all.addOrigin(letter.original(), letter.group());
        all.addError(letter.error());
        return all.headers;
    }

    private void addOrigin(ConsumerRecord<?, ?> original, String group) {
        add(ORIGINAL + "topic", original.topic());
        add(ORIGINAL + "partition", bytes(original.partition()));
        add(ORIGINAL + "offset", bytes(original.offset()));
        add(ORIGINAL + "timestamp", bytes(original.timestamp()));
        add(ORIGINAL + "timestamp-type", original.timestampType().toString());
        add(ORIGINAL + "consumer-group", group);
    }

    private void addError(Throwable error) {
        String prefix = isOfTheKey(error) ? KEY_ERROR : ERROR;
        add(prefix + TYPE, error.getClass().getName());
        if (error.getCause() != null) {
            add(CAUSE_TYPE, error.getCause().getClass().getName());
        }
        if (error.getMessage() != null) {
            add(prefix + MESSAGE, cut(error.getMessage(), LONGEST_MESSAGE));
        }
        add(prefix + STACK_TRACE, cutInTheMiddle(stackTrace(error), LONGEST_STACK_TRACE));
    }

    private static boolean isOfTheKey(Throwable error) {
        return error instanceof RecordDeserializationException undecodable
                && undecodable.origin() == DeserializationExceptionOrigin.KEY;
    }

    private void add(String name, String text) {
        add(name, text.getBytes(StandardCharsets.UTF_8));
    }

    private void add(String name, byte[] value) {
        headers.add(new NamedValue(name, value));
    }

    private static byte[] bytes(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static String cut(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest) + "...";
    }

    /** A stack trace begins with the error and ends with what caused it. */
    private static String cutInTheMiddle(String text, int longest) {
        int half = longest / 2;
        return text.length() <= longest
                ? text
                : text.substring(0, half) + "\n...\n" + text.substring(text.length() - half);
    }

    private static String stackTrace(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }
}
