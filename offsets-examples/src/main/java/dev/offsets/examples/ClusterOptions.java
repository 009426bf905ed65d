package dev.offsets.examples;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.IsolationLevel;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all commands that look at a cluster need to know of it. */
public final class ClusterOptions {
    @Option(names = "--bootstrap-server", paramLabel = "HOST:PORT", required = true, description = "The cluster.")
    private String bootstrapServer;

    @Option(
            names = "--isolation-level",
            paramLabel = "LEVEL",
            description =
                    "That of the group's consumers: read_uncommitted (default) or read_committed. It says where the end"
                            + " is that they can read to.")
    private String isolationLevel = "read_uncommitted";

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "Properties for Kafka's clients, for example the security settings of the cluster.")
    private Path commandConfig;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    public IsolationLevel isolationLevel() {
        return switch (isolationLevel.toLowerCase(Locale.ROOT)) {
            case "read_committed" -> IsolationLevel.READ_COMMITTED;
            case "read_uncommitted" -> IsolationLevel.READ_UNCOMMITTED;
            default ->
                throw new ParameterException(
                        spec.commandLine(),
                        "--isolation-level " + isolationLevel + ": must be read_uncommitted or read_committed");
        };
    }

    /** The configuration for a Kafka client. */
    public Map<String, Object> configuration() throws IOException {
        Properties properties = new Properties();
        if (commandConfig != null) {
            try (Reader reader = Files.newBufferedReader(commandConfig)) {
                properties.load(reader);
            }
        }
        Map<String, Object> configuration = new HashMap<>();
        properties.forEach((name, value) -> configuration.put((String) name, value));
        configuration.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServer);
        return configuration;
    }
}
