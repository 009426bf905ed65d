package dev.offsets.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.broker.LocalBroker;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole demo, with fewer records. */
@Timeout(120)
class CrashTestIT {
    private static final int RECORDS = 10_000;

    private static LocalBroker broker;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeAll
    static void startBroker() {
        broker = LocalBroker.start();
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Test
    void theTracker_losesNothing() throws Exception {
        Verdict verdict = run("tracked", Commits.TRACKED);

        assertThat(verdict.passed()).as(printed()).isTrue();
        assertThat(verdict.expected()).isEqualTo(9_000);
        assertThat(verdict.beyondSlow()).as(printed()).isPositive();
        assertThat(verdict.againForOtherReason()).as(printed()).isZero();
        assertThat(printed()).contains("demo-tracked", "PASSED");
    }

    @Test
    void resumeMaps_loseNothingAndRepeatLess() throws Exception {
        Verdict without = run("without-maps", Commits.TRACKED);
        Verdict withMaps = run("with-maps", Commits.WITH_MAPS);

        assertThat(withMaps.passed()).as(printed()).isTrue();
        assertThat(withMaps.beyondSlow()).as(printed()).isLessThan(without.beyondSlow());
        assertThat(withMaps.againForOtherReason()).as(printed()).isZero();
    }

    @Test
    void autoCommit_losesAtLeastTheSlowRecord() throws Exception {
        Verdict verdict = run("auto-commit", Commits.AUTO_COMMIT);

        assertThat(verdict.passed()).as(printed()).isFalse();
        assertThat(verdict.lost()).as(printed()).extracting(Produced::partition).contains(0);
        assertThat(verdict.lostBehindCommit()).isEqualTo(verdict.lost().size());
        assertThat(printed()).contains("FAILED");
    }

    private Verdict run(String name, Commits commits) throws Exception {
        Console console = new Console(new PrintStream(printed, true, StandardCharsets.UTF_8), false);
        try (Cluster cluster = new Cluster(Map.of("bootstrap.servers", broker.bootstrapServers()), "demo-" + name)) {
            cluster.createTopic();
            return new CrashTest(cluster, commits, console).run(RECORDS);
        }
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
