package dev.offsets.examples.demo;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Work that takes from one to five milliseconds, and for one record much longer. What is done is written to a journal, so
 * that it is known after this process was killed.
 */
final class SimulatedWork implements Handler {
    private final Journal journal;
    private final long slowId;
    private final long slowMillis;

    SimulatedWork(Journal journal, long slowId, long slowMillis) {
        this.journal = journal;
        this.slowId = slowId;
        this.slowMillis = slowMillis;
    }

    @Override
    public void handle(ConsumerRecord<Long, String> record) throws InterruptedException, IOException {
        TimeUnit.MICROSECONDS.sleep(
                record.key() == slowId
                        ? TimeUnit.MILLISECONDS.toMicros(slowMillis)
                        : ThreadLocalRandom.current().nextLong(1_000, 5_000));
        journal.append(record.key(), record.partition(), record.offset());
    }
}
