package dev.offsets.examples.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;

/** Watches a consumer from outside: through its journal and through what the broker says of its group. */
final class Observer {
    private static final long TICK_MILLIS = 100;
    /** When to give up. */
    private static final Duration NOTHING_HAPPENS = Duration.ofSeconds(30);

    private final Cluster cluster;
    private final Console console;
    private final int expected;
    private final List<Processed> processed = new ArrayList<>();
    private final BitSet processedIds = new BitSet();
    private JournalReader journal;
    private Map<Integer, GroupOffset> offsets;

    /** @param expected how many records there are to process */
    Observer(Cluster cluster, Console console, int expected) throws InterruptedException, ExecutionException {
        this.cluster = cluster;
        this.console = console;
        this.expected = expected;
        this.offsets = cluster.offsets();
    }

    /** Everything that the journals hold, in the order in which it was seen. */
    List<Processed> processed() {
        return Collections.unmodifiableList(processed);
    }

    /** How many different records have been processed. */
    int processedRecords() {
        return processedIds.cardinality();
    }

    double processedShare() {
        return (double) processedRecords() / expected;
    }

    /** The broker's last answer. */
    Map<Integer, GroupOffset> offsets() {
        return offsets;
    }

    boolean allIsCommitted() {
        return offsets.values().stream().allMatch(GroupOffset::isAtEnd);
    }

    /**
     * Shows how a process gets on, until the condition holds.
     *
     * @return false if the process ended before, or nothing happened any more
     */
    boolean follow(ConsumerProcess process, JournalReader itsJournal, BooleanSupplier until)
            throws IOException, InterruptedException, ExecutionException {
        journal = itsJournal;
        Progress progress = new Progress(console, expected, process::status);
        long lastChangeNanos = System.nanoTime();
        boolean reached = false;
        while (!reached && process.isAlive() && System.nanoTime() - lastChangeNanos < NOTHING_HAPPENS.toNanos()) {
            Thread.sleep(TICK_MILLIS);
            if (look()) {
                lastChangeNanos = System.nanoTime();
            }
            progress.show(processedRecords(), offsets);
            reached = until.getAsBoolean();
        }
        progress.showNow(processedRecords(), offsets);
        return reached;
    }

    /** Whether anything has changed. */
    private boolean look() throws IOException, InterruptedException, ExecutionException {
        Map<Integer, GroupOffset> before = offsets;
        int processedBefore = processed.size();
        offsets = cluster.offsets();
        readRest();
        return processed.size() > processedBefore || !offsets.equals(before);
    }

    /** Reads what has been added to the journal of the process that was followed last. */
    void readRest() throws IOException {
        for (Processed entry : journal.next()) {
            processed.add(entry);
            processedIds.set((int) entry.id());
        }
    }
}
