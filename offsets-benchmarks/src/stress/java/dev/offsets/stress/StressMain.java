package dev.offsets.stress;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.collectors.TestResult;

/**
 * Runs the tests on the real class, where none may see a forbidden outcome, and then on each twin, where the one that comes
 * of what is broken must be seen. All in this JVM, and quick: with {@code -Dstress.mode}, one of jcstress' modes, its own
 * main program runs the tests on the real class alone, in a JVM for each test and each way to compile it.
 *
 * <pre>{@code
 * StressMain <directory of the library's sources> <working directory> [test, or a part of its name]
 * }</pre>
 */
final class StressMain {
    private static final Duration ON_THE_REAL_CLASS =
            Duration.ofMillis(Integer.getInteger("stress.milliseconds", 1_000));
    /** A broken class fails by chance: nearly always within a second, see docs/concurrency.md. */
    private static final Duration MOST_FOR_A_TWIN = Duration.ofSeconds(60);

    private static final String PACKAGE = "dev\\.offsets\\.stress\\..*";

    private final Path sources;
    private final Path directory;
    private int complaints;

    private StressMain(Path sources, Path directory) {
        this.sources = sources;
        this.directory = directory;
    }

    public static void main(String[] args) throws Exception {
        StressMain main = new StressMain(Path.of(args[0]), Files.createDirectories(Path.of(args[1])));
        String only = args.length > 2 ? args[2] : "";
        String mode = System.getProperty("stress.mode", "");
        if (!mode.isEmpty()) {
            Main.main(new String[] {"-m", mode, "-t", PACKAGE + only, "-r", args[1]});
            return;
        }
        List<Twin> twins =
                Twins.all().stream().filter(twin -> twin.test().contains(only)).toList();
        for (String test : twins.stream().map(Twin::test).distinct().toList()) {
            main.realClassPasses(test);
        }
        for (Twin twin : twins) {
            main.twinFails(twin);
        }
        if (twins.isEmpty()) {
            main.complain("no test has a name with " + only);
        }
        System.exit(main.complaints == 0 ? 0 : 1);
    }

    private void realClassPasses(String test) throws Exception {
        TestResult result =
                new Race(test, StressMain.class.getClassLoader()).runUntil(outcome -> false, ON_THE_REAL_CLASS);
        if (result.grading().isPassed) {
            System.out.println("passed by the real class: " + test + ": " + outcomes(result, outcome -> true));
        } else {
            complain("the real class: " + test + ": " + outcomes(result, outcome -> true));
        }
    }

    private void twinFails(Twin twin) throws Exception {
        String what = twin.test() + ", " + twin.why() + ": ";
        try (TwinLoader loader = TwinLoader.of(twin, sources, directory)) {
            Race race = new Race(twin.test(), loader);
            long beganNanos = System.nanoTime();
            Predicate<String> expected = twin.outcome().asMatchPredicate();
            TestResult result = race.runUntil(expected, MOST_FOR_A_TWIN);
            long millis = Duration.ofNanos(System.nanoTime() - beganNanos).toMillis();
            if (result.getStateKeys().stream().noneMatch(expected)) {
                complain("not caught: " + what + outcomes(result, outcome -> true));
            } else if (result.grading().gradingResults.values().stream()
                    .anyMatch(outcome -> outcome.expect != Expect.FORBIDDEN && expected.test(outcome.id))) {
                complain("not forbidden: " + what + outcomes(result, expected));
            } else {
                System.out.println("caught within " + millis + " ms: " + what + outcomes(result, expected));
            }
        }
    }

    private static String outcomes(TestResult result, Predicate<String> wanted) {
        return result.getStateKeys().stream()
                .filter(wanted)
                .sorted()
                .map(outcome -> result.getCount(outcome) + " times (" + outcome + ")")
                .collect(Collectors.joining(", ", "", " of " + result.getTotalCount()));
    }

    private void complain(String complaint) {
        complaints++;
        System.out.println("FAILED: " + complaint);
    }
}
