package dev.offsets.kafka.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the simulation says that Kafka does, Kafka does. */
@Timeout(120)
class FidelityIT {
    private static RealCluster.Broker broker;

    @BeforeAll
    static void startBroker() {
        broker = new RealCluster.Broker();
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    static Stream<Arguments> runs() {
        return Stream.of(Script.values())
                .flatMap(script -> script.protocols.stream().map(protocol -> Arguments.of(script, protocol)));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void script_goesAlikeInTheSimulationAndOnARealBroker(Script script, Protocol protocol) throws Exception {
        List<String> real = script.play(new RealCluster(broker, protocol, script.setup), protocol);
        List<String> simulated = script.play(new SimulatedCluster(protocol, script.setup, Tampering::new), protocol);

        assertThat(simulated).isEqualTo(real);
    }
}
