package dev.offsets.kafka.broker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A real Kafka broker in a process of its own: one KRaft node, broker and controller at once, in a temporary directory
 * and on free ports of the loopback interface. Being a process it can be killed and frozen like one, and its class path
 * can be another than ours. More brokers may {@linkplain Builder#joins join} it.
 *
 * <pre>{@code
 * try (LocalBroker broker = LocalBroker.start()) {
 *     config.put("bootstrap.servers", broker.bootstrapServers());
 *     ...
 *     broker.kill();
 *     broker.restart(); // same data, same address
 * }
 * }</pre>
 *
 * <p>The broker dies with the JVM that started it, however that ends. {@link #close} deletes its directory; so does the
 * end of the JVM, unless it is killed. One thread at a time may use a broker; each method blocks until done.
 */
public final class LocalBroker implements AutoCloseable {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);
    private static final int PORT_ATTEMPTS = 3;
    private static final int LOG_LINES_IN_ERROR = 60;

    private final Builder settings;
    private final Path directory;
    private final Thread cleanUp = new Thread(this::killAndDelete, "local-broker-clean-up");
    private int port;
    private int controllerPort;
    private Process process;
    private Thread logWriter;

    private LocalBroker(Builder settings) throws IOException {
        this.settings = settings;
        this.directory = Files.createTempDirectory("local-broker-");
        Runtime.getRuntime().addShutdownHook(cleanUp);
    }

    /** Starts a broker with the default settings. */
    public static LocalBroker start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What a broker is started with. */
    public static final class Builder {
        private final Map<String, String> properties = new LinkedHashMap<>();
        private List<String> jvmArguments = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
        private String classPath = System.getProperty("java.class.path");
        private Duration startTimeout = Duration.ofSeconds(60);
        private LocalBroker first;
        private int nodeId = 1;

        private Builder() {}

        /**
         * Makes it one more broker of a cluster; the cluster's first broker remains its only controller.
         *
         * @param firstOfCluster a broker that runs, and outlives this one
         * @param id 2 or more; another one for each
         */
        public Builder joins(LocalBroker firstOfCluster, int id) {
            first = firstOfCluster;
            nodeId = id;
            return this;
        }

        /** Sets one line of {@code server.properties}, in addition to the defaults or instead of one of them. */
        public Builder property(String name, Object value) {
            properties.put(name, value.toString());
            return this;
        }

        /** The broker's class path, which has to contain this package; by default that of this JVM. */
        public Builder classPath(String value) {
            classPath = Objects.requireNonNull(value, "classPath");
            return this;
        }

        /** The options of the broker's JVM; by default a small heap and a quick start. */
        public Builder jvmArguments(List<String> value) {
            jvmArguments = List.copyOf(value);
            return this;
        }

        /** How long a start or restart may take; 60 seconds by default. */
        public Builder startTimeout(Duration value) {
            startTimeout = Objects.requireNonNull(value, "startTimeout");
            return this;
        }

        /**
         * Starts the broker and waits until it is ready.
         *
         * @throws IllegalStateException if it does not get ready in time; the message shows the end of its log
         */
        public LocalBroker start() {
            try {
                LocalBroker broker = new LocalBroker(this);
                try {
                    broker.startOnFreePorts();
                    return broker;
                } catch (Throwable t) {
                    broker.close();
                    throw t;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Where clients connect; the same after a restart. */
    public String bootstrapServers() {
        return "localhost:" + port;
    }

    /** The broker's own directory: its {@code server.properties}, data and log. */
    public Path directory() {
        return directory;
    }

    /** The file that holds everything the broker has printed, over all its starts. */
    public Path log() {
        return directory.resolve("broker.log");
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Shuts the broker down in good order (SIGTERM). */
    public void stop() {
        // Through the handle: Process.destroy would close the broker's standard input as well, and that is to die at
        // once
        process.toHandle().destroy();
        if (!endsWithin(STOP_TIMEOUT)) {
            kill();
        }
    }

    /** Ends the broker at once, as a crash would (SIGKILL). */
    public void kill() {
        process.destroyForcibly();
        if (!endsWithin(STOP_TIMEOUT)) {
            throw new IllegalStateException("Process " + process.pid() + " has survived SIGKILL");
        }
    }

    /** Freezes the broker (SIGSTOP): connections stay open, nothing answers. */
    public void pause() {
        signal("STOP");
        awaitStopped();
    }

    /** Lets a frozen broker go on (SIGCONT). */
    public void resume() {
        signal("CONT");
    }

    /**
     * Starts the broker again on the same data and address, having stopped it first if it runs. After a {@link #kill} it
     * takes longer: the controller waits for the old registration to expire ({@code broker.session.timeout.ms}).
     */
    public void restart() {
        if (isAlive()) {
            stop();
        }
        try {
            startProcess();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the broker and deletes its directory. */
    @Override
    public void close() {
        killAndDelete();
        try {
            Runtime.getRuntime().removeShutdownHook(cleanUp);
        } catch (IllegalStateException e) {
            // The JVM is shutting down: the hook runs anyway
        }
    }

    private void startOnFreePorts() throws IOException {
        for (int attempt = 1; ; attempt++) {
            writeConfiguration();
            try {
                startProcess();
                return;
            } catch (IllegalStateException e) {
                // Another process may have taken a port between our look and the broker's bind
                if (attempt == PORT_ATTEMPTS || !e.getMessage().contains("Address already in use")) {
                    throw e;
                }
            }
        }
    }

    private void startProcess() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(settings.jvmArguments);
        command.add("-Dlog4j2.configurationFile=classpath:dev/offsets/kafka/broker/log4j2-broker.properties");
        command.add("-cp");
        command.add(settings.classPath);
        command.add(BrokerMain.class.getName());
        command.add(configuration().toString());
        process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Process started = process;
        logWriter = new Thread(() -> writeLog(started, ready), "local-broker-log");
        logWriter.setDaemon(true);
        logWriter.start();
        awaitReady(ready);
    }

    private void awaitReady(CompletableFuture<Void> ready) throws IOException {
        try {
            ready.get(settings.startTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            kill();
            throw new IllegalStateException(
                    "The broker was not ready within " + settings.startTimeout + ". The end of its log:\n" + endOfLog(),
                    e);
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the broker was starting", e);
        }
    }

    /** Runs on a thread of its own for as long as the broker lives. */
    private void writeLog(Process source, CompletableFuture<Void> ready) {
        try (BufferedReader output = source.inputReader();
                Writer file = Files.newBufferedWriter(log(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                file.write(line + "\n");
                file.flush();
                if (line.contains("Kafka Server started")) {
                    ready.complete(null);
                }
            }
            ready.completeExceptionally(new IOException("The broker's process has ended"));
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
    }

    private String endOfLog() throws IOException {
        List<String> lines = Files.exists(log()) ? Files.readAllLines(log()) : List.of();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_IN_ERROR), lines.size()));
    }

    private Path configuration() {
        return directory.resolve("server.properties");
    }

    private void writeConfiguration() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback)) {
            port = first.getLocalPort();
            controllerPort = second.getLocalPort();
        }
        Properties lines = new Properties();
        lines.putAll(settings.first == null ? firstOfCluster() : joining(settings.first));
        lines.putAll(defaults());
        lines.put("log.dirs", directory.resolve("data").toString());
        lines.putAll(settings.properties);
        try (Writer writer = Files.newBufferedWriter(configuration())) {
            lines.store(writer, null);
        }
    }

    private Map<String, String> firstOfCluster() {
        return Map.of(
                "process.roles", "broker,controller",
                "controller.quorum.voters", "1@localhost:" + controllerPort,
                "listeners", "PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controllerPort);
    }

    private Map<String, String> joining(LocalBroker first) throws IOException {
        Path clusterId = first.directory.resolve(BrokerMain.CLUSTER_ID);
        Files.copy(clusterId, directory.resolve(BrokerMain.CLUSTER_ID), StandardCopyOption.REPLACE_EXISTING);
        return Map.of(
                "process.roles", "broker",
                "controller.quorum.voters", "1@localhost:" + first.controllerPort,
                "listeners", "PLAINTEXT://localhost:" + port);
    }

    private Map<String, String> defaults() {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("node.id", Integer.toString(settings.nodeId));
        lines.put("controller.listener.names", "CONTROLLER");
        // Also where there is but one node
        for (String topic : List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
            lines.put(topic + ".replication.factor", "1");
            lines.put(topic + ".num.partitions", "1");
        }
        lines.put("transaction.state.log.min.isr", "1");
        lines.put("share.coordinator.state.topic.min.isr", "1");
        // A quick restart after a kill
        lines.put("broker.session.timeout.ms", "3000");
        lines.put("broker.heartbeat.interval.ms", "500");
        // Quick rebalances, and consumers that may be declared dead after a second
        lines.put("group.initial.rebalance.delay.ms", "0");
        lines.put("group.min.session.timeout.ms", "1000");
        lines.put("group.consumer.min.session.timeout.ms", "1000");
        lines.put("group.consumer.min.heartbeat.interval.ms", "200");
        lines.put("group.consumer.heartbeat.interval.ms", "500");
        // Quick retention and compaction, for topics that ask for them
        lines.put("log.initial.task.delay.ms", "100");
        lines.put("log.retention.check.interval.ms", "500");
        lines.put("log.cleaner.backoff.ms", "100");
        lines.put("log.cleaner.dedupe.buffer.size", "2097152");
        return lines;
    }

    private void signal(String name) {
        run("kill", "-" + name, Long.toString(process.pid()));
    }

    /** On a busy machine the signal takes effect some time after it was sent, and until then the broker answers. */
    private void awaitStopped() {
        long deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
        while (!run("ps", "-o", "state=", "-p", Long.toString(process.pid())).startsWith("T")) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Process " + process.pid() + " has not stopped on SIGSTOP");
            }
        }
    }

    /** Runs a command to its end; answers what it has printed. */
    private static String run(String... command) {
        try {
            Process started =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = started.waitFor();
            if (status != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + " ended with " + status + ": " + output.strip());
            }
            return output.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while running " + String.join(" ", command), e);
        }
    }

    /** Whether the process has ended, and all of its output is in the log. */
    private boolean endsWithin(Duration timeout) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                try {
                    if (!process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        return false;
                    }
                    logWriter.join(timeout.toMillis());
                    return true;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void killAndDelete() {
        if (process != null && process.isAlive()) {
            kill();
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException e) {
            // Deleted already
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
