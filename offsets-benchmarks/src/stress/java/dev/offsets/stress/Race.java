package dev.offsets.stress;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.CounterThread;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.TestConfig;
import org.openjdk.jcstress.infra.runners.TestList;
import org.openjdk.jcstress.os.AffinityMode;
import org.openjdk.jcstress.os.NodeType;
import org.openjdk.jcstress.os.SchedulingClass;
import org.openjdk.jcstress.util.Counter;
import org.openjdk.jcstress.vm.CompileMode;

/** A jcstress test, run in this JVM: by the runner that jcstress has made for it, and graded as jcstress does. */
final class Race {
    private static final String PACKAGE = Race.class.getPackageName() + ".";
    private static final int MOMENT_MILLIS = 50;
    private static final int LOOK_MILLIS = 100;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    private static Options options;

    private final TestConfig config;
    private final Runner<?> runner;

    /**
     * @param test the test, without its package
     * @param loader where its classes come from, and those of the tracker
     */
    Race(String test, ClassLoader loader) throws IOException, ReflectiveOperationException {
        TestInfo info = TestList.getInfo(PACKAGE + test);
        config = new TestConfig(
                options(),
                info,
                0,
                List.of(),
                CompileMode.UNIFIED,
                new SchedulingClass(AffinityMode.NONE, info.threads(), NodeType.PACKAGE));
        runner = (Runner<?>) loader.loadClass(info.generatedRunner())
                .getConstructor(ForkedTestConfig.class)
                .newInstance(new ForkedTestConfig(config));
    }

    /** Few states at a time: the sooner it is known what came of them. Parsed once, since that takes a second. */
    private static synchronized Options options() throws IOException {
        if (options == null) {
            options = new Options(
                    new String[] {"-time", Integer.toString(MOMENT_MILLIS), "-strideSize", "16", "-strideCount", "32"});
            options.parse();
        }
        return options;
    }

    /** Runs until an outcome is seen that matches, or the time is over. */
    TestResult runUntil(Predicate<String> outcome, Duration most) throws InterruptedException {
        TestResult result = new TestResult(Status.NORMAL);
        result.setConfig(config);
        long beganNanos = System.nanoTime();
        do {
            runForAMoment(runner, result);
        } while (result.getStateKeys().stream().noneMatch(outcome) && System.nanoTime() - beganNanos < most.toNanos());
        return result;
    }

    private static <R> void runForAMoment(Runner<R> runner, TestResult result) throws InterruptedException {
        List<CounterThread<R>> actors = runner.internalRun();
        for (CounterThread<R> actor : actors) {
            await(actor, actors);
            Counter<R> outcomes = actor.result();
            for (R outcome : outcomes.elementSet()) {
                result.addState(outcome.toString(), outcomes.count(outcome));
            }
        }
    }

    /** An actor waits for all others, for ever if one of them has thrown. */
    private static <R> void await(CounterThread<R> actor, List<CounterThread<R>> actors) throws InterruptedException {
        long beganNanos = System.nanoTime();
        do {
            actor.join(LOOK_MILLIS);
            for (CounterThread<R> one : actors) {
                if (one.throwable() != null) {
                    throw new IllegalStateException("an actor threw", one.throwable());
                }
            }
            if (System.nanoTime() - beganNanos > LONGEST_WAIT.toNanos()) {
                throw new IllegalStateException("the actors have not come to an end");
            }
        } while (actor.isAlive());
    }
}
