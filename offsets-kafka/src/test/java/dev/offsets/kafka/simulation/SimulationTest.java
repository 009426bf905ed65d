package dev.offsets.kafka.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs many seeds of the simulation. See the package's documentation. */
class SimulationTest {
    private static final long FIRST_SEED = Long.getLong("simulation.seed", 1);
    private static final long SEEDS = Long.getLong("simulation.seeds", 1_000);
    private static final long SEEDS_FOR_THE_WRONG = 1_000;
    private static final String LOGGER = "dev.offsets.kafka";

    private static Level level;

    @BeforeAll
    static void silenceTheLibrary() {
        level = LogManager.getLogger(LOGGER).getLevel();
        Configurator.setLevel(LOGGER, Level.OFF);
    }

    @AfterAll
    static void letTheLibrarySpeak() {
        Configurator.setLevel(LOGGER, level);
    }

    @Test
    void anySeed_keepsAllPromises() {
        firstFailure(LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS).parallel(), Tampering::new)
                .ifPresent(failed -> fail(Report.of(failed, Shrinker.shrink(failed, Tampering::new))));
    }

    @ParameterizedTest
    @EnumSource
    void knownWrongVariant_isCaught(KnownWrong wrong) {
        Optional<Outcome> caught = firstFailure(LongStream.rangeClosed(1, SEEDS_FOR_THE_WRONG), wrong.tamperings);

        assertThat(caught).isPresent();
        assertThat(caught.get().violation().checker())
                .as(caught.get().violation().what())
                .isIn(wrong.checkers);
    }

    @Test
    void sameSeed_runsAlike() {
        for (long seed = 1; seed <= 20; seed++) {
            Outcome first = Simulation.run(Scenario.of(seed), Tampering::new, true);
            Outcome second = Simulation.run(Scenario.of(seed), Tampering::new, true);

            assertThat(second.trace()).isEqualTo(first.trace()).hasSizeGreaterThan(50);
        }
    }

    @Test
    void failure_isShrunkAndReported() {
        Supplier<Tampering> wrong = KnownWrong.COMMITS_ON_LOST.tamperings;
        Outcome failed = firstFailure(LongStream.rangeClosed(1, SEEDS_FOR_THE_WRONG), wrong).orElseThrow();

        Outcome shrunk = Shrinker.shrink(failed, wrong);

        assertThat(shrunk.violation().checker()).isEqualTo(failed.violation().checker());
        assertThat(shrunk.scenario().features().size())
                .isLessThan(failed.scenario().features().size());
        assertThat(shrunk.events()).isLessThanOrEqualTo(failed.events());
        assertThat(Report.of(failed, shrunk))
                .contains("-Dsimulation.seed=" + failed.scenario().seed())
                .contains(shrunk.violation().what())
                .contains("  lost [");
    }

    private static Optional<Outcome> firstFailure(LongStream seeds, Supplier<Tampering> tamperings) {
        return seeds.mapToObj(seed -> Simulation.run(Scenario.of(seed), tamperings, false))
                .filter(Outcome::failed)
                .findFirst();
    }
}
