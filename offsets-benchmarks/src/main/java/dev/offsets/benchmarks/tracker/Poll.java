package dev.offsets.benchmarks.tracker;

import java.util.Random;

/** The records of one poll, some offsets perhaps left out, and an order to complete them in. */
final class Poll {
    /** How far each record stands from the first offset. */
    final int[] distances;
    /** The records' numbers, in the order in which they are completed. */
    final int[] order;
    /** How many offsets the poll takes. */
    final int span;

    /**
     * @param holesPercent how many of a hundred offsets have no record, on average
     */
    Poll(int records, int holesPercent) {
        Random random = new Random(1);
        distances = new int[records];
        int next = 0;
        for (int i = 0; i < records; i++) {
            while (random.nextInt(100) < holesPercent) {
                next++;
            }
            distances[i] = next++;
        }
        span = next;
        order = shuffled(records, random);
    }

    static int[] shuffled(int count, Random random) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }
}
