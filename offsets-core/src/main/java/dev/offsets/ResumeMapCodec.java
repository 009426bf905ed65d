package dev.offsets;

import dev.offsets.DecodedResumeMap.Outcome;
import dev.offsets.ResumeMap.Run;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A resume map as a string and back: a mark and a version, then as {@linkplain PrintableBytes printable} bytes a checksum,
 * what binds the map to its log and offset, and the {@linkplain ResumeMapWriter message}.
 */
final class ResumeMapCodec {
    /** A letter and a full stop: no Base64 text begins like this. */
    private static final String MARK = "R.";

    private static final char VERSION = '1';
    private static final int PREFIX = MARK.length() + 1;
    private static final int HEADER_BYTES = 2 * Integer.BYTES;

    private ResumeMapCodec() {}

    static EncodedResumeMap encode(ResumeMap map, long logId, int mostCharacters) {
        int characters = Math.min(mostCharacters, EncodedResumeMap.MOST_CHARACTERS) - PREFIX;
        int limitBytes = PrintableBytes.bytesIn(Math.max(0, characters)) - HEADER_BYTES;
        ResumeMap kept = map;
        Optional<byte[]> message = ResumeMapWriter.writeIfItFits(map, limitBytes);
        if (message.isEmpty()) {
            kept = map.keeping(runsThatFit(map, limitBytes));
            message = ResumeMapWriter.writeIfItFits(kept, limitBytes);
        }
        while (message.isEmpty() && !kept.isEmpty()) {
            // Its end took more room than was set aside for it.
            kept = kept.keeping(kept.runs().subList(0, kept.runs().size() - 1));
            message = ResumeMapWriter.writeIfItFits(kept, limitBytes);
        }
        String text = kept.isEmpty() ? "" : text(message.orElseThrow(), logId, map.base());
        return new EncodedResumeMap(text, kept.finishedRecords(), map.finishedRecords() - kept.finishedRecords());
    }

    static String text(byte[] message, long logId, long base) {
        byte[] bytes = ByteBuffer.allocate(HEADER_BYTES + message.length)
                .putInt(checksum(message))
                .putInt(binding(logId, base))
                .put(message)
                .array();
        StringBuilder text = new StringBuilder(MARK).append(VERSION);
        PrintableBytes.append(text, bytes);
        return text.toString();
    }

    /**
     * The runs to keep when there is no room for all, so that the most finished records are told of: the lowest of those
     * that have a certain length. Without the shorter ones the rest comes cheaper, and reaches farther.
     */
    private static List<Run> runsThatFit(ResumeMap map, int limitBytes) {
        List<Run> best = List.of();
        List<Run> candidates = map.runs();
        for (long shortest = 1; finished(candidates) > finished(best); shortest *= 2) {
            List<Run> fitting = candidates.subList(0, ResumeMapWriter.countThatFits(map, candidates, limitBytes));
            best = finished(fitting) > finished(best) ? fitting : best;
            candidates = longerThan(shortest, candidates);
        }
        return best;
    }

    private static List<Run> longerThan(long length, List<Run> runs) {
        List<Run> longer = new ArrayList<>();
        for (Run run : runs) {
            if (run.length() > length) {
                longer.add(run);
            }
        }
        return longer;
    }

    private static long finished(List<Run> runs) {
        long finished = 0;
        for (Run run : runs) {
            finished += run.length();
        }
        return finished;
    }

    static DecodedResumeMap decode(String text, long logId, long base) {
        if (text == null || text.isEmpty()) {
            return failed(Outcome.ABSENT, base);
        }
        if (!text.startsWith(MARK) || text.length() < PREFIX) {
            return failed(Outcome.FOREIGN, base);
        }
        if (text.charAt(MARK.length()) != VERSION) {
            return failed(Outcome.OTHER_VERSION, base);
        }
        if (text.length() > EncodedResumeMap.MOST_CHARACTERS) {
            return failed(Outcome.TOO_LONG, base);
        }
        byte[] bytes = PrintableBytes.parse(text, PREFIX);
        if (bytes == null || bytes.length <= HEADER_BYTES) {
            return failed(Outcome.DAMAGED, base);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int checksum = buffer.getInt();
        int binding = buffer.getInt();
        byte[] message = new byte[buffer.remaining()];
        buffer.get(message);
        if (checksum != checksum(message)) {
            return failed(Outcome.DAMAGED, base);
        }
        if (binding != binding(logId, base)) {
            return failed(Outcome.OTHER_LOG_OR_OFFSET, base);
        }
        return ResumeMapReader.read(base, message)
                .map(map -> new DecodedResumeMap(map, Outcome.INTACT))
                .orElseGet(() -> failed(Outcome.DAMAGED, base));
    }

    private static DecodedResumeMap failed(Outcome outcome, long base) {
        return new DecodedResumeMap(ResumeMap.empty(base), outcome);
    }

    private static int checksum(byte[] message) {
        CRC32C checksum = new CRC32C();
        checksum.update(message);
        return (int) checksum.getValue();
    }

    private static int binding(long logId, long base) {
        return (int) (Mixing.mix(logId, base) >>> Integer.SIZE);
    }
}
