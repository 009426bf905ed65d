package dev.offsets.benchmarks.pools;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/** A child process that works for a while, and then measures how fast it does. Prints one {@link Measurement}. */
final class MeasuringMain {
    private static final long NO_PROGRESS_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long LOOK_NANOS = Duration.ofMillis(1).toNanos();

    private final LongAdder handled = new LongAdder();
    private final OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** Arguments: those of a {@link Job}, records in the topic, milliseconds to warm up for, milliseconds to measure for. */
    public static void main(String[] arguments) {
        Child.diesOfUncaughtExceptions();
        Job job = Job.of(arguments);
        long records = Long.parseLong(arguments[Job.ARGUMENTS]);
        Duration warmUp = Duration.ofMillis(Long.parseLong(arguments[Job.ARGUMENTS + 1]));
        Duration measured = Duration.ofMillis(Long.parseLong(arguments[Job.ARGUMENTS + 2]));
        MeasuringMain main = new MeasuringMain();
        job.contender().start(job, job.waitingThen(record -> main.handled.increment()));
        System.out.println(main.measure(records, warmUp, measured).toLine());
        System.out.flush();
        Runtime.getRuntime().halt(0); // how long a close takes is not the question
    }

    /** The records must not run out: what comes last is no longer worked on by all. */
    private Measurement measure(long records, Duration warmUp, Duration measured) {
        await(count -> count > 0);
        awaitFor(warmUp, records / 2);
        long count = handled.sum();
        long began = System.nanoTime();
        long cpuBegan = process.getProcessCpuTime();
        awaitFor(measured, records - records / 20);
        long ended = System.nanoTime();
        long endCount = handled.sum();
        long cpuEnded = process.getProcessCpuTime();
        System.gc();
        return new Measurement(endCount - count, ended - began, cpuEnded - cpuBegan, heapAfterCollection());
    }

    private void awaitFor(Duration time, long orCount) {
        long deadline = System.nanoTime() + time.toNanos();
        await(count -> count >= orCount || System.nanoTime() - deadline >= 0);
    }

    private void await(LongPredicate condition) {
        long progress = System.nanoTime();
        long before = 0;
        for (long count = handled.sum(); !condition.test(count); count = handled.sum()) {
            if (count != before) {
                before = count;
                progress = System.nanoTime();
            } else if (System.nanoTime() - progress > NO_PROGRESS_NANOS) {
                throw new IllegalStateException("nothing has been handled for a minute, after " + count + " records");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static long heapAfterCollection() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
                .map(MemoryPoolMXBean::getCollectionUsage)
                .mapToLong(usage -> usage.getUsed())
                .sum();
    }
}
