package dev.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.DecodedResumeMap.Outcome;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Strings that nobody should have stored, as many as {@code -Dfuzz.strings} says, from {@code -Dfuzz.seed} on: decoding
 * throws for none, allocates no more than its bound, and takes none for a map but those that are.
 */
class ResumeMapFuzzTest {
    private static final int STRINGS = Integer.getInteger("fuzz.strings", 100_000);
    private static final long FIRST_SEED = Long.getLong("fuzz.seed", 1);
    private static final int STRINGS_OF_ONE_SEED = 1_000;
    private static final int LIMIT = 512;
    private static final long LOG = 7;
    private static final long BASE = 1_000;
    private static final long MOST_BYTES_ALLOCATED = 2_000_000;

    @Test
    void randomStrings_areRefused() {
        forEachSeed((random, seed) -> {
            String text = randomText(random);
            assertThat(decode(text, seed).outcome())
                    .as("seed %d: %s", seed, text)
                    .isNotEqualTo(Outcome.INTACT);
        });
    }

    @Test
    void mutatedStrings_areRefused() {
        forEachSeed((random, seed) -> {
            String text = original(seed);
            String mutated = mutated(text, random);
            if (!mutated.equals(text)) {
                assertThat(decode(mutated, seed).outcome())
                        .as("seed %d: %s", seed, mutated)
                        .isNotEqualTo(Outcome.INTACT);
            }
        });
    }

    /** What a checksum does not keep away: any bytes at all as a message. */
    @Test
    void randomMessages_areReadWithinBoundsAsOrderlyMapsOrNotAtAll() {
        forEachSeed((random, seed) -> {
            byte[] message = new byte[random.nextInt(random.nextInt(20) == 0 ? 4_000 : 40)];
            random.nextBytes(message);
            checkOrder(message, seed);
            int constant = random.nextInt(256);
            for (int i = random.nextInt(message.length + 1); i < message.length; i++) {
                message[i] = (byte) constant;
            }
            checkOrder(message, seed);
        });
    }

    @Test
    void longestHostileMessage_isBoundedInMemory() {
        long most = 0;
        for (int filler = 0; filler < 256; filler++) {
            byte[] message = new byte[PrintableBytes.bytesIn(EncodedResumeMap.MOST_CHARACTERS)];
            Arrays.fill(message, (byte) filler);
            long before = allocatedBytes();
            ResumeMapReader.read(BASE, message);
            most = Math.max(most, allocatedBytes() - before);
        }

        assertThat(most).isLessThan(MOST_BYTES_ALLOCATED);
    }

    private interface Fuzz {
        void one(Random random, long seed);
    }

    private static void forEachSeed(Fuzz fuzz) {
        for (long seed = FIRST_SEED; seed <= FIRST_SEED + STRINGS / STRINGS_OF_ONE_SEED; seed++) {
            Random random = new Random(seed);
            for (int i = 0; i < STRINGS_OF_ONE_SEED; i++) {
                fuzz.one(random, seed);
            }
        }
    }

    private static DecodedResumeMap decode(String text, long seed) {
        try {
            DecodedResumeMap decoded = ResumeMap.decode(text, LOG, BASE);
            assertThat(decoded.map().base()).isEqualTo(BASE);
            assertThat(decoded.outcome() == Outcome.INTACT || decoded.map().isEmpty())
                    .isTrue();
            return decoded;
        } catch (RuntimeException | Error e) {
            throw new AssertionError("seed " + seed + ": " + text, e);
        }
    }

    private static void checkOrder(byte[] message, long seed) {
        ResumeMapReader.read(BASE, message).ifPresent(map -> {
            long end = BASE;
            int leaderEpoch = 0;
            for (ResumeMap.Run run : map.runs()) {
                assertThat(run.start()).as("seed %d", seed).isGreaterThanOrEqualTo(end);
                assertThat(run.end()).as("seed %d", seed).isGreaterThan(run.start());
                assertThat(run.leaderEpoch()).as("seed %d", seed).isGreaterThanOrEqualTo(leaderEpoch);
                end = run.end();
                leaderEpoch = run.leaderEpoch();
            }
            OffsetTracker tracker = OffsetTracker.resumingAt(map, () -> 0);
            tracker.track(BASE, 0, 0, 0);
            tracker.resumeMap(tracker.commitPoint()).encode(LOG, LIMIT);
        });
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "R.1" : "");
        int length = random.nextInt(60);
        int kind = random.nextInt(3);
        for (int i = 0; i < length; i++) {
            text.append(
                    switch (kind) {
                        case 0 -> (char) ('!' + random.nextInt('~' - '!' + 1));
                        case 1 -> (char) random.nextInt(256);
                        default -> (char) random.nextInt(1 << Character.SIZE);
                    });
        }
        return text.toString();
    }

    private static String original(long seed) {
        Random random = new Random(seed);
        int span = 2 + random.nextInt(500);
        ResumeMap map = ResumePatterns.map(BASE, ResumePatterns.random(random, span, random.nextDouble() * 0.8));
        return map.encode(LOG, LIMIT).text();
    }

    private static String mutated(String text, Random random) {
        StringBuilder mutated = new StringBuilder(text);
        for (int changes = 1 + random.nextInt(4); changes > 0 && mutated.length() > 0; changes--) {
            int at = random.nextInt(mutated.length());
            char character = (char) ('!' + random.nextInt('~' - '!' + 1));
            switch (random.nextInt(5)) {
                case 0 -> mutated.deleteCharAt(at);
                case 1 -> mutated.insert(at, character);
                case 2 -> mutated.setLength(at);
                case 3 -> mutated.append(text, Math.min(at, text.length()), text.length());
                default -> mutated.setCharAt(at, character);
            }
        }
        return mutated.toString();
    }

    private static long allocatedBytes() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getCurrentThreadAllocatedBytes();
    }
}
