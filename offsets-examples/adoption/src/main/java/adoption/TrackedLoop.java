package adoption;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.TrackedConsumer;
import dev.offsets.kafka.TrackedRecords;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** After: the loop goes on while a slow record is worked on, and what is finished below it is committed. */
final class TrackedLoop implements Runnable {
    private final TrackedConsumer<String, String> consumer;
    private final ExecutorService workers;
    private final RecordHandler handler;
    private volatile boolean running = true;

    TrackedLoop(
            Consumer<String, String> consumer, Map<String, ?> config, ExecutorService workers, RecordHandler handler) {
        this.consumer = TrackedConsumer.wrap(consumer, config)
                .commitPolicy(CommitPolicy.afterProcessing())
                .build();
        this.workers = workers;
        this.handler = handler;
    }

    @Override
    public void run() {
        try (consumer) {
            consumer.subscribe(List.of("orders"));
            while (running) {
                TrackedRecords<String, String> records = consumer.poll(Duration.ofMillis(100));
                for (ConsumerRecord<String, String> record : records.consumerRecords()) {
                    workers.execute(() -> {
                        try {
                            handler.handle(record);
                            records.complete(record);
                        } catch (Throwable t) {
                            records.fail(record, t);
                        }
                    });
                }
            }
        }
    }

    void stop() {
        running = false;
    }
}
