package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import dev.offsets.kafka.FailureAction;
import dev.offsets.kafka.FailurePolicy;
import dev.offsets.kafka.ProcessorStatus.StoppedAt;
import dev.offsets.kafka.RecordFailure;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.RecordProcessorBuilder;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The handler and the failure policy of one process whose user has a processor: the work takes any time, throws, fails, or
 * never ends. The library reports outcomes itself; what it should report is told to the checkers.
 */
final class ProcessorWork {
    /** What is thrown on purpose. */
    private static final class WorkFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        WorkFailed() {
            super("failed on purpose", null, true, false);
        }
    }

    private final Simulation simulation;
    private final SimulatedUser user;
    private final SimulatedClient client;
    private final Tampering tampering;
    private final Processing processing;
    private final FailurePolicy policy;
    private final SimulatedExecutor executor;
    private final Chance chance;
    private final RecordProcessor<Long, Entry> processor;

    /** What the policy is about to be asked of. */
    private Delivery failing;

    ProcessorWork(
            Simulation simulation, SimulatedUser user, Tampering tampering, TrackedConsumer<Long, Entry> consumer) {
        this.simulation = simulation;
        this.user = user;
        this.client = user.client();
        this.tampering = tampering;
        this.processing = simulation.settings.processing;
        this.policy = processing.failurePolicy();
        this.executor = new SimulatedExecutor(simulation, client, processing.onLoopThread());
        this.chance = simulation.chance("processor of " + client.process);
        this.processor = install(consumer);
    }

    private RecordProcessor<Long, Entry> install(TrackedConsumer<Long, Entry> consumer) {
        RecordProcessorBuilder<Long, Entry> builder = consumer.processor(executor, processing.maxConcurrency());
        tampering.order(processing, builder);
        builder.onFailure(this::failed);
        if (processing.maxBatch() > 0) {
            return processing.atOnce()
                    ? builder.handleBatches(processing.maxBatch(), this::handle)
                    : builder.handleBatchesAsync(processing.maxBatch(), this::handle);
        }
        return processing.atOnce()
                ? builder.handle(record -> handle(List.of(record)))
                : builder.handleAsync(record -> handle(List.of(record)));
    }

    void process(TrackedRecords<Long, Entry> records) {
        for (TopicPartition partition : client.owned()) {
            View view = simulation.checkers.views.of(client.process, partition);
            long after = view.deliveries.isEmpty() ? View.UNKNOWN : view.deliveries.lastKey();
            view.records
                    .tailMap(after, false)
                    .forEach((offset, entry) -> give(new Delivery(client.process, partition, view, entry)));
        }
        processor.process(records);
    }

    private void give(Delivery delivery) {
        delivery.givenAt = simulation.time.now();
        delivery.view.deliveries.put(delivery.entry.offset, delivery);
        simulation.checkers.all(checker -> checker.handedOut(delivery));
        tampering.delivered(delivery);
    }

    Map<TopicPartition, StoppedAt> stopped() {
        return processor.status().stopped();
    }

    private CompletionStage<?> handle(List<ConsumerRecord<Long, Entry>> records) {
        List<Delivery> deliveries = new ArrayList<>();
        for (ConsumerRecord<Long, Entry> record : records) {
            deliveries.add(delivery(record));
        }
        return tampering.begin(this, deliveries);
    }

    private Delivery delivery(ConsumerRecord<Long, Entry> record) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        Delivery delivery = simulation
                .checkers
                .views
                .of(client.process, partition)
                .deliveries
                .get(record.offset());
        if (delivery == null || delivery.entry != record.value()) {
            simulation.violated(
                    "NoLateStart", client.process + " starts " + partition + "@" + record.offset() + ", long gone");
        }
        return delivery;
    }

    /** Work begins. Throws, or answers a stage that completes when it ends. */
    CompletionStage<?> begin(List<Delivery> deliveries) {
        simulation.trace.add(() -> client.process + "  works on " + deliveries);
        simulation.checkers.all(checker -> checker.workBegins(deliveries));
        if (!processing.atOnce() && happens(Feature.FORGETFUL_WORKERS, 5)) {
            simulation.trace.add(() -> client.process + "  forgets " + deliveries);
            deliveries.forEach(user::forgotten);
            return new CompletableFuture<>();
        }
        boolean fails = fails(deliveries);
        long duration = processing.atOnce() ? 0 : duration();
        if (duration > 0) {
            CompletableFuture<Object> stage = new CompletableFuture<>();
            executor.in(duration, () -> end(deliveries, fails, stage));
            return stage;
        }
        if (fails && (processing.atOnce() || chance.perMille(500))) {
            throw failure(deliveries);
        }
        CompletableFuture<Object> stage = new CompletableFuture<>();
        end(deliveries, fails, stage);
        return stage;
    }

    /** What has failed once is likely to fail again. */
    private boolean fails(List<Delivery> deliveries) {
        boolean again = deliveries.stream().anyMatch(one -> one.attempts > 0);
        return happens(Feature.FAILING_WORKERS, again ? 600 : 60);
    }

    private boolean happens(Feature feature, int perMille) {
        return chance.perMille(perMille) && simulation.happens(feature);
    }

    private long duration() {
        if (simulation.isCalm()) {
            return chance.pick(0, chance.between(1, 20)) * VirtualTime.MILLI;
        }
        if (happens(Feature.LATE_WORKERS, 30)) {
            return chance.millis(500, 5_000);
        }
        return chance.pick(0, chance.between(1, 20), chance.between(20, 300)) * VirtualTime.MILLI;
    }

    private void end(List<Delivery> deliveries, boolean fails, CompletableFuture<Object> stage) {
        if (fails) {
            stage.completeExceptionally(failure(deliveries));
            return;
        }
        simulation.checkers.all(checker -> checker.workEnds(deliveries));
        deliveries.forEach(delivery -> report(delivery, true));
        stage.complete("done");
    }

    private WorkFailed failure(List<Delivery> deliveries) {
        simulation.trace.add(() -> client.process + "  fails at " + deliveries);
        simulation.checkers.all(checker -> checker.workEnds(deliveries));
        deliveries.forEach(delivery -> delivery.attempts++);
        failing = deliveries.size() == 1 ? deliveries.get(0) : null;
        return new WorkFailed();
    }

    /** Whether a record of an incarnation is to wait for an older one of it. */
    boolean isOrderedBehind(Delivery newer, Delivery older) {
        Object order = processing.orderOf(older.entry);
        return newer.view == older.view
                && newer.entry.offset > older.entry.offset
                && order != null
                && order.equals(processing.orderOf(newer.entry));
    }

    private FailureAction failed(RecordFailure failure) {
        Delivery delivery = failing;
        failing = null;
        boolean right = failure.error() instanceof WorkFailed
                && delivery != null
                && delivery.topicPartition.equals(failure.topicPartition())
                && delivery.entry.offset == failure.offset()
                && delivery.attempts == failure.attempts();
        if (!right) {
            simulation.violated("Attempts", client.process + " asks its policy about " + failure);
        }
        FailureAction action = policy.onFailure(failure);
        simulation.trace.add(() -> client.process + "  failed at " + delivery + ": " + action);
        if (action instanceof FailureAction.RetryAfter retry) {
            delivery.dueAt = simulation.time.now() + retry.delay().toNanos();
        } else if (action instanceof FailureAction.Skip) {
            report(delivery, true);
        } else if (action instanceof FailureAction.StopPartition) {
            delivery.view.stopped |= report(delivery, false);
        } else if (action instanceof FailureAction.StopConsumer) {
            report(delivery, false);
        }
        return tampering.afterFailure(delivery, action);
    }

    /** The library is about to report this, and it can count only while the record's partition is here. */
    private boolean report(Delivery delivery, boolean finished) {
        Receipt receipt = delivery.view.over ? Receipt.IGNORED : Receipt.ACCEPTED;
        delivery.entry.finished |= finished;
        delivery.failed = !finished && receipt == Receipt.ACCEPTED;
        simulation.trace.add(
                () -> client.process + (finished ? "  finishes " : "  stops at ") + delivery + ": " + receipt);
        user.failed(delivery);
        simulation.checkers.all(checker -> checker.reported(delivery, receipt, finished));
        return receipt == Receipt.ACCEPTED;
    }
}
