package dev.offsets.benchmarks.pools;

import java.nio.file.Path;

/** A child process that notes each record in a {@link Tally}, until its standard input ends. It may be killed before. */
final class TallyingMain {
    private TallyingMain() {}

    /** Arguments: those of a {@link Job}, the tally's file, the number of records. */
    public static void main(String[] arguments) throws Exception {
        Child.diesOfUncaughtExceptions();
        Job job = Job.of(arguments);
        Tally tally = Tally.open(Path.of(arguments[Job.ARGUMENTS]), Integer.parseInt(arguments[Job.ARGUMENTS + 1]));
        Pool pool = job.contender().start(job, job.waitingThen(record -> tally.count(Records.id(record.value()))));
        System.in.readAllBytes();
        pool.stop();
        Runtime.getRuntime().halt(0);
    }
}
