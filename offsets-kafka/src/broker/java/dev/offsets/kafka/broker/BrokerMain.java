package dev.offsets.kafka.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/** The main class of a broker's own process: formats the data directory when it is new, then runs the broker. */
final class BrokerMain {
    /** The file beside {@code server.properties} that names the cluster. */
    static final String CLUSTER_ID = "cluster.id";

    private BrokerMain() {}

    /** Takes one argument, the path of {@code server.properties}. */
    public static void main(String[] args) throws IOException {
        diesWithItsParent();
        String config = args[0];
        int status = StorageTool.execute(
                new String[] {"format", "-t", clusterId(Path.of(config)), "-c", config, "--ignore-formatted"},
                System.out);
        if (status != 0) {
            System.exit(status);
        }
        Kafka.main(new String[] {config});
    }

    /** The cluster id, kept in a file of its own so that the next start on the same directory uses it again. */
    private static String clusterId(Path config) throws IOException {
        Path file = config.resolveSibling(CLUSTER_ID);
        if (!Files.exists(file)) {
            Files.writeString(file, Uuid.randomUuid().toString());
        }
        return Files.readString(file);
    }

    /** The parent holds the other end of our standard input, and never writes to it: its end is the parent's end. */
    private static void diesWithItsParent() {
        Thread watchdog = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Nobody writes here
                        }
                    } catch (IOException e) {
                        // As good as the end
                    }
                    Runtime.getRuntime().halt(1);
                },
                "parent-watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
    }
}
