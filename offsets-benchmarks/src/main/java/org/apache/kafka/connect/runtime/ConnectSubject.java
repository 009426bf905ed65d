package org.apache.kafka.connect.runtime;

import dev.offsets.benchmarks.tracker.Subject;
import java.util.Map;

/** Kafka Connect's bookkeeping for source tasks. Its users keep a handle for each record; offsets are maps there. */
public final class ConnectSubject implements Subject {
    private static final Map<String, Object> PARTITION = Map.of("partition", 0);
    private static final Map<String, Object> OFFSET = Map.of("offset", 0L);

    private final SubmittedRecords records = new SubmittedRecords();
    private final SubmittedRecords.SubmittedRecord[] handles;

    public ConnectSubject(int poll) {
        handles = new SubmittedRecords.SubmittedRecord[poll];
    }

    @Override
    public void track(long first, int[] distances) {
        for (int i = 0; i < distances.length; i++) {
            handles[i] = records.submit(PARTITION, OFFSET);
        }
    }

    @Override
    public void complete(long offset, int index) {
        handles[index].ack();
    }

    @Override
    public long advance(long position) {
        return records.committableOffsets().numCommittableMessages();
    }
}
