package dev.offsets.benchmarks.tracker;

import io.smallrye.reactive.messaging.kafka.commit.SmallRyeSubject;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntFunction;
import org.apache.kafka.connect.runtime.ConnectSubject;
import reactor.kafka.receiver.internals.ReactorSubject;

/** Who is compared. The constants' names are parameters of the benchmarks. */
public enum Subjects {
    OURS("this library", poll -> new OurSubject()),
    CONNECT("Kafka Connect 4.3.1, SubmittedRecords", ConnectSubject::new),
    SMALLRYE("SmallRye 4.28.0, throttled", poll -> new SmallRyeSubject()),
    STORM("Storm 2.6.4, OffsetManager", StormSubject::new),
    REACTOR("Reactor Kafka 1.3.23, CommittableBatch", ReactorSubject::new),
    PARALLEL_CONSUMER("Parallel Consumer 0.5.3.3, PartitionState", ParallelConsumerSubject::new),
    TREE_SET("a synchronized TreeSet", poll -> new TreeSetSubject()),
    WRITE_AND_EXCHANGE("one write and one compare-and-exchange alone", WriteAndExchangeSubject::new),
    ATOMIC_OR("one atomic OR alone", AtomicOrSubject::new);

    static final Set<Subjects> OTHER_LIBRARIES =
            Collections.unmodifiableSet(EnumSet.of(CONNECT, SMALLRYE, STORM, REACTOR, PARALLEL_CONSUMER));

    final String title;
    private final IntFunction<Subject> factory;

    Subjects(String title, IntFunction<Subject> factory) {
        this.title = title;
        this.factory = factory;
    }

    /**
     * A new one, for offsets from zero on.
     *
     * @param poll how many records a poll has at most
     */
    Subject create(int poll) {
        return factory.apply(poll);
    }
}
