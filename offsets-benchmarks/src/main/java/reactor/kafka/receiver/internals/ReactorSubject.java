package reactor.kafka.receiver.internals;

import dev.offsets.benchmarks.tracker.PolledRecords;
import dev.offsets.benchmarks.tracker.Subject;

/** Reactor Kafka with commits out of order ({@code maxDeferredCommits}). It is given each poll's result. */
public final class ReactorSubject implements Subject {
    private final CommittableBatch batch = new CommittableBatch();
    private final PolledRecords records;

    public ReactorSubject(int poll) {
        records = new PolledRecords(poll);
        batch.outOfOrderCommits = true;
    }

    @Override
    public void track(long first, int[] distances) {
        batch.addUncommitted(records.at(first, distances));
    }

    @Override
    public void complete(long offset, int index) {
        batch.updateOffset(PolledRecords.TOPIC_PARTITION, offset);
    }

    @Override
    public long advance(long position) {
        return batch.getAndClearOffsets().offsets().size();
    }
}
