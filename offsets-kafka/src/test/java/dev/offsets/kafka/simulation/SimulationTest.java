package dev.offsets.kafka.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final long FIRST_SEED = Long.getLong("simulation.seed", 1);
    private static final long SEEDS = Long.getLong("simulation.seeds", 1_000);

    @BeforeAll
    static void silenceTheLibrary() {
        Configurator.setLevel("dev.offsets", Level.OFF);
    }

    @Test
    void anySeed_keepsAllPromises() {
        long start = System.nanoTime();
        LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS).mapToObj(Scenario::of).forEach(s -> {
            Outcome outcome = Simulation.run(s);
            if (outcome.failed()) {
                Outcome o = Simulation.run(s, Tampering::new, true);
                o.trace().forEach(System.out::println);
                System.out.println(o.settings() + " " + s + " " + o.violation());
                if (o.violation().cause() != null) o.violation().cause().printStackTrace(System.out);
                throw new AssertionError(outcome.violation().toString());
            }
        });
        System.out.println((System.nanoTime() - start) / 1e6 / SEEDS + " ms per seed");
        assertThat(true).isTrue();
    }
}
