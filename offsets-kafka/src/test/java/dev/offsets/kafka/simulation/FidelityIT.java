package dev.offsets.kafka.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the simulation says that Kafka does, Kafka does. */
@Timeout(180)
class FidelityIT {
    /** Most of a script's time is waiting. */
    private static final int PLAYED_AT_ONCE = 4;

    private record Run(Script script, Protocol protocol) {}

    private static final Map<Run, Future<List<String>>> REAL = new LinkedHashMap<>();
    private static RealCluster.Broker broker;
    private static ExecutorService players;

    @BeforeAll
    static void playOnARealBroker() {
        broker = new RealCluster.Broker();
        players = Executors.newFixedThreadPool(PLAYED_AT_ONCE);
        runs().forEach(run -> REAL.put(run, players.submit(() -> playOnARealBroker(run))));
    }

    private static List<String> playOnARealBroker(Run run) throws Exception {
        return run.script.play(new RealCluster(broker, run.protocol, run.script.setup), run.protocol);
    }

    @AfterAll
    static void stop() {
        players.shutdownNow();
        broker.close();
    }

    static Stream<Run> runs() {
        return Stream.of(Script.values())
                .flatMap(script -> script.protocols.stream().map(protocol -> new Run(script, protocol)));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void script_goesAlikeInTheSimulationAndOnARealBroker(Run run) throws Exception {
        List<String> real = REAL.get(run).get();
        List<String> simulated =
                run.script.play(new SimulatedCluster(run.protocol, run.script.setup, Tampering::new), run.protocol);

        assertThat(simulated).isEqualTo(real);
    }
}
