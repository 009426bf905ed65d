package dev.offsets.kafka;

import dev.offsets.OffsetTracker;
import dev.offsets.kafka.Lane.State;
import dev.offsets.kafka.ProcessorStatus.StoppedAt;
import dev.offsets.kafka.ProcessorStatus.WaitingRetry;
import dev.offsets.kafka.QueuedRecord.Fate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;

/**
 * The records that wait for a worker, and who may take the next one. Any thread, but for what is said to be for the loop
 * thread.
 */
/*
 * One lock guards all of it, and neither a user's code nor Kafka's consumer is called under it. A worker reports what it
 * has done and takes the next in one critical section, which touches a few links and no hash table.
 *
 * A worker that is on its way holds a place, as one that works does, and so does asynchronous work that no worker waits for:
 * together they are never more than allowed. At most one new worker is on its way at a time, and it sends for the next one
 * when it has begun: with short handlers few threads are woken, with long ones all that are needed.
 */
final class WorkQueue {
    private final ReentrantLock lock = new ReentrantLock();
    private final Time time;
    private final int maxConcurrency;
    private final int maxBatch;
    private final Map<TopicPartition, PartitionLanes> partitions = new ConcurrentHashMap<>();

    // Guarded by the lock.
    private final Queue<PartitionLanes> ready = new ArrayDeque<>();
    private final PriorityQueue<QueuedRecord> waiting =
            new PriorityQueue<>((one, other) -> Long.signum(one.dueNanos - other.dueNanos));
    private long queued;
    private long running;
    private int workers;
    private int workersOnTheirWay;
    private int detached;

    WorkQueue(Time time, int maxConcurrency, int maxBatch) {
        this.time = time;
        this.maxConcurrency = maxConcurrency;
        this.maxBatch = maxBatch;
    }

    /** Loop thread. */
    PartitionLanes partition(TopicPartition topicPartition) {
        return partitions.computeIfAbsent(topicPartition, PartitionLanes::new);
    }

    /** Loop thread: queues records, in ascending order of offsets within each partition. */
    void add(Collection<QueuedRecord> records) {
        lock.lock();
        try {
            for (QueuedRecord record : records) {
                add(record);
            }
        } finally {
            lock.unlock();
        }
    }

    private void add(QueuedRecord record) {
        Lane lane = record.lane;
        lane.partition.sees(record.incarnation);
        if (record.isVoid()) {
            becomesIdleIfEmpty(lane);
            return;
        }
        lane.append(record);
        queued++;
        if (lane.state == State.IDLE) {
            makeRunnable(lane);
        }
    }

    private void makeRunnable(Lane lane) {
        lane.state = State.RUNNABLE;
        Queue<Lane> runnable = lane.partition.runnable;
        if (runnable.isEmpty()) {
            ready.add(lane.partition);
        }
        runnable.add(lane);
    }

    /** Reserves a place for a new worker, if one is wanted: it is on its way then. */
    boolean reserveWorker() {
        lock.lock();
        try {
            makeDueRunnable(time.nanoTime());
            if (!isWorkerWanted()) {
                return false;
            }
            workers++;
            workersOnTheirWay++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isWorkerWanted() {
        return !ready.isEmpty() && workersOnTheirWay == 0 && workers + detached < maxConcurrency;
    }

    /** A worker that was on its way will not come. */
    void workerWillNotCome() {
        lock.lock();
        try {
            workersOnTheirWay--;
            workers--;
        } finally {
            lock.unlock();
        }
    }

    /** A worker has come. Answers what it is to do; null, and it is gone, if there is nothing. */
    Work workerHasCome(long nowNanos) {
        lock.lock();
        try {
            workersOnTheirWay--;
            return takeOrLeave(nowNanos);
        } finally {
            lock.unlock();
        }
    }

    /** A worker has done its work. Answers what it is to do next; null, and it is gone, if there is nothing. */
    Work next(Work done, long nowNanos) {
        lock.lock();
        try {
            settle(done, nowNanos);
            return takeOrLeave(nowNanos);
        } finally {
            lock.unlock();
        }
    }

    /** A worker has begun work that is to complete elsewhere, see {@link #doneElsewhere}; otherwise as {@link #next}. */
    Work nextAfterDetaching(long nowNanos) {
        lock.lock();
        try {
            detached++;
            return takeOrLeave(nowNanos);
        } finally {
            lock.unlock();
        }
    }

    /** Work that no worker waited for has completed. */
    void doneElsewhere(Work done, long nowNanos) {
        lock.lock();
        try {
            detached--;
            settle(done, nowNanos);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A worker stops here.
     *
     * @param done what it has done; null if it was detached
     * @param comesBack whether it keeps its place, since another is on its way for it
     */
    void leave(Work done, boolean comesBack, long nowNanos) {
        lock.lock();
        try {
            if (done == null) {
                detached++;
            } else {
                settle(done, nowNanos);
            }
            if (comesBack) {
                workersOnTheirWay++;
            } else {
                workers--;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether others work than the one that asks. */
    boolean othersWork() {
        lock.lock();
        try {
            return workers - workersOnTheirWay > 1;
        } finally {
            lock.unlock();
        }
    }

    private Work takeOrLeave(long nowNanos) {
        makeDueRunnable(nowNanos);
        List<QueuedRecord> records = workers + detached > maxConcurrency ? List.of() : take();
        if (records.isEmpty()) {
            workers--;
            return null;
        }
        queued -= records.size();
        running += records.size();
        return new Work(records, isWorkerWanted(), nowNanos);
    }

    private List<QueuedRecord> take() {
        List<QueuedRecord> taken = List.of();
        while (taken.isEmpty() && !ready.isEmpty()) {
            PartitionLanes partition = ready.remove();
            taken = takeFrom(partition);
            if (!partition.runnable.isEmpty()) {
                ready.add(partition);
            }
        }
        return taken;
    }

    private List<QueuedRecord> takeFrom(PartitionLanes partition) {
        Lane lane = partition.runnable.remove();
        queued -= lane.dropVoid();
        if (becomesIdleIfEmpty(lane)) {
            return List.of();
        }
        if (maxBatch == 1 || lane.first.isTriedAlone()) {
            lane.state = State.BUSY;
            lane.running = 1;
            return List.of(lane.first);
        }
        List<QueuedRecord> batch = new ArrayList<>();
        takeInto(batch, lane);
        while (batch.size() < maxBatch && !partition.runnable.isEmpty() && isBatchable(partition.runnable.element())) {
            takeInto(batch, partition.runnable.remove());
        }
        return batch;
    }

    private static boolean isBatchable(Lane lane) {
        return !lane.first.isTriedAlone() && !lane.first.isVoid();
    }

    private void takeInto(List<QueuedRecord> batch, Lane lane) {
        lane.state = State.BUSY;
        QueuedRecord record = lane.first;
        while (record != null && batch.size() < maxBatch && !record.isTriedAlone()) {
            batch.add(record);
            lane.running++;
            record = record.next;
        }
    }

    private void settle(Work done, long nowNanos) {
        running -= done.records.size();
        Lane settled = null;
        for (QueuedRecord record : done.records) {
            if (record.fate == Fate.STOPS_CONSUMER) {
                record.lane.stoppedIn = record.incarnation;
            } else if (record.fate == Fate.STOPS_PARTITION) {
                stopped(record.lane.partition, record.incarnation, record.offset(), record.attempts.lastError());
            }
        }
        for (QueuedRecord record : done.records) {
            if (record.lane != settled) {
                settled = record.lane;
                settle(settled, nowNanos);
            }
        }
    }

    private void settle(Lane lane, long nowNanos) {
        queued += lane.settle();
        if (lane.stoppedIn != null) {
            queued -= lane.dropVoid();
        }
        if (becomesIdleIfEmpty(lane)) {
            return;
        }
        if (lane.first.fate == Fate.AGAIN && lane.first.dueNanos - nowNanos > 0) {
            lane.state = State.WAITING;
            waiting.add(lane.first);
        } else {
            makeRunnable(lane);
        }
    }

    private void makeDueRunnable(long nowNanos) {
        while (!waiting.isEmpty() && waiting.element().dueNanos - nowNanos <= 0) {
            makeRunnable(waiting.remove().lane);
        }
    }

    /** If a record waits for another attempt, that is due now: whoever claims it finds out whether it is still to be made. */
    void waitNoLonger(TopicPartition topicPartition, long offset) {
        lock.lock();
        try {
            for (QueuedRecord record : List.copyOf(waiting)) {
                if (record.offset() == offset && record.lane.partition.topicPartition.equals(topicPartition)) {
                    waiting.remove(record);
                    makeRunnable(record.lane);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more of a partition is to be started in an incarnation. */
    void stop(PartitionLanes partition, OffsetTracker incarnation, long offset, Throwable cause) {
        lock.lock();
        try {
            stopped(partition, incarnation, offset, cause);
        } finally {
            lock.unlock();
        }
    }

    private static void stopped(PartitionLanes partition, OffsetTracker incarnation, long offset, Throwable cause) {
        if (partition.stoppedIn != incarnation) {
            partition.stoppedIn = incarnation;
            partition.stoppedAt = new StoppedAt(offset, cause);
        }
    }

    /** Loop thread: drops what must not be started any more, and forgets lanes and partitions that hold nothing. */
    void dropVoid() {
        List<Lane> dispensable = new ArrayList<>();
        lock.lock();
        try {
            for (PartitionLanes partition : partitions.values()) {
                if (partition.mayHoldVoid()) {
                    dropVoid(partition);
                }
                partition.takeDispensable(dispensable);
            }
        } finally {
            lock.unlock();
        }
        dispensable.forEach(lane -> lane.partition.byKey.remove(lane.key, lane));
        partitions.values().removeIf(partition -> partition.isOver() && isEmpty(partition));
    }

    private void dropVoid(PartitionLanes partition) {
        partition.holdsFormer = false;
        for (Lane lane : partition.byKey.values()) {
            queued -= lane.dropVoid();
        }
        for (Lane lane : partition.runnable) {
            queued -= lane.dropVoid();
            becomesIdleIfEmpty(lane);
        }
        partition.runnable.removeIf(lane -> lane.state == State.IDLE);
        if (partition.runnable.isEmpty()) {
            ready.remove(partition);
        }
        List<QueuedRecord> noLongerWaiting = new ArrayList<>();
        waiting.removeIf(
                record -> record.lane.partition == partition && record.isVoid() && noLongerWaiting.add(record));
        for (QueuedRecord record : noLongerWaiting) {
            queued -= record.lane.dropVoid();
            if (!becomesIdleIfEmpty(record.lane)) {
                makeRunnable(record.lane);
            }
        }
    }

    private boolean becomesIdleIfEmpty(Lane lane) {
        if (lane.first != null) {
            return false;
        }
        lane.state = State.IDLE;
        if (lane.key != null) {
            lane.partition.idle.add(lane);
        }
        return true;
    }

    private boolean isEmpty(PartitionLanes partition) {
        lock.lock();
        try {
            return partition.byKey.isEmpty() && partition.runnable.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** A record that waits for a worker although none works; empty if there is none. */
    Optional<QueuedRecord> abandoned() {
        lock.lock();
        try {
            boolean nobodyWorks = workers == workersOnTheirWay;
            return nobodyWorks && !ready.isEmpty()
                    ? Optional.of(ready.element().runnable.element().first)
                    : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    boolean isLockedByThisThread() {
        return lock.isHeldByCurrentThread();
    }

    /** Loop thread. */
    int keysHeld() {
        return partitions.values().stream()
                .mapToInt(partition -> partition.byKey.size())
                .sum();
    }

    ProcessorStatus status() {
        long now = time.nanoTime();
        lock.lock();
        try {
            List<WaitingRetry> retries = waiting.stream()
                    .sorted(waiting.comparator())
                    .map(record -> waitingRetry(record, now))
                    .toList();
            Map<TopicPartition, StoppedAt> stopped = new HashMap<>();
            for (PartitionLanes partition : partitions.values()) {
                if (partition.isStopped()) {
                    stopped.put(partition.topicPartition, partition.stoppedAt);
                }
            }
            return new ProcessorStatus(queued, running, retries, stopped);
        } finally {
            lock.unlock();
        }
    }

    private static WaitingRetry waitingRetry(QueuedRecord record, long now) {
        return new WaitingRetry(
                record.lane.partition.topicPartition,
                record.offset(),
                record.attempts.count(),
                Duration.ofNanos(Math.max(0, record.dueNanos - now)),
                record.attempts.lastError());
    }
}
