package adoption;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TrackedLoopTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final Map<String, Object> CONFIG = Map.of("group.id", "billing", "enable.auto.commit", false);

    private final MockConsumer<String, String> kafka = new MockConsumer<>("earliest");
    private final AtomicLong committedBelowTheSlowRecord = new AtomicLong();

    @Test
    void recordsFinishedOutOfOrder_areCommittedInOrder() {
        CountDownLatch othersAreDone = new CountDownLatch(2);
        CountDownLatch mayFinish = new CountDownLatch(1);
        ExecutorService workers = Executors.newFixedThreadPool(4);
        TrackedLoop loop = new TrackedLoop(kafka, CONFIG, workers, record -> {
            if (record.offset() == 1) {
                await(mayFinish);
            } else if (record.offset() > 1) {
                othersAreDone.countDown();
            }
        });
        kafka.schedulePollTask(() -> {
            kafka.rebalance(List.of(ORDERS));
            kafka.updateBeginningOffsets(Map.of(ORDERS, 0L));
            for (int offset = 0; offset < 4; offset++) {
                kafka.addRecord(new ConsumerRecord<>("orders", 0, offset, "key", "value"));
            }
        });
        onceCommitted(1, () -> {
            await(othersAreDone);
            committedBelowTheSlowRecord.set(committed());
            mayFinish.countDown();
            onceCommitted(4, loop::stop);
        });

        loop.run();

        assertEquals(1, committedBelowTheSlowRecord.get());
        assertTrue(kafka.closed());
        workers.shutdown();
    }

    /** Looks in each poll, on the loop's thread, whether the offset is committed. */
    private void onceCommitted(long offset, Runnable then) {
        kafka.schedulePollTask(() -> {
            if (committed() == offset) {
                then.run();
            } else {
                onceCommitted(offset, then);
            }
        });
    }

    private long committed() {
        OffsetAndMetadata committed = kafka.committed(Set.of(ORDERS)).get(ORDERS);
        return committed == null ? 0 : committed.offset();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
