package dev.offsets.examples.report;

import dev.offsets.examples.ClusterOptions;
import dev.offsets.examples.Terminal;
import dev.offsets.kafka.GroupReport;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints where a consumer group stands, how far behind it is, and what is wrong, on any cluster. */
@Command(
        name = "group-report",
        description =
                "Prints where a consumer group stands on its partitions, how far behind it is, and what is wrong.",
        footer = "Exit status: 0 when nothing is wrong, 1 when something is, 2 when the report could not be made.")
public final class GroupReportCommand implements Callable<Integer> {
    private static final int BAD = 1;
    private static final int COULD_NOT_RUN = 2;
    private static final long ANSWER_SECONDS = 60;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--group", paramLabel = "ID", required = true, description = "The consumer group.")
    private String group;

    private static final class Form {
        @Option(names = "--json", description = "Print one JSON object on one line.")
        boolean json;

        @Option(names = "--line", description = "Print one line, as for a log.")
        boolean line;

        boolean isTable() {
            return !json && !line;
        }
    }

    @ArgGroup
    private Form form = new Form();

    @Option(
            names = "--watch",
            arity = "0..1",
            fallbackValue = "2",
            paramLabel = "SECONDS",
            description = "Print it again and again, in place on a terminal, every so many seconds. Default: 2.")
    private Integer watchSeconds;

    @Option(
            names = "--quorum",
            description =
                    "Show the cluster's metadata quorum, too: log ends, high watermark and lag of its replicas. They"
                            + " belong to the cluster's control plane, and to no consumer's lag.")
    private boolean quorum;

    @Option(names = "--help", usageHelp = true, description = "Print this text.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new GroupReportCommand())
                .setExecutionExceptionHandler((exception, commandLine, parsed) -> couldNotRun(exception))
                .execute(args));
    }

    private static int couldNotRun(Exception exception) {
        System.err.println(couldNotBeMade(exception));
        return COULD_NOT_RUN;
    }

    private static String couldNotBeMade(Exception exception) {
        boolean wraps = exception instanceof ExecutionException || exception instanceof CompletionException;
        return "The report could not be made: " + (wraps ? exception.getCause() : exception);
    }

    @Override
    public Integer call() throws Exception {
        IsolationLevel level = cluster.isolationLevel();
        if (watchSeconds != null && watchSeconds < 1) {
            throw new ParameterException(spec.commandLine(), "--watch " + watchSeconds + ": must be 1 or more");
        }
        try (Admin admin = Admin.create(cluster.configuration())) {
            if (watchSeconds == null) {
                GroupReport report = report(admin, level);
                System.out.print(text(admin, report));
                if (form.isTable() && isBehind(report)) {
                    System.out.println("\nWhether COMMITTED moves, --watch tells.");
                }
                return status(report);
            }
            watch(admin, level);
            return CommandLine.ExitCode.OK;
        }
    }

    private void watch(Admin admin, IsolationLevel level) throws Exception {
        Standstill standstill = new Standstill();
        new Watch(
                        () -> watched(admin, report(admin, level), standstill),
                        new Screen(System.out, form.isTable() && Terminal.isStandardOutput()),
                        System.err,
                        GroupReportCommand::couldNotBeMade,
                        () -> TimeUnit.SECONDS.sleep(watchSeconds))
                .run();
    }

    private String watched(Admin admin, GroupReport report, Standstill standstill)
            throws ExecutionException, InterruptedException {
        String text = text(admin, report);
        return form.isTable() ? text + standstill.remarks(report) + "\n" : text;
    }

    private GroupReport report(Admin admin, IsolationLevel level)
            throws ExecutionException, InterruptedException, TimeoutException {
        return GroupReport.request(admin, group, level).toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    private String text(Admin admin, GroupReport report) throws ExecutionException, InterruptedException {
        return text(report) + (quorum ? quorumText(admin) : "");
    }

    private String quorumText(Admin admin) throws ExecutionException, InterruptedException {
        QuorumText text =
                new QuorumText(admin.describeMetadataQuorum().quorumInfo().get());
        if (form.isTable()) {
            return "\n" + text.toTable();
        }
        return (form.json ? text.toJson() : text.toLine()) + "\n";
    }

    private String text(GroupReport report) {
        if (form.json) {
            return report.toJson() + "\n";
        }
        return form.line ? report.toLine() + "\n" : report.toTable();
    }

    private static boolean isBehind(GroupReport report) {
        return report.partitions().stream()
                .anyMatch(partition -> partition.commitLag().orElse(0) > 0);
    }

    private int status(GroupReport report) {
        if (report.state().filter(state -> state == GroupState.DEAD).isPresent()
                && report.partitions().isEmpty()) {
            System.err.println("There is no consumer group " + group + ".");
            return COULD_NOT_RUN;
        }
        return report.isHealthy() ? CommandLine.ExitCode.OK : BAD;
    }
}
