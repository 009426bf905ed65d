package dev.offsets.kafka;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * Where one partition stands. Everything is empty where it is not known, and never negative. The lags are distances of
 * offsets: upper bounds on records, since transaction markers, aborted and compacted records take up offsets too.
 *
 * <p>The numbers are read one after another while the consumer and its workers go on, and the ends of the log may be some
 * seconds old.
 *
 * @param topicPartition the partition
 * @param internal whether its topic is one of Kafka's own, such as {@code __consumer_offsets}
 * @param logStart the first offset that is retained
 * @param lastStableOffset up to here a {@code read_committed} consumer can read: the high watermark, or the first record of
 *     the first open transaction
 * @param highWatermark up to here a {@code read_uncommitted} consumer can read. It is what tools print as the log end
 *     offset, which no client can ask for
 * @param position the next offset that the consumer will fetch; known inside of the consumer alone
 * @param committableOffset every delivered record below it has finished; known inside of the consumer alone
 * @param committedOffset the next offset to read after a restart; empty when nothing was ever committed, too
 * @param incomplete how many records were delivered and are not finished; known inside of the consumer alone
 * @param completedAhead how many records above the committable offset are finished; from outside of the consumer, how many
 *     above the committed offset a {@linkplain TrackedConsumerBuilder#resumeMaps resume map} stored with it names
 * @param replayExposure how many finished records would be done again if the consumer's process ended now: those that neither
 *     the stored offset nor a resume map stored with it covers; known inside of the consumer alone
 * @param leftOut how many records were not handed out since the partition was assigned, since a resume map says that they
 *     have finished; known inside of the consumer alone
 * @param commitLag from the committed offset, or the log's start if that is above, to the end by the isolation level. Empty
 *     when the committed offset is beyond the end, which is no lag, but invalid
 * @param fetchLag from the position to the end by the isolation level
 * @param workRemaining the fetch lag and the incomplete records
 * @param timeLag how long ago the record at the committable offset was written, by its timestamp, to within a tenth of a
 *     second; zero when there is none; empty when it has not been fetched
 * @param owner the group's member that reads the partition, as client id and host; empty when none is known to
 * @param status what is wrong, if anything
 */
public record PartitionReport(
        TopicPartition topicPartition,
        boolean internal,
        OptionalLong logStart,
        OptionalLong lastStableOffset,
        OptionalLong highWatermark,
        OptionalLong position,
        OptionalLong committableOffset,
        OptionalLong committedOffset,
        OptionalLong incomplete,
        OptionalLong completedAhead,
        OptionalLong replayExposure,
        OptionalLong leftOut,
        OptionalLong commitLag,
        OptionalLong fetchLag,
        OptionalLong workRemaining,
        Optional<Duration> timeLag,
        Optional<String> owner,
        PartitionStatus status) {
    public PartitionReport {
        Objects.requireNonNull(topicPartition, "topicPartition");
        Objects.requireNonNull(status, "status");
    }
}
