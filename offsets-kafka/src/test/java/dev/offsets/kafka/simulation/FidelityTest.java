package dev.offsets.kafka.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scripts that compare the simulation with Kafka, in the simulation alone: would they show a difference? */
class FidelityTest {
    @ParameterizedTest
    @EnumSource
    void script_goesAlikeEachTime(Script script) throws Exception {
        for (Protocol protocol : script.protocols) {
            assertThat(play(script, protocol, Tampering::new))
                    .isEqualTo(play(script, protocol, Tampering::new))
                    .hasSizeGreaterThan(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void unfaithfulClient_isShownByAScript(Unfaithful client) throws Exception {
        assertThat(isShown(client.tampering)).isTrue();
    }

    private static boolean isShown(Supplier<Tampering> tampering) throws Exception {
        for (Script script : Script.values()) {
            for (Protocol protocol : script.protocols) {
                if (!play(script, protocol, tampering).equals(play(script, protocol, Tampering::new))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What can be seen of it; or that it came to no end, which can be seen as well. */
    private static List<String> play(Script script, Protocol protocol, Supplier<Tampering> tampering) throws Exception {
        try {
            return script.play(new SimulatedCluster(protocol, script.setup, tampering), protocol);
        } catch (AssertionError | RuntimeException e) {
            return List.of(e.toString());
        }
    }
}
