package dev.offsets.stress;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/**
 * Runs the tests on the real class, where all must pass, and then each on its twin, where it must fail.
 *
 * <pre>{@code
 * StressMain <directory of the library's sources> <working directory> [test, or a part of its name]
 * }</pre>
 */
final class StressMain {
    private static final String PACKAGE = StressMain.class.getPackageName();
    /** jcstress says so of a test with a forbidden outcome; a test that could not run is another matter. */
    private static final String FAILED = "[FAILED]";

    private static final int MOST_TRIES = 4;

    private final Path sources;
    private final Path directory;
    private final String only;
    private final List<String> complaints = new ArrayList<>();

    private StressMain(Path sources, Path directory, String only) {
        this.sources = sources;
        this.directory = directory;
        this.only = only;
    }

    public static void main(String[] args) throws Exception {
        Files.createDirectories(Path.of(args[1]));
        StressMain main = new StressMain(Path.of(args[0]), Path.of(args[1]), args.length > 2 ? args[2] : "");
        main.realClassPasses();
        for (Twin twin : Twins.all()) {
            if (twin.test().contains(main.only)) {
                main.twinFails(twin);
            }
        }
        main.complaints.forEach(System.out::println);
        System.exit(main.complaints.isEmpty() ? 0 : 1);
    }

    private void realClassPasses() throws IOException, InterruptedException {
        String tests = Twins.all().stream()
                .map(Twin::test)
                .distinct()
                .filter(test -> test.contains(only))
                .map(StressMain::pattern)
                .collect(Collectors.joining("|"));
        String output = run(tests, List.of(), Integer.getInteger("stress.milliseconds", 2_000));
        if (!output.contains("[OK]") || output.contains(FAILED) || output.contains("[ERROR]")) {
            complaints.add("FAILED: the real class\n" + output);
        } else {
            System.out.println(
                    "passed on the real class: " + tests.replace("$", "").replace(pattern(""), ""));
        }
    }

    /** A broken class fails by chance: what is caught seldom is given some more time. */
    private void twinFails(Twin twin) throws IOException, InterruptedException {
        Path classes = compile(twin);
        for (int tries = 1, milliseconds = 500; tries <= MOST_TRIES; tries++, milliseconds *= 4) {
            String output = run(pattern(twin.test()), List.of(classes.toString()), milliseconds);
            if (output.contains(FAILED)) {
                System.out.println("caught by " + twin.test() + ": " + twin.why());
                return;
            }
            if (output.contains("[ERROR]")) {
                complaints.add("COULD NOT RUN: " + twin.test() + ": " + twin.why() + "\n" + output);
                return;
            }
        }
        complaints.add("NOT CAUGHT by " + twin.test() + ": " + twin.why());
    }

    private Path compile(Twin twin) throws IOException {
        String source = Files.readString(sources.resolve("dev/offsets").resolve(twin.file()));
        int at = source.indexOf(twin.original());
        if (at < 0 || source.indexOf(twin.original(), at + 1) >= 0) {
            throw new IllegalStateException(
                    twin.file() + " must have this once, for a twin of " + twin.test() + ": " + twin.original());
        }
        Path directoryOfTwin = Files.createTempDirectory(directory, "twin");
        Path file = directoryOfTwin.resolve(twin.file());
        Files.writeString(file, source.replace(twin.original(), twin.broken()));
        int result = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-d",
                        directoryOfTwin.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        file.toString());
        if (result != 0) {
            throw new IllegalStateException("the twin for " + twin.test() + " does not compile: " + twin.broken());
        }
        return directoryOfTwin;
    }

    private static String pattern(String test) {
        return PACKAGE.replace(".", "\\.") + "\\." + test.replace(".", "\\.") + (test.isEmpty() ? "" : "$");
    }

    private String run(String tests, List<String> classPathBefore, int milliseconds)
            throws IOException, InterruptedException {
        List<String> classPath = new ArrayList<>(classPathBefore);
        classPath.add(System.getProperty("java.class.path"));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                String.join(System.getProperty("path.separator"), classPath),
                "org.openjdk.jcstress.Main",
                "-t",
                tests,
                "-f",
                "1",
                "-iters",
                "4",
                "-time",
                Integer.toString(milliseconds / 4),
                "-sc",
                "false",
                "-jvmArgs",
                "-Xmx256m",
                "-r",
                directory.toString());
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
