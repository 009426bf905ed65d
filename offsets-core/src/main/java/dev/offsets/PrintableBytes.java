package dev.offsets;

import java.util.Arrays;

/**
 * Bytes as printable ASCII and back: thirteen bits in two characters, the last six or fewer in one. The 91 characters
 * are those from '!' to '~' without the quotation mark, the comma and the backslash, so that the text stands in JSON and
 * CSV as it is. Each sequence of bytes has one text, and a text that is not one of these is refused.
 */
final class PrintableBytes {
    private static final int PAIR_BITS = 13;
    private static final int SINGLE_BITS = 6;
    private static final int BASE = 91;
    private static final String SPECIAL = "\",\\";
    private static final char[] CHARACTERS = new char[BASE];
    private static final byte[] VALUES = new byte[128];

    static {
        Arrays.fill(VALUES, (byte) -1);
        byte value = 0;
        for (char character = '!'; character <= '~'; character++) {
            if (SPECIAL.indexOf(character) < 0) {
                CHARACTERS[value] = character;
                VALUES[character] = value++;
            }
        }
    }

    private PrintableBytes() {}

    /** How many bytes fit into so many characters. */
    static int bytesIn(int characters) {
        return (characters / 2 * PAIR_BITS + characters % 2 * SINGLE_BITS) / Byte.SIZE;
    }

    static void append(StringBuilder text, byte[] bytes) {
        int waiting = 0;
        int waitingBits = 0;
        for (byte next : bytes) {
            waiting = waiting << Byte.SIZE | next & 0xFF;
            waitingBits += Byte.SIZE;
            if (waitingBits >= PAIR_BITS) {
                waitingBits -= PAIR_BITS;
                appendPair(text, waiting >>> waitingBits);
                waiting &= (1 << waitingBits) - 1;
            }
        }
        if (waitingBits > SINGLE_BITS) {
            appendPair(text, waiting << PAIR_BITS - waitingBits);
        } else if (waitingBits > 0) {
            text.append(CHARACTERS[waiting << SINGLE_BITS - waitingBits]);
        }
    }

    private static void appendPair(StringBuilder text, int value) {
        text.append(CHARACTERS[value / BASE]).append(CHARACTERS[value % BASE]);
    }

    /** The bytes whose text begins at an index and goes on to the end; null when it is the text of no bytes. */
    static byte[] parse(String text, int from) {
        byte[] bytes = new byte[bytesIn(text.length() - from)];
        int length = 0;
        int waiting = 0;
        int waitingBits = 0;
        for (int i = from; i < text.length(); i += 2) {
            boolean pair = i + 1 < text.length();
            int bits = pair ? PAIR_BITS : SINGLE_BITS;
            int value = pair ? BASE * value(text, i) + value(text, i + 1) : value(text, i);
            if (value < 0 || value >= 1 << bits) {
                return null;
            }
            waiting = waiting << bits | value;
            waitingBits += bits;
            while (waitingBits >= Byte.SIZE) {
                waitingBits -= Byte.SIZE;
                bytes[length++] = (byte) (waiting >>> waitingBits);
                waiting &= (1 << waitingBits) - 1;
            }
        }
        boolean shortestText = bytesIn(text.length() - from - 1) < length || text.length() == from;
        return waiting == 0 && shortestText ? bytes : null;
    }

    /** What a character stands for; so negative for one that has no meaning that a pair with it is negative too. */
    private static int value(String text, int index) {
        char character = text.charAt(index);
        int value = character < VALUES.length ? VALUES[character] : -1;
        return value < 0 ? -BASE * BASE : value;
    }
}
