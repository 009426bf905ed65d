package dev.offsets.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands as their users run them: in a JVM of their own. */
public final class ChildJvm {
    private static final long BOUND_SECONDS = 90;

    private ChildJvm() {}

    /** How a command has ended. */
    public record Ended(int status, String out, String err) {
        public List<String> lines() {
            return out.lines().toList();
        }
    }

    public static ProcessBuilder command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    /** Runs a command to its end. */
    public static Ended run(Path directory, Class<?> main, String... arguments) throws Exception {
        Path out = Files.createTempFile(directory, "out", "");
        Path err = Files.createTempFile(directory, "err", "");
        Process process = command(main, arguments)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS))
                    .as("ended")
                    .isTrue();
            return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            process.destroyForcibly();
        }
    }
}
