package dev.offsets.benchmarks.pools;

import java.util.List;

/** Who works on the records. All get the same records, handler, number of threads and consumer configuration. */
enum Contender {
    OURS("ours") {
        @Override
        Pool start(Job job, RecordHandler handler) {
            return new ProcessorPool(job, handler);
        }
    },
    PARALLEL_CONSUMER("Parallel Consumer") {
        @Override
        Pool start(Job job, RecordHandler handler) {
            return new ParallelConsumerPool(job, handler);
        }
    },
    PLAIN_LOOP("plain loop") {
        @Override
        Pool start(Job job, RecordHandler handler) {
            return new PlainLoopPool(job, handler);
        }
    },
    TRACKED_LOOP("tracked loop") {
        @Override
        Pool start(Job job, RecordHandler handler) {
            return new TrackedLoopPool(job, handler);
        }
    },
    AUTO_COMMIT_LOOP("auto-commit loop") {
        @Override
        Pool start(Job job, RecordHandler handler) {
            return new AutoCommitLoopPool(job, handler);
        }
    },
    /** No records and no Kafka: the threads call the handler again and again. What the machine allows at that moment. */
    THREADS_ALONE("threads alone") {
        @Override
        Pool start(Job job, RecordHandler handler) {
            return new ThreadsAlonePool(job, handler);
        }
    };

    /** Those whose pools read records. */
    static final List<Contender> CONSUMERS = List.of(OURS, PARALLEL_CONSUMER, PLAIN_LOOP);

    /** Those that handle records on the loop thread. */
    static final List<Contender> LOOPS = List.of(TRACKED_LOOP, AUTO_COMMIT_LOOP);

    private final String label;

    Contender(String label) {
        this.label = label;
    }

    /** Starts to work, on threads of its own. */
    abstract Pool start(Job job, RecordHandler handler);

    @Override
    public String toString() {
        return label;
    }
}
