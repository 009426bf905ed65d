package dev.offsets.examples.replay;

import dev.offsets.examples.ClusterOptions;
import dev.offsets.kafka.ReplayPlan;
import dev.offsets.kafka.ReplayPoint;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Plans where a consumer group is to go on, prints the plan, and applies it when told to. */
@Command(
        name = "group-replay",
        description = "Plans where a consumer group is to go on, and prints what that means. Nothing is changed without"
                + " --execute, and with it only where the group has no members.",
        footer =
                "Exit status: 0 when the plan is whole, and applied with --execute; 1 when some of it could not be told;"
                        + " 2 when it could not be made or applied.")
public final class GroupReplayCommand implements Callable<Integer> {
    private static final int BAD = 1;
    private static final int COULD_NOT_RUN = 2;
    private static final long ANSWER_SECONDS = 60;
    private static final Pattern RECORD = Pattern.compile("(.+)-(\\d+)@(\\d+)");

    private static final class Target {
        @Option(
                names = "--to",
                paramLabel = "POINT",
                converter = PointConverter.class,
                description =
                        "Where to go on: earliest, latest, committed; an offset, such as 1042; a shift from what is"
                                + " committed, such as --to=-5; a moment, such as 2026-11-29T10:15:30Z; a time ago, such as 90s,"
                                + " 15m, 2h or 7d.")
        ReplayPoint to;

        @Option(
                names = "--skip",
                paramLabel = "TOPIC-PARTITION@OFFSET",
                description = "Go on behind this record, if it is the next one, and skip nothing else.")
        String skip;
    }

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--group", paramLabel = "ID", required = true, description = "The consumer group.")
    private String group;

    @ArgGroup(multiplicity = "1")
    private Target target;

    @Option(
            names = "--topic",
            paramLabel = "TOPIC[:PARTITION,...]",
            description =
                    "A topic, or some of its partitions; can be given again. Without it: all for which the group has"
                            + " committed.")
    private List<String> topics = List.of();

    @Option(names = "--execute", description = "Apply the plan, and do not only print it.")
    private boolean execute;

    @Option(names = "--help", usageHelp = true, description = "Print this text.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new GroupReplayCommand())
                .setExecutionExceptionHandler((exception, commandLine, parsed) -> couldNotRun(exception))
                .execute(args));
    }

    private static int couldNotRun(Exception exception) {
        boolean wraps = exception instanceof ExecutionException || exception instanceof CompletionException;
        System.err.println(
                "Nothing was changed: " + (wraps ? exception.getCause().getMessage() : exception));
        return COULD_NOT_RUN;
    }

    @Override
    public Integer call() throws Exception {
        try (Admin admin = Admin.create(cluster.configuration())) {
            ReplayPlan plan = get(request(admin));
            System.out.print(plan.toTable());
            if (execute) {
                get(plan.apply(admin));
                System.out.println("Applied.");
            } else {
                System.out.println("Nothing was changed: --execute applies it.");
            }
            return plan.isComplete() ? CommandLine.ExitCode.OK : BAD;
        }
    }

    private CompletionStage<ReplayPlan> request(Admin admin) throws ExecutionException, InterruptedException {
        if (target.skip != null) {
            return ReplayPlan.request(admin, group, toSkip(), cluster.isolationLevel());
        }
        if (topics.isEmpty()) {
            return ReplayPlan.request(admin, group, target.to, cluster.isolationLevel());
        }
        Map<TopicPartition, ReplayPoint> targets = new HashMap<>();
        Partitions.of(admin, topics).forEach(partition -> targets.put(partition, target.to));
        return ReplayPlan.request(admin, group, targets, cluster.isolationLevel());
    }

    private Map<TopicPartition, ReplayPoint> toSkip() {
        Matcher record = RECORD.matcher(target.skip);
        if (!topics.isEmpty() || !record.matches()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--skip " + target.skip + ": must be one record, such as orders-3@1042, without --topic");
        }
        return Map.of(
                new TopicPartition(record.group(1), Integer.parseInt(record.group(2))),
                ReplayPoint.past(Long.parseLong(record.group(3))));
    }

    private static <T> T get(CompletionStage<T> stage)
            throws ExecutionException, InterruptedException, TimeoutException {
        return stage.toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS);
    }
}
