package dev.offsets.examples.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/** The consumer's process as its parent sees it. */
final class ConsumerProcess implements AutoCloseable {
    private static final int STOP_SECONDS = 60;

    private final Process process;
    private final Map<Integer, PartitionStatus> status = new ConcurrentSkipListMap<>();
    private final Thread killer;

    /** Starts {@link ConsumerMain} with these arguments. */
    ConsumerProcess(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ConsumerMain.class.getName()));
        command.addAll(arguments);
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        killer = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
        Thread reader = new Thread(this::readStatus, "consumer-status");
        reader.setDaemon(true);
        reader.start();
    }

    /** The last status of each partition; empty when the consumer knows nothing of it. */
    Optional<PartitionStatus> status(int partition) {
        return Optional.ofNullable(status.get(partition));
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL: the process gets no chance to do anything more. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Asks the process to finish what it has begun and to end; answers whether it did so without an error. */
    boolean stop() throws IOException, InterruptedException {
        process.getOutputStream().close();
        return process.waitFor(STOP_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
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

    private void readStatus() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                PartitionStatus.parse(line).ifPresent(parsed -> status.put(parsed.partition(), parsed));
            }
        } catch (IOException e) {
            // The process was killed
        }
    }
}
