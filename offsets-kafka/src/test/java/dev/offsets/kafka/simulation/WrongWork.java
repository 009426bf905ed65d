package dev.offsets.kafka.simulation;

import dev.offsets.kafka.FailureAction;
import dev.offsets.kafka.RecordProcessorBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Ways for a processor to get wrong what it starts, and what it makes of an outcome. */
final class WrongWork {
    private WrongWork() {}

    /** Records of one key are worked on at once. */
    static final class NoOrder extends Tampering {
        @Override
        void order(Processing processing, RecordProcessorBuilder<Long, Entry> builder) {
            builder.unordered();
        }
    }

    /** A record begins that the library keeps back for a reason. */
    private abstract static class BeginsMore extends Tampering {
        private final List<Delivery> queued = new ArrayList<>();

        @Override
        void delivered(Delivery delivery) {
            queued.add(delivery);
        }

        @Override
        CompletionStage<?> begin(ProcessorWork work, List<Delivery> deliveries) {
            queued.removeAll(deliveries);
            queued.stream().filter(one -> isBegun(work, one)).findFirst().ifPresent(one -> {
                queued.remove(one);
                work.begin(List.of(one));
            });
            return work.begin(deliveries);
        }

        /** Whether to begin a queued record, beside another that the library begins. */
        abstract boolean isBegun(ProcessorWork work, Delivery delivery);
    }

    /** What is ordered behind a record that waits to be tried again does not wait with it. */
    static final class ForgetsTheWaitingRetry extends BeginsMore {
        private Delivery waiting;

        @Override
        FailureAction afterFailure(Delivery delivery, FailureAction action) {
            if (action instanceof FailureAction.RetryAfter) {
                waiting = delivery;
            }
            return action;
        }

        @Override
        boolean isBegun(ProcessorWork work, Delivery delivery) {
            return waiting != null
                    && waiting.accepted == 0
                    && !waiting.view.leaving
                    && work.isOrderedBehind(delivery, waiting);
        }
    }

    /** What is still queued is begun although its partition is gone. */
    static final class StartsWhatIsGone extends BeginsMore {
        @Override
        boolean isBegun(ProcessorWork work, Delivery delivery) {
            return delivery.view.over;
        }
    }

    /** An attempt that has failed is a finish. */
    static final class FailedIsDone extends Tampering {
        @Override
        CompletionStage<?> begin(ProcessorWork work, List<Delivery> deliveries) {
            try {
                return work.begin(deliveries).handle((done, error) -> done);
            } catch (RuntimeException e) {
                return CompletableFuture.completedFuture(null);
            }
        }
    }

    /** A record that should stop its partition, or the consumer, is passed over. */
    static final class SkipsWhatStops extends Tampering {
        @Override
        FailureAction afterFailure(Delivery delivery, FailureAction action) {
            boolean stops =
                    action instanceof FailureAction.StopPartition || action instanceof FailureAction.StopConsumer;
            return stops ? FailureAction.skip("wrongly") : action;
        }
    }

    /** A retry never becomes due. */
    static final class ForgetsTheRetry extends Tampering {
        @Override
        FailureAction afterFailure(Delivery delivery, FailureAction action) {
            return action instanceof FailureAction.RetryAfter ? FailureAction.retryAfter(Duration.ofDays(1)) : action;
        }
    }
}
