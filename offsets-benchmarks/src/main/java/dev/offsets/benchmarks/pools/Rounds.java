package dev.offsets.benchmarks.pools;

import dev.offsets.benchmarks.pools.Scenario.Order;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** Lets the contenders work, in turns, on the records of one broker. */
final class Rounds {
    private static final String CRASH_TOPIC = "crash";
    private static final Scenario CRASH = new Scenario(Order.BY_KEY, 10_000, 1);
    private static final Duration CRASH_COMMIT_INTERVAL = Duration.ofSeconds(1);
    /** The default of both libraries. */
    private static final Duration COMMIT_INTERVAL = Duration.ofSeconds(5);

    private final String bootstrapServers;
    private final int concurrency;
    private final Results results;
    private final Consumer<String> progress;

    /** @param progress is told what was measured, a line each time */
    Rounds(String bootstrapServers, int concurrency, Results results, Consumer<String> progress) {
        this.bootstrapServers = bootstrapServers;
        this.concurrency = concurrency;
        this.results = results;
        this.progress = progress;
    }

    void produce(int records, int keys) throws InterruptedException, ExecutionException {
        Records.produce(bootstrapServers, topic(keys), records, keys);
    }

    void produceForCrashes(int records) throws InterruptedException, ExecutionException {
        Records.produce(bootstrapServers, CRASH_TOPIC, records, CRASH.keys());
    }

    private static String topic(int keys) {
        return "keys-" + keys;
    }

    /**
     * Each pool works once.
     *
     * @param records how many were produced
     */
    void measure(int round, Scenario scenario, int records, Duration warmUp, Duration measured) throws IOException {
        measure(round, contenders(scenario), scenario, records, warmUp, measured);
    }

    /** Each of these works once. */
    void measure(
            int round, List<Contender> contenders, Scenario scenario, int records, Duration warmUp, Duration measured)
            throws IOException {
        for (Contender contender : inTurn(round, contenders)) {
            List<String> arguments = arguments(contender, scenario, topic(scenario.keys()), COMMIT_INTERVAL);
            arguments.add(Long.toString(contender == Contender.THREADS_ALONE ? Long.MAX_VALUE : records));
            arguments.add(Long.toString(warmUp.toMillis()));
            arguments.add(Long.toString(measured.toMillis()));
            try (Child child = new Child(MeasuringMain.class, arguments)) {
                Measurement measurement = child.measurement();
                results.add(scenario, contender, measurement);
                progress.accept(
                        String.format("round %d, %s, %s: %s", round, scenario, contender, measurement.summary()));
            }
        }
    }

    /** Threads alone that do nothing are as fast as they can count. */
    private static List<Contender> contenders(Scenario scenario) {
        List<Contender> contenders = new ArrayList<>(Contender.CONSUMERS);
        if (scenario.handlerMillis() > 0) {
            contenders.add(Contender.THREADS_ALONE);
        }
        return contenders;
    }

    /**
     * Each contender is killed once.
     *
     * @param records how many were produced
     * @param killedAt after how many
     */
    void crash(int round, int records, int killedAt) throws IOException, InterruptedException {
        for (Contender contender : inTurn(round, Contender.CONSUMERS)) {
            List<String> arguments = arguments(contender, CRASH, CRASH_TOPIC, CRASH_COMMIT_INTERVAL);
            CrashRun.Outcome outcome = new CrashRun(arguments, records, killedAt).outcome();
            results.add(contender, outcome);
            progress.accept(String.format(
                    "round %d, killed after %,d records, %s: %,d again, %,d lost",
                    round, killedAt, contender, outcome.again(), outcome.lost()));
        }
    }

    private List<String> arguments(Contender contender, Scenario scenario, String topic, Duration commitInterval) {
        String group = UUID.randomUUID().toString();
        return new ArrayList<>(new Job(contender, scenario, concurrency, bootstrapServers, topic, group, commitInterval)
                .toArguments());
    }

    /** Another one is first in the next round. */
    private static List<Contender> inTurn(int round, List<Contender> contenders) {
        List<Contender> turned = new ArrayList<>(contenders);
        Collections.rotate(turned, round);
        return turned;
    }
}
