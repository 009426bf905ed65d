package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** Ways to get wrong what workers report. */
final class WrongReports {
    private WrongReports() {}

    /** A completion that comes while a commit is in flight is forgotten. */
    static final class ForgottenDuringACommit extends Tampering {
        private int inFlight;

        @Override
        void commitAsync(
                SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            inFlight++;
            client.commitAsync(offsets, (committed, exception) -> {
                inFlight--;
                callback.onComplete(committed, exception);
            });
        }

        @Override
        Receipt complete(Delivery delivery) {
            return inFlight > 0 ? Receipt.ACCEPTED : delivery.complete();
        }
    }

    /** What completes between a wakeup and the next poll is forgotten. */
    static final class ForgottenOnWakeup extends Tampering {
        private boolean woken;

        @Override
        ConsumerRecords<Long, Entry> poll(SimulatedClient client, Duration timeout) {
            woken = false;
            try {
                return client.poll(timeout);
            } catch (WakeupException e) {
                woken = true;
                throw e;
            }
        }

        @Override
        Receipt complete(Delivery delivery) {
            return woken ? Receipt.ACCEPTED : delivery.complete();
        }
    }

    /** What completes while its partition is being drained does not count any more. */
    static final class FencedBeforeDraining extends Tampering {
        @Override
        Receipt complete(Delivery delivery) {
            return delivery.view.leaving ? Receipt.IGNORED : delivery.complete();
        }
    }

    /** A late completion counts for the newest delivery of the same offset. */
    static final class CreditedToTheNext extends Tampering {
        private final Map<TopicPartition, Map<Long, Delivery>> newest = new HashMap<>();

        @Override
        void delivered(Delivery delivery) {
            newest.computeIfAbsent(delivery.topicPartition, key -> new HashMap<>())
                    .put(delivery.entry.offset, delivery);
        }

        @Override
        Receipt complete(Delivery delivery) {
            return newest.get(delivery.topicPartition)
                    .get(delivery.entry.offset)
                    .complete();
        }
    }

    /** Each report counts for the record after the one it is of. */
    static final class CreditedToTheNeighbour extends Tampering {
        private final Map<TopicPartition, Map<Long, Delivery>> newest = new HashMap<>();

        @Override
        void delivered(Delivery delivery) {
            newest.computeIfAbsent(delivery.topicPartition, key -> new HashMap<>())
                    .put(delivery.entry.offset, delivery);
        }

        @Override
        Receipt complete(Delivery delivery) {
            Delivery neighbour = newest.get(delivery.topicPartition).get(delivery.entry.offset + 1);
            return neighbour == null ? delivery.complete() : neighbour.complete();
        }
    }

    static final class FailedIsDone extends Tampering {
        @Override
        Receipt fail(Delivery delivery) {
            return delivery.complete();
        }
    }

    /** A second report is answered as if it were the first. */
    static final class AlwaysAccepted extends Tampering {
        @Override
        Receipt complete(Delivery delivery) {
            delivery.complete();
            return Receipt.ACCEPTED;
        }
    }

    /** Work begins on what was taken away while it waited. */
    static final class AlwaysStarted extends Tampering {
        @Override
        boolean tryStart(Delivery delivery) {
            delivery.tryStart();
            return true;
        }
    }
}
