package dev.offsets.benchmarks.pools;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of its own for one job, which ends with this JVM at the latest. */
final class Child implements AutoCloseable {
    private static final int STOP_SECONDS = 60;

    private final Process process;
    private final Thread killer;

    Child(Class<?> main, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx1g", "-XX:+UseG1GC"));
        command.addAll(loggingArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        killer = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
    }

    /** So that a child logs as this JVM does: there may be more than one provider on the class path. */
    static List<String> loggingArguments() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("slf4j."))
                .map(name -> "-D" + name + "=" + System.getProperty(name))
                .toList();
    }

    /** In the child: an exception that nobody catches ends it, instead of one thread of it. */
    static void diesOfUncaughtExceptions() {
        Thread.setDefaultUncaughtExceptionHandler((thread, exception) -> {
            exception.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
    }

    /** Waits for what it measures. */
    Measurement measurement() throws IOException {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (Measurement.isLine(line)) {
                    return Measurement.of(line);
                }
            }
        }
        throw new IllegalStateException("a child process has ended without a measurement: its errors are above");
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Lets it end in good order. */
    void stop() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException("a child process did not end in good order: its errors are above");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException e) {
            // The JVM is shutting down: the hook runs anyway
        }
    }
}
