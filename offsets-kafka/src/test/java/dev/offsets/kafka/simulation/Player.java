package dev.offsets.kafka.simulation;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** Somebody who polls, and tells at the end of a step what that has brought. */
interface Player {
    /** One short poll. */
    void poll();

    void tellAll();

    Set<TopicPartition> assignment();

    /** Whether it has some partitions, and has read each up to an offset since it has it. */
    boolean hasRead(long offset);
}
