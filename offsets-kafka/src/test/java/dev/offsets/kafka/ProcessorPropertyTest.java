package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.TrackerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The processor's promises, on arbitrary schedules: polls, work that ends well or badly, seeks, rebalances, time. The model
 * is the judge; processors and loops with one mistake each are caught by it. The seed is fixed, so that every run is the
 * same; change it to look elsewhere.
 */
class ProcessorPropertyTest {
    private static final int SCHEDULES_TO_CATCH_A_MISTAKE = 500;

    enum Order {
        NONE,
        BY_KEY,
        BY_PARTITION
    }

    record Setting(Order order, int maxConcurrency, int maxBatch, int keys) {}

    enum Kind {
        PRODUCE,
        TURN,
        POLL,
        RUN_ONE_TASK,
        FINISH,
        FAIL,
        PASS_TIME,
        SEEK_BACK,
        REBALANCE,
        LOSE
    }

    record Step(Kind kind, int number) {}

    /** One mistake each. */
    enum Mistake {
        NONE,
        IGNORES_THE_ORDER,
        STARTS_WITHOUT_CLAIMING,
        FINISHES_WHEN_WORK_BEGINS
    }

    @Provide
    Arbitrary<Setting> settings() {
        return Combinators.combine(
                        Arbitraries.of(Order.values()),
                        Arbitraries.integers().between(1, 8),
                        Arbitraries.of(1, 1, 3, 8),
                        Arbitraries.integers().between(1, 5))
                .as(Setting::new);
    }

    @Provide
    Arbitrary<List<Step>> schedules() {
        Arbitrary<Kind> kinds = Arbitraries.frequency(
                Tuple.of(8, Kind.PRODUCE),
                Tuple.of(12, Kind.TURN),
                Tuple.of(2, Kind.POLL),
                Tuple.of(6, Kind.RUN_ONE_TASK),
                Tuple.of(16, Kind.FINISH),
                Tuple.of(5, Kind.FAIL),
                Tuple.of(4, Kind.PASS_TIME),
                Tuple.of(1, Kind.SEEK_BACK),
                Tuple.of(2, Kind.REBALANCE),
                Tuple.of(1, Kind.LOSE));
        return Combinators.combine(kinds, Arbitraries.integers().between(0, 1_000))
                .as(Step::new)
                .list()
                .ofMaxSize(150);
    }

    @Property(seed = "1", tries = 1_000, edgeCases = EdgeCasesMode.NONE)
    void anySchedule_keepsThePromises_andFinishesEverything(
            @ForAll("settings") Setting setting, @ForAll("schedules") List<Step> schedule) {
        Run run = new Run(setting, Mistake.NONE);
        schedule.forEach(run::take);
        run.finishEverything();

        assertThat(run.model.violations).isEmpty();
        assertThat(run.model.allFinished()).as("all is finished").isTrue();
        assertThat(Optional.ofNullable(run.rig.stored(P0)).orElse(0L)).isEqualTo(run.produced.get(P0));
        assertThat(run.processor.status()).isEqualTo(new ProcessorStatus(0, 0, List.of(), Map.of()));
        assertThat(run.processor.keysHeld()).isZero();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void mistake_isCaught(Mistake mistake) {
        Set<String> caught = new HashSet<>();
        for (long seed = 0; seed < SCHEDULES_TO_CATCH_A_MISTAKE; seed++) {
            Random random = new Random(seed);
            Run run = new Run(new Setting(Order.BY_KEY, 4, 1, 2), mistake);
            Kind[] kinds = Kind.values();
            for (int i = 0; i < 150; i++) {
                run.take(new Step(kinds[random.nextInt(kinds.length)], random.nextInt(1_000)));
            }
            run.model.violations.forEach(violation -> caught.add(violation.split("[:0-9]")[0].trim()));
        }

        switch (mistake) {
            case IGNORES_THE_ORDER -> assertThat(caught).contains("two at once", "out of order");
            case STARTS_WITHOUT_CLAIMING -> assertThat(caught).contains("start after revoke");
            default -> assertThat(caught).contains("committed");
        }
    }

    private record Running(
            List<ConsumerRecord<String, String>> records, int incarnation, CompletableFuture<Object> work) {}

    /** One schedule, played. */
    private static final class Run {
        private static final Duration LONGEST_DELAY = Duration.ofMillis(200);

        final Rig rig = Rig.committingAtOnce();
        final ProcessorModel model;
        final RecordProcessor<String, String> processor;
        final Map<TopicPartition, Long> produced = new java.util.HashMap<>(Map.of(P0, 0L, P1, 0L));
        private final HandTurnedExecutor executor = new HandTurnedExecutor();
        private final List<Running> running = new ArrayList<>();
        private final List<TrackedRecord<String, String>> unclaimed = new ArrayList<>();
        private final Mistake mistake;
        private Set<TopicPartition> assigned = Set.of(P0, P1);

        Run(Setting setting, Mistake mistake) {
            this.mistake = mistake;
            rig.kafka.keys = offset -> "key " + offset % setting.keys;
            rig.kafka.maxPollRecords = 7;
            model = new ProcessorModel(
                    switch (setting.order) {
                        case NONE -> record -> null;
                        case BY_KEY -> ConsumerRecord::key;
                        case BY_PARTITION -> ConsumerRecord::topic;
                    });
            RecordProcessorBuilder<String, String> builder = rig.consumer
                    .processor(executor, setting.maxConcurrency)
                    .onFailure(failure -> FailureAction.retryAfter(LONGEST_DELAY.dividedBy(1 + failure.offset() % 3)));
            if (mistake != Mistake.IGNORES_THE_ORDER) {
                switch (setting.order) {
                    case NONE -> builder.unordered();
                    case BY_KEY -> builder.orderedByKey();
                    case BY_PARTITION -> builder.orderedByPartition();
                }
            }
            processor = builder.handleBatchesAsync(setting.maxBatch, this::begin);
            rig.subscribed(
                    new ConsumerRebalanceListener() {
                        @Override
                        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                            partitions.forEach(model::assigned);
                        }

                        @Override
                        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                            partitions.forEach(model::isBeingTakenAway);
                        }
                    },
                    P0,
                    P1);
            turn();
        }

        private CompletionStage<?> begin(List<ConsumerRecord<String, String>> records) {
            int incarnation = model.started(records);
            CompletableFuture<Object> work = new CompletableFuture<>();
            running.add(new Running(records, incarnation, work));
            return mistake == Mistake.FINISHES_WHEN_WORK_BEGINS ? RecordProcessorBuilder.DONE : work;
        }

        void take(Step step) {
            TopicPartition partition = step.number % 2 == 0 ? P0 : P1;
            switch (step.kind) {
                case PRODUCE -> produce(partition, 1 + step.number % 9);
                case TURN -> turn();
                case POLL -> rig.consumer.poll(Duration.ZERO); // a result that the loop drops: it comes again
                case RUN_ONE_TASK -> runOneTask();
                case FINISH -> finish(step.number);
                case FAIL -> fail(step.number);
                case PASS_TIME -> rig.time.advance(Duration.ofMillis(step.number % 300));
                case SEEK_BACK -> seekBack(partition, step.number);
                case REBALANCE -> rebalance(step.number);
                case LOSE -> lose(partition);
            }
            model.stored(P0, rig.stored(P0));
            model.stored(P1, rig.stored(P1));
        }

        private void produce(TopicPartition partition, int records) {
            long from = produced.get(partition);
            rig.kafka.records(partition, from, from + records - 1);
            for (long offset = from; offset < from + records; offset++) {
                model.produced(partition, offset);
            }
            produced.put(partition, from + records);
        }

        private void turn() {
            TrackedRecords<String, String> polled = rig.consumer.poll(Duration.ZERO);
            for (PartitionBatch<String, String> batch : polled.batches()) {
                batch.records().forEach(model::delivered);
            }
            if (mistake == Mistake.STARTS_WITHOUT_CLAIMING) {
                polled.forEach(unclaimed::add);
            } else {
                processor.process(polled);
            }
        }

        private void runOneTask() {
            if (executor.waiting() > 0) {
                executor.runOne();
            }
            if (!unclaimed.isEmpty()) {
                begin(List.of(unclaimed.remove(0).consumerRecord()));
            }
        }

        private void finish(int number) {
            if (!running.isEmpty()) {
                Running ending = running.remove(number % running.size());
                model.finished(ending.records, ending.incarnation);
                ending.work.complete("done");
            }
        }

        private void fail(int number) {
            if (!running.isEmpty()) {
                Running ending = running.remove(number % running.size());
                model.ended(ending.records);
                ending.work.completeExceptionally(new Exception("failed"));
            }
        }

        private void seekBack(TopicPartition partition, int number) {
            TrackerStatus status = rig.status(partition);
            if (status != null) {
                rig.consumer.seek(partition, number % (status.committableOffset() + 1));
                model.beginAnew(partition);
            }
        }

        private void rebalance(int number) {
            List<Set<TopicPartition>> assignments = List.of(Set.of(), Set.of(P0), Set.of(P1), Set.of(P0, P1));
            Set<TopicPartition> next = assignments.get(number % assignments.size());
            boolean eager = number % 3 == 0;
            rig.kafka.insideNextPoll(() -> {
                for (TopicPartition partition : assigned) {
                    if (eager || !next.contains(partition)) {
                        model.isBeingTakenAway(partition);
                    }
                }
                assigned = next;
                // What workers do while the revocation waits for them.
                rig.time.after(Duration.ofMillis(1), executor::runAll);
                rig.time.after(Duration.ofMillis(2), () -> finish(number));
                rig.time.after(Duration.ofMillis(3), () -> fail(number));
                rig.time.after(Duration.ofMillis(4), executor::runAll);
                TopicPartition[] partitions = next.toArray(new TopicPartition[0]);
                if (eager) {
                    rig.kafka.rebalanceEagerly(partitions);
                } else {
                    rig.kafka.rebalanceCooperatively(partitions);
                }
            });
            turn();
        }

        private void lose(TopicPartition partition) {
            if (assigned.contains(partition)) {
                Set<TopicPartition> rest = new HashSet<>(assigned);
                rest.remove(partition);
                assigned = rest;
                rig.kafka.insideNextPoll(() -> {
                    model.isBeingTakenAway(partition);
                    rig.kafka.lose(partition);
                });
                turn();
            }
        }

        /** All partitions come back, and no work fails any more. */
        void finishEverything() {
            rig.kafka.insideNextPoll(() -> {
                Set.of(P0, P1).forEach(model::isBeingTakenAway);
                rig.kafka.rebalanceEagerly(P0, P1);
            });
            IntStream.range(0, 300).forEach(turn -> {
                turn();
                executor.runAll();
                while (!running.isEmpty()) {
                    finish(0);
                    executor.runAll();
                }
                rig.time.advance(LONGEST_DELAY);
            });
        }
    }
}
