package dev.offsets.benchmarks.tracker;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.storm.kafka.spout.KafkaSpoutMessageId;
import org.apache.storm.kafka.spout.internal.OffsetManager;

/** Storm's spout keeps a message id for each tuple. */
final class StormSubject implements Subject {
    private final OffsetManager offsets = new OffsetManager(PolledRecords.TOPIC_PARTITION, 0);
    private final KafkaSpoutMessageId[] ids;

    StormSubject(int poll) {
        ids = new KafkaSpoutMessageId[poll];
    }

    @Override
    public void track(long first, int[] distances) {
        for (int i = 0; i < distances.length; i++) {
            long offset = first + distances[i];
            ids[i] = new KafkaSpoutMessageId(PolledRecords.TOPIC_PARTITION, offset);
            offsets.addToEmitMsgs(offset);
        }
    }

    @Override
    public void complete(long offset, int index) {
        offsets.addToAckMsgs(ids[index]);
    }

    @Override
    public long advance(long position) {
        OffsetAndMetadata next = offsets.findNextCommitOffset("");
        if (next != null) {
            offsets.commit(next);
        }
        return offsets.getCommittedOffset();
    }
}
