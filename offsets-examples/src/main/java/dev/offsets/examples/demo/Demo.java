package dev.offsets.examples.demo;

import dev.offsets.kafka.broker.LocalBroker;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Kills a consumer in the middle of its work, starts it again, and counts what was lost. */
@Command(
        name = "demo",
        description = "Produces records, some in transactions, processes them with a pool of workers that finish out of"
                + " order, kills the consumer in the middle, starts it again, and counts: what was lost, what was done"
                + " twice and why, what is committed.",
        footer = "Exit status: 0 when nothing was lost, 1 when the verdict is bad, 2 when the demo could not be run.")
final class Demo implements Callable<Integer> {
    private static final int LEAST_RECORDS = 2_000;

    @Option(
            names = "--bootstrap-server",
            paramLabel = "HOST:PORT",
            description = "Run on this cluster, on a topic that is created and deleted. Default: a broker of its own.")
    private String bootstrapServer;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "Properties for all clients, for example the security settings of the cluster.")
    private Path commandConfig;

    @Option(names = "--auto-commit", description = "Let Kafka's auto-commit do the commits, to see what that loses.")
    private boolean autoCommit;

    @Option(
            names = "--resume-maps",
            description =
                    "Let the same crash happen twice, without resume maps and with them, to see what is done twice.")
    private boolean resumeMaps;

    @Option(names = "--records", paramLabel = "N", description = "How many records to produce. Default: 100000.")
    private int records = 100_000;

    @Option(names = "--help", usageHelp = true, description = "Print this text.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new Demo())
                .setExecutionExceptionHandler((exception, commandLine, parsed) -> couldNotRun(exception))
                .execute(args));
    }

    private static int couldNotRun(Exception exception) {
        Throwable reason = exception instanceof ExecutionException ? exception.getCause() : exception;
        System.err.println("The demo could not be run: " + reason);
        return CommandLine.ExitCode.USAGE;
    }

    @Override
    public Integer call() throws Exception {
        if (records < LEAST_RECORDS) {
            throw new ParameterException(
                    spec.commandLine(), "--records " + records + ": must be " + LEAST_RECORDS + " or more");
        }
        if (autoCommit && resumeMaps) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--auto-commit and --resume-maps: only the tracker has resume maps; leave one out");
        }
        Console console = Console.standard();
        if (bootstrapServer != null) {
            String name = "offsets-demo-" + UUID.randomUUID().toString().substring(0, 8);
            return run(bootstrapServer, name, true, console);
        }
        console.step("starting a Kafka broker");
        try (LocalBroker broker = LocalBroker.start()) {
            return run(broker.bootstrapServers(), "demo", false, console);
        }
    }

    private int run(String address, String name, boolean delete, Console console) throws Exception {
        Commits commits = autoCommit ? Commits.AUTO_COMMIT : Commits.TRACKED;
        Verdict verdict = crash(address, name, delete, commits, console);
        boolean passed = verdict.passed();
        if (resumeMaps) {
            Verdict withMaps = crash(address, name + "-with-maps", delete, Commits.WITH_MAPS, console);
            passed &= withMaps.passed();
            console.print(Report.compare(verdict, withMaps));
        }
        return passed ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private Verdict crash(String address, String name, boolean delete, Commits commits, Console console)
            throws Exception {
        try (Cluster cluster = new Cluster(clientConfig(address), name)) {
            cluster.createTopic();
            if (delete) {
                cluster.deleteAtExit();
            }
            return new CrashTest(cluster, commits, console).run(records);
        }
    }

    private Map<String, Object> clientConfig(String address) throws IOException {
        Properties properties = new Properties();
        if (commandConfig != null) {
            try (Reader reader = Files.newBufferedReader(commandConfig)) {
                properties.load(reader);
            }
        }
        properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, address);
        Map<String, Object> config = new HashMap<>();
        properties.forEach((key, value) -> config.put((String) key, value));
        return config;
    }
}
