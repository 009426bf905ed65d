package dev.offsets.benchmarks.pools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The whole command with few records: that it runs, not how fast anything is. */
@Timeout(120)
class LoopsBenchmarkIT {
    private static final String SPREAD = "\\d[\\d,.]* \\(\\d[\\d,.]*–\\d[\\d,.]*\\)";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        Locale.setDefault(Locale.ROOT);
        return new CommandLine(new LoopsBenchmark())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void fewRecords_bothAreMeasured() {
        int status = run("--pairs=6", "--records=20000", "--warm-up=1", "--measure=20");

        assertThat(status).as(err::toString).isZero();
        assertThat(out.toString())
                .containsPattern("\\| records a second (\\| " + SPREAD + " ){3}\\|")
                .containsPattern("\\| CPU, µs a record (\\| " + SPREAD + " ){3}\\|")
                .contains("pairs: 6.");
    }

    @Test
    void badSwitches_areRefusedBeforeAnythingStarts() {
        assertThat(run("--pairs=5")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--pairs 5: must be 6 or more");
    }
}
