package dev.offsets.benchmarks.tracker;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.internal.PCModule;
import io.confluent.parallelconsumer.offsets.OffsetMapCodecManager.HighestOffsetAndIncompletes;
import io.confluent.parallelconsumer.state.PartitionState;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** Confluent's Parallel Consumer. It encodes what is completed ahead whenever it commits; here nothing is. */
final class ParallelConsumerSubject implements Subject {
    private final PartitionState<String, String> state;
    private final PolledRecords records;

    ParallelConsumerSubject(int poll) {
        records = new PolledRecords(poll);
        PCModule<String, String> module =
                new PCModule<>(ParallelConsumerOptions.<String, String>builder().build());
        state = new PartitionState<>(0, module, PolledRecords.TOPIC_PARTITION, HighestOffsetAndIncompletes.of());
    }

    @Override
    public void track(long first, int[] distances) {
        for (int i = 0; i < distances.length; i++) {
            state.addNewIncompleteRecord(records.at(i, first + distances[i]));
        }
    }

    @Override
    public void complete(long offset, int index) {
        state.onSuccess(offset);
    }

    @Override
    public long advance(long position) {
        OffsetAndMetadata next = state.getCommitDataIfDirty().orElse(null);
        if (next == null) {
            return position;
        }
        state.onOffsetCommitSuccess(next);
        return next.offset();
    }
}
