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
class PoolsBenchmarkIT {
    private static final String SPREAD = "\\d[\\d,.]* \\(\\d[\\d,.]*–\\d[\\d,.]*\\)";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        Locale.setDefault(Locale.ROOT);
        return new CommandLine(new PoolsBenchmark())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void fewRecords_everybodyIsMeasured_andNoRecordIsLost() {
        int status = run(
                "--runs=1",
                "--records=800",
                "--crash-records=800",
                "--handlers=1",
                "--orders=BY_KEY",
                "--keys=10",
                "--concurrency=4",
                "--warm-up=100",
                "--measure=100");

        assertThat(status).as(err::toString).isZero();
        assertThat(out.toString())
                .containsPattern("\\| 1 ms, by key, 10 keys \\| 4,000 (\\| " + SPREAD + " ){7}\\|")
                .containsPattern("\\| records handled again (\\| " + SPREAD + " ){3}\\|")
                .contains("| records never handled | 0 (0–0) |")
                .contains("4 threads, runs: 1.");
    }

    @Test
    void badSwitches_areRefusedBeforeAnythingStarts() {
        assertThat(run("--runs=0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--runs 0: must be 1 or more");
    }
}
