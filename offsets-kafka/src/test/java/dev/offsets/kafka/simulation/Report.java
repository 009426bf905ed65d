package dev.offsets.kafka.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** A failed run, for people. */
final class Report {
    private static final int LINES = 150;

    private Report() {}

    /** What was violated, how to run it again, and the end of the trace of a simpler run that fails alike. */
    static String of(Outcome failed, Outcome shrunk) {
        StringBuilder report = new StringBuilder();
        report.append("Seed ").append(failed.scenario().seed()).append(" fails. To run it again:\n");
        report.append("  mvn -pl offsets-core,offsets-kafka test -Dtest=SimulationTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.seeds=1 -Dsimulation.seed=");
        report.append(failed.scenario().seed()).append('\n');
        describe(report, failed);
        report.append("Shrunk:\n");
        describe(report, shrunk);
        List<String> trace = shrunk.trace();
        for (String line : trace.subList(Math.max(0, trace.size() - LINES), trace.size())) {
            report.append(line).append('\n');
        }
        return report.toString();
    }

    private static void describe(StringBuilder report, Outcome outcome) {
        Violation violation = outcome.violation();
        report.append(violation.checker()).append(": ").append(violation.what()).append('\n');
        if (violation.cause() != null) {
            StringWriter stack = new StringWriter();
            violation.cause().printStackTrace(new PrintWriter(stack));
            report.append(stack);
        }
        report.append("  ").append(outcome.settings()).append('\n');
        report.append("  ").append(outcome.scenario().features());
        report.append(" for ")
                .append(outcome.scenario().troubleNanos() / VirtualTime.MILLI)
                .append(" ms\n");
    }
}
